import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { App } from '@slack/bolt';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startServer } from '../../src/app/server.ts';
import { createHttpConnection } from '../../src/bridge/slack/http-connection.ts';
import { type CausewayProcess, startCauseway } from '../e2e/causeway-process.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { serveWorkspace, silentLogger } from '../sandbox/slack/serve-workspace.ts';
import { createMemoryLog } from '../fixtures/memory-log.ts';

const signingSecret = 'the-secret-of-this-test';
const path = '/slack/events';
const event = { type: 'event_callback', team_id: 'T1', event: { type: 'reaction_added' } };

type Headers = Record<string, string | number>;

/** Slack's requests to Bolt, on the server of the process. */
async function serveRequests(
  limits: Parameters<typeof createHttpConnection>[0]['limits'] = {},
  handle: (body: object) => Promise<void> = async () => {},
) {
  const log = createMemoryLog();
  const connection = createHttpConnection({ signingSecret, limits, logger: silentLogger, log });
  const authorize = async () => ({ botToken: 'xoxb-1', botId: 'B1', botUserId: 'U1' });
  const receiver = { init() {}, async start() {}, async stop() {} };
  const bolt = new App({ receiver, logger: silentLogger, authorize });
  bolt.event('reaction_added', async ({ body }) => handle(body));
  await connection.open(bolt);
  const listeners = new Map([[path, connection.requestListener ?? (() => {})]]);
  const server = await startServer({ host: '127.0.0.1', port: 0 }, { listeners });
  const port = Number(new URL(server.origin).port);
  return {
    url: server.origin + path,
    log,
    /** Sends the head of a POST; the caller sends the body and ends the connection. */
    head(headers: Headers, method = 'POST') {
      const socket = connect(port, '127.0.0.1');
      const lines = Object.entries({ host: 'localhost', ...headers });
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`);
      return socket;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const seconds = () => Math.floor(Date.now() / 1000);

function sign(body: string, secret = signingSecret, time: number | string = seconds()): Headers {
  const hash = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${hash}`,
  };
}

function post(url: string, headers: Headers, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: headers as Record<string, string>, body });
}

/** Headers that look valid until the body has arrived. */
const plausible = () => sign('another body');
const json = { 'content-type': 'application/json', 'content-length': 100 };
const form = { ...json, 'content-type': 'application/x-www-form-urlencoded' };

describe('a post that never sends its body', () => {
  test.each<[string, number, () => Headers]>([
    ['without a signature', 401, () => json],
    ['with an empty signature', 401, () => ({ ...json, 'x-slack-signature': '' })],
    [
      'with half a signature',
      401,
      () => ({ ...plausible(), ...json, 'x-slack-signature': 'v0=1' }),
    ],
    ['without a time', 401, () => ({ ...plausible(), ...json, 'x-slack-request-timestamp': '' })],
    ['with no number as its time', 401, () => ({ ...json, ...sign('', signingSecret, 'NaN') })],
    ['with an old time', 401, () => ({ ...json, ...sign('', signingSecret, seconds() - 302) })],
    ['as a long form without a signature', 401, () => ({ ...form, 'content-length': 257 })],
    ['of more than 1 MB', 413, () => ({ ...plausible(), 'content-length': 1024 * 1024 + 1 })],
    ['of another type', 415, () => ({ ...plausible(), ...json, 'content-type': 'text/plain' })],
    ['without a type', 415, () => ({ 'content-length': 100 })],
  ])('%s is answered %i at once, and its connection closed', async (_, status, headers) => {
    await using served = await serveRequests();
    const answer = await text(served.head(headers()));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\n\r\n.*\w+.*\./s);
  });

  test('because it is a PUT is answered 405', async () => {
    await using served = await serveRequests();
    const answer = await text(served.head({ ...plausible(), ...json }, 'PUT'));
    expect(answer).toMatch(/^HTTP\/1\.1 405 .*^allow: POST\r$/ms);
  });

  test('but looks valid is answered 408 after its time, even if it trickles', async () => {
    await using served = await serveRequests({ timeoutMs: 100 });
    const lengths: Headers[] = [{ 'content-length': 1000 }, { 'transfer-encoding': 'chunked' }];
    for (const length of lengths) {
      const socket = served.head({ ...plausible(), ...length });
      const trickle = setInterval(() => socket.write('1\r\n \r\n'), 10);
      const answer = await text(socket);
      clearInterval(trickle);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    }
  });

  test('but looks like a certificate check is cut off too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using served = await serveRequests();
    const socket = served.head({ ...form, expect: '100-continue' });
    await once(socket, 'data');
    vi.advanceTimersByTime(3_000);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  afterEach(() => void vi.useRealTimers());
});

describe('bodies that are being read', () => {
  test('are cut off beyond 1 MB, whatever length they declared', async () => {
    await using served = await serveRequests({ maxBytes: 1000 });
    const socket = served.head({ ...plausible(), 'transfer-encoding': 'chunked' });
    socket.write(`3e9\r\n${' '.repeat(1001)}`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('of 1 MB are read, in however many parts they arrive', async () => {
    const seen: number[] = [];
    await using served = await serveRequests({}, async (body) => {
      seen.push(JSON.stringify(body).length);
    });
    const start = JSON.stringify({ ...event, pad: '' }).slice(0, -2);
    const body = `${start.padEnd(1024 * 1024 - 2, 'a')}"}`;
    const socket = served.head({
      ...sign(body),
      'content-length': body.length,
      connection: 'close',
    });
    for (let at = 0; at < body.length; at += 50_000) socket.write(body.slice(at, at + 50_000));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect(seen).toEqual([body.length]);
  });

  test('that stall make room for those that arrive', async () => {
    await using served = await serveRequests({ maxBodies: 2 });
    const stall = async () => {
      const socket = served.head({ ...plausible(), ...json, expect: '100-continue' });
      await once(socket, 'data');
      return socket;
    };
    const oldest = text(await stall());
    const newer = await stall();
    const body = JSON.stringify(event);
    expect((await post(served.url, sign(body), body)).status).toBe(200);
    expect(await oldest).toMatch(/^HTTP\/1\.1 503 .*^retry-after: \d+\r$/ms);
    newer.write(' '.repeat(json['content-length']));
    expect(await text(newer)).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('are given up when their sender leaves', async () => {
    await using served = await serveRequests({ maxBodies: 1 });
    const told = Promise.withResolvers<string>();
    served.log.warn = (_, message) => told.resolve(message);
    const socket = served.head({ ...plausible(), ...json, expect: '100-continue' });
    await once(socket, 'data');
    socket.destroy();
    expect(await told.promise).toContain('left before');
  });

  test('together hold no more memory than allowed', async () => {
    await using served = await serveRequests({ maxHeldBytes: 2000 });
    const answers = Array.from({ length: 5 }, () => {
      const socket = served.head({ ...plausible(), 'content-length': 1000 });
      socket.write(' '.repeat(999));
      return { socket, answer: text(socket) };
    });
    // The newest two stay: three make room.
    await Promise.race(answers.slice(0, 3).map(({ answer }) => answer));
    const body = JSON.stringify({ ...event, pad: ' '.repeat(1900) });
    expect((await post(served.url, sign(body), body)).status).toBe(200);
    for (const { answer } of answers) expect(await answer).toMatch(/^HTTP\/1\.1 503 /);
  });
});

describe('the log', () => {
  afterEach(() => void vi.useRealTimers());

  test('reports refused requests once a minute, with their count and none of their text', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using served = await serveRequests();
    const theirs = { authorization: 'Bearer their-token', 'x-slack-signature': 'v0=their-value' };
    for (let count = 0; count < 20; count += 1) {
      await post(served.url, { 'content-type': 'application/json', ...theirs }, '{"their":"body"}');
    }
    const wrong: Headers = { ...plausible(), authorization: 'Bearer their-token' };
    await post(served.url, wrong, '{"their":"body"}');
    const counts = () => served.log.lines.map(({ level, fields }) => ({ level, ...fields }));
    expect(counts()).toEqual([
      { level: 'warn', count: 1 },
      { level: 'warn', count: 1 },
    ]);
    vi.advanceTimersByTime(60_000);
    expect(counts().slice(2)).toEqual([{ level: 'warn', count: 19 }]);
    const said = JSON.stringify(served.log.lines);
    expect(said).toContain('SLACK_SIGNING_SECRET');
    expect(said).not.toContain('their-');
    expect(said).not.toContain(String(wrong['x-slack-signature']));
  });
});

describe('a signed body', () => {
  test.each([
    ['null', 'null'],
    ['a number', '5'],
    ['a string', '"event_callback"'],
    ['a list', '[{"type":"event_callback"}]'],
    ['an empty object', '{}'],
    ['an object of another kind', '{"type":{"type":"event_callback"}}'],
    ['half of one', '{"type":"event_callback"'],
    ['nothing', ''],
    ['nothing as a form', '', form['content-type']],
    ['null in a form', 'payload=null', form['content-type']],
    ['no JSON in a form', 'payload=%7B', form['content-type']],
    ['a form with broken escapes', 'payload=%ZZ%', form['content-type']],
    ['a form with two payloads', 'payload={}&payload={}', form['content-type']],
  ])('that is %s is answered 400 with a sentence', async (_, body, type = 'application/json') => {
    await using served = await serveRequests();
    const answer = await post(served.url, { ...sign(body), 'content-type': type }, body);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      'The body is not an event, command or interaction of Slack.\n',
    ]);
  });

  test('never ends the process, whatever it is', async ({ signal }) => {
    await using workspace = await serveWorkspace();
    await using process = await startProcess(workspace, signal);
    const url = process.origin + path;
    const { credentials } = workspace.slack;
    const send = async (body: string, type: string) => {
      const headers = { ...sign(body, credentials.signingSecret), 'content-type': type };
      const answer = await post(url, headers, body);
      await answer.text();
      expect([200, 400, 500]).toContain(answer.status);
    };
    await send('null', 'application/json');
    await fc.assert(
      fc.asyncProperty(anyBody, fc.boolean(), async (body, isForm) => {
        if (isForm) await send(toForm(body), form['content-type']);
        else await send(body, 'application/json');
      }),
      { numRuns: 100 },
    );
    expect((await fetch(`${process.origin}/healthz`)).status).toBe(200);
    expect(process.output()).not.toContain('unhandled');
  });
});

const toForm = (payload: string) => new URLSearchParams({ payload }).toString();

function startProcess(
  { slack }: Awaited<ReturnType<typeof serveWorkspace>>,
  signal: AbortSignal,
): Promise<CausewayProcess> {
  const { botToken, signingSecret, apiUrl } = slack.credentials;
  return startCauseway(
    {
      DATA_DIR: createTemporaryFolder(),
      SLACK_BOT_TOKEN: botToken,
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_API_URL: apiUrl,
      LOG_LEVEL: 'fatal',
    },
    signal,
  );
}

const value = fc.jsonValue();
const types = ['event_callback', 'block_actions', 'view_submission', 'shortcut', 'message_action'];
const eventTypes = ['message', 'app_mention', 'agent_session_stopped', 'app_rate_limited'];
const subtypes = ['message_changed', 'message_deleted', 'file_share', 'thread_broadcast'];
const one = (...valid: string[]) => fc.oneof(fc.constantFrom(...valid), value);

const anyEvent = fc.record(
  {
    type: fc.constantFrom(...eventTypes),
    subtype: one(...subtypes),
    channel: one('C0123456789', 'D0123456789'),
    channel_type: one('channel', 'im'),
    user: one('U0123456789'),
    ts: one('1795000000.000001'),
    thread_ts: one('1795000000.000001'),
    deleted_ts: one('1795000000.000001'),
    text: one('Hello', '<@U0123456789> stop'),
    message: value,
    previous_message: value,
    files: value,
  },
  { requiredKeys: ['type'] },
);

/** Bodies shaped like Slack's, with anything in their fields. */
const nearlySlacks = fc.record(
  {
    type: fc.constantFrom(...types),
    event: fc.oneof(anyEvent, value),
    team_id: one('T0123456789'),
    team: value,
    user: value,
    channel: value,
    message: value,
    actions: value,
    view: value,
    callback_id: value,
    trigger_id: value,
    response_url: value,
    command: one('/causeway'),
    text: one('help'),
  },
  { requiredKeys: ['type'] },
);
const anyBody = fc.oneof(fc.string(), fc.json(), {
  arbitrary: nearlySlacks.map((body) => JSON.stringify(body)),
  weight: 4,
});
