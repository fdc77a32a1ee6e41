import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTrace, traced, whyUntraceable } from '../fixtures/strace.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { serveWorkspace } from '../sandbox/slack/serve-workspace.ts';
import { launchCauseway } from './causeway-process.ts';

const calls = ['write', 'writev', 'sendto', 'pwrite64', 'fsync', 'fdatasync'];

it('a message is on the disk before Slack gets its acknowledgement', async ({ skip, signal }) => {
  const why = whyUntraceable();
  if (why) return skip(why);
  await using served = await serveWorkspace();
  const { slack, ada, general } = served;
  const { botToken, signingSecret, apiUrl } = slack.credentials;
  const folder = createTemporaryFolder();
  const trace = join(folder, 'trace');
  const env = {
    DATA_DIR: folder,
    SLACK_BOT_TOKEN: botToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_API_URL: apiUrl,
  };
  {
    await using causeway = launchCauseway(env, signal, { under: traced(trace, calls) });
    const [, origin = ''] = await causeway.printed(/^ {2}Health +(https?:\/\/[^\s/]+)/m);
    await slack.setRequestUrl(`${origin}/slack/events`);
    const acknowledged = slack.deliveries.waitFor(({ state }) => state === 'acknowledged');
    await slack.say({ user: ada, channel: general, text: 'Where is the scarletowl?' });
    await acknowledged;
    await causeway.stop('SIGTERM');
  }
  const made = readTrace(trace);
  const inserted = made.findIndex((call) => /^pwrite64\(\d+<.*-wal>.*scarletowl/.test(call));
  const rest = made.slice(inserted + 1);
  const synced = rest.findIndex((call) =>
    /^f(?:data)?sync\(\d+<.*causeway\.sqlite-wal>/.test(call),
  );
  const answered = rest.findIndex((call) => /^write.*HTTP\/1\.1 200/.test(call));
  expect(inserted).toBeGreaterThan(-1);
  expect(synced).toBeGreaterThan(-1);
  expect(answered).toBeGreaterThan(synced);
});
