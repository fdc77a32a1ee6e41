import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveSandbox } from '../sandbox/serve-sandbox.ts';

let served: Awaited<ReturnType<typeof serveSandbox>>;
beforeAll(async () => {
  served = await serveSandbox();
});
afterAll(() => served[Symbol.asyncDispose]());

/** The status of a request's answer. Not with `fetch`, which sets these headers itself. */
function ask(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(`${served.origin}/sandbox${path}`, { method, headers });
  asked.on('error', reject).on('response', (response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  asked.on('upgrade', (response, socket) => {
    resolve(response.statusCode ?? 0);
    socket.destroy();
  });
  asked.end();
  return promise;
}

const paths = [
  ['GET', '/control/events'],
  ['GET', '/control/overview'],
  ['GET', '/control/slack/messages?user=ada&channel=%23general'],
  ['POST', '/control/slack/say'],
] as const;

/** The headers that a browser sends for an element or script on another site's page. */
const foreign: Record<string, Record<string, string>> = {
  'an image of another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  'a page of another port': { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
  'a link on another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  'a script of another site': { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' },
  'an older browser': { origin: 'http://evil.example' },
  'a sandboxed frame': { origin: 'null' },
  'a value of tomorrow': { 'sec-fetch-site': 'fenced' },
};

describe.each(Object.entries(foreign))('%s', (_, headers) => {
  test.each(paths)('is refused: %s %s', async (method, path) => {
    expect(await ask(method, path, headers)).toBe(403);
  });

  test('can open no web socket', async () => {
    const upgrade = {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    expect(await ask('GET', '/discord/gateway/?v=10&encoding=json', upgrade)).toBe(403);
  });
});

test.each([
  ['the page itself', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
  ['an address that was typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['a program', {}],
])('%s reads the events', async (_, headers) => {
  expect(await ask('GET', '/control/events', headers)).toBe(200);
});
