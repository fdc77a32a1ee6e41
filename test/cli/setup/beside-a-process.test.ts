import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { examine, renderReport } from '../../../src/cli/setup/doctor.ts';
import { silentLog } from '../../fixtures/log.ts';
import { sharedExtractor } from '../../fixtures/shared-extractor.ts';
import { install } from './installation.ts';

/** The files of the data folder, with their sizes and times of change. */
function filesOf(folder: string): string[] {
  return readdirSync(folder).map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
}

test('the doctor reads the state of a running process and changes none of its files', async () => {
  await using installation = await install(['Slack']);
  const { env, sandbox, updateManifest } = installation;
  const { slack } = sandbox;
  delete env['SLACK_APP_TOKEN'];
  env['SLACK_SIGNING_SECRET'] = slack.credentials.signingSecret;
  const report = async () => renderReport(await examine(env));
  expect(await report()).toContain('– Chatbot: not checked: the first start creates it.');
  {
    await using app = await createApp(readConfig(env), silentLog, {
      service: { extractor: sharedExtractor },
    });
    const url = `${app.origin}/slack/events`;
    updateManifest(({ features, settings = {} }) => {
      settings.socket_mode_enabled = false;
      settings.event_subscriptions = { ...settings.event_subscriptions, request_url: url };
      settings.interactivity = {
        is_enabled: true,
        request_url: url,
        message_menu_options_url: url,
      };
      for (const command of features?.slash_commands ?? []) command.url = url;
    });
    await slack.setRequestUrl(url);
    env['PORT'] = new URL(app.origin).port;
    const before = filesOf(env['DATA_DIR'] ?? '');
    const said = await report();
    expect(filesOf(env['DATA_DIR'] ?? '')).toEqual(before);
    expect(said).toContain(`✓ Causeway: running and ready at ${app.origin}.`);
    expect(said).toMatch(/^✓ Slack signing secret: right/m);
    expect(said).toContain('✓ Chatbot: Causeway answers, in the built-in service.');
    expect(said).not.toContain('✗');
  }
  const before = filesOf(env['DATA_DIR'] ?? '');
  const said = await report();
  expect(filesOf(env['DATA_DIR'] ?? '')).toEqual(before);
  expect(said).toMatch(/^– Causeway: not running at .* Run npm start\.$/m);
  expect(said).toMatch(/^✓ Slack signing secret: right/m);
  expect(said).toContain('✓ Chatbot: Causeway answers, in the built-in service.');

  env['CHATBOT_UUID'] = 'another';
  expect(await report()).toMatch(
    /^✗ Chatbot: there is no such chatbot\. Leave CHATBOT_UUID empty/m,
  );
});
