import { describe, expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { createLog } from '../../src/app/log.ts';
import { readConfig } from '../../src/config/config.ts';
import { discordSeat, slackSeat } from '../e2e/seats.ts';
import { copyFirstStart } from '../fixtures/first-start.ts';
import { cpuMsOf } from '../fixtures/growth.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';

const apiKey = 'stack-of-hay-and-key';

/** A log with this secret, and the lines that it wrote. */
function createKeptLog(env: Record<string, string>) {
  const config = readConfig({ SERVICE_API_KEYS: apiKey, ...env });
  let output = '';
  const log = createLog(config, { write: (line: string) => void (output += line) });
  return { config, log, output: () => output };
}

describe('a secret', () => {
  const hidden = [
    apiKey,
    `Bearer ${apiKey}`,
    `https://site.example/?key=${apiKey}&page=1`,
    `https://${apiKey}@site.example/`,
    `https://site.example/?header=Bearer%20${apiKey}`,
    `first line\n${apiKey}\nlast line`,
    `a tab\t${apiKey}`,
    `"${apiKey}"`,
    `'${apiKey}',`,
    `\u0007${apiKey}`,
    `(${apiKey}).`,
    `key_${apiKey}_end`,
    JSON.stringify({ text: `\n${apiKey}` }),
  ];

  test.each(hidden)('is redacted in %j', (text) => {
    const { log, output } = createKeptLog({});
    log.error({ err: new Error(text), text, [text]: 1 }, text);
    expect(output()).not.toContain(apiKey);
    expect(output().split('[redacted]').length).toBeGreaterThan(3);
  });

  const kept = [`hay${apiKey}`, `${apiKey}s`, `mon${apiKey}s`, `é${apiKey}`, `7${apiKey}`];

  test.each(kept)('is not redacted within the word %s', (text) => {
    const { log, output } = createKeptLog({});
    log.error({ text }, text);
    expect(output()).toContain(`"text":"${text}","msg":"${text}"`);
  });

  test('that begins or ends with a punctuation mark is redacted next to a letter', () => {
    const { log, output } = createKeptLog({ SERVICE_API_KEYS: '=a-key-with-marks=' });
    log.error({}, 'a=a-key-with-marks=b');
    expect(output()).toContain('"a[redacted]b"');
  });

  test('may be the password of a proxy, plain and percent-encoded', () => {
    const { log, output } = createKeptLog({ HTTPS_PROXY: 'http://ada:pass%3Dword@proxy:3128' });
    log.error({}, 'http://ada:pass%3Dword@proxy:3128 refuses pass=word');
    expect(output()).toContain('http://ada:[redacted]@proxy:3128 refuses [redacted]');
  });

  test('may be the Slack configuration token', () => {
    const token = 'xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTA';
    const { log, output } = createKeptLog({
      SLACK_CONFIG_TOKEN: token,
      SLACK_BOT_TOKEN: 'xoxb-1234567890-abcdef',
      SLACK_APP_TOKEN: 'xapp-1-A1234567890-abcdef',
    });
    log.error({}, `sent ${token}`);
    expect(output()).toContain('sent [redacted]');
  });

  test('may be the token of the metrics', () => {
    const { log, output } = createKeptLog({ METRICS_TOKEN: 'a-token-for-prometheus' });
    log.error({ headers: { cookie: 'a-token-for-prometheus' } }, 'got a-token-for-prometheus');
    expect(output()).toContain('"cookie":"[redacted]"');
    expect(output()).toContain('got [redacted]');
  });

  test('that starts another secret does not keep that one from being redacted whole', () => {
    const { log, output } = createKeptLog({
      SERVICE_API_KEYS: 'a-key-of-some-length,a-key-of-some-length-and-more',
    });
    log.error({}, 'a-key-of-some-length-and-more');
    expect(output()).toContain('"[redacted]"');
  });

  test('is searched for in time linear to the line', () => {
    const { log, output } = createKeptLog({ SERVICE_API_KEYS: 'aaaaaaaaaaaaaaaa' });
    expect(cpuMsOf(() => log.error({}, 'a'.repeat(1_000_000)))).toBeLessThan(1_000);
    expect(output()).not.toContain('[redacted]');
  });
});

test('at LOG_LEVEL=trace, a turn logs none of its text', async () => {
  await using models = await startModelServer();
  const answered = 'The quokkas of Rottnest sleep at noon.';
  const delta = { choices: [{ delta: { content: answered }, finish_reason: 'stop' }] };
  models.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
  };
  const { config, log, output } = createKeptLog({
    DATA_DIR: createTemporaryFolder(),
    PORT: '0',
    LOG_LEVEL: 'trace',
    LLM_BASE_URL: models.baseUrl,
    LLM_MODEL: 'small',
  });
  await copyFirstStart(config.dataDir);
  await using app = await createApp(config, log, { service: { extractor: sharedExtractor } });
  if (!app.sandbox) throw new Error('no sandbox');
  for (const seat of [slackSeat(app.sandbox), discordSeat(app.sandbox)]) {
    const thread = await seat.mention(
      'How do I connect a Discord server, its token, application and Message Content Intent, in Zanzibar?',
    );
    await seat.replies(thread, 1, /quokkas/);
  }
  const lines = output().split('\n');
  expect(lines.filter((line) => /zanzibar|quokkas/i.test(line))).toEqual([]);
  expect(lines.filter((line) => line.includes('"from":"bolt"')).length).toBeGreaterThan(10);
});
