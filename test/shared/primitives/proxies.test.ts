import { afterEach, expect, test } from 'vitest';
import { request } from 'undici';
import { createDispatcher } from '../../../src/shared/primitives/dispatcher.ts';
import { proxyFor, setProxies } from '../../../src/shared/primitives/proxies.ts';
import { startProxy } from '../../fixtures/proxy.ts';
import { useProxy } from '../../fixtures/use-proxy.ts';

afterEach(() => setProxies());

test.each([
  ['', 'https://slack.com', 'through'],
  ['', 'wss://gateway.discord.gg', 'through'],
  ['', 'http://localhost:3000', 'directly'],
  ['', 'http://127.1.2.3:3000', 'directly'],
  ['', 'http://[::1]:3000', 'directly'],
  ['', 'https://localhost.example.com', 'through'],
  ['*', 'https://slack.com', 'directly'],
  ['example.com', 'https://example.com', 'directly'],
  ['EXAMPLE.com', 'https://deep.sub.example.com.', 'directly'],
  ['.example.com', 'https://sub.example.com', 'directly'],
  ['*.example.com', 'https://sub.example.com', 'directly'],
  ['example.com', 'https://notexample.com', 'through'],
  ['example.com:8443', 'https://example.com', 'through'],
  ['example.com:8443', 'https://example.com:8443', 'directly'],
  ['example.com:443', 'wss://example.com', 'directly'],
  ['10.0.0.0/8', 'http://10.1.2.3', 'directly'],
  ['10.0.0.0/8', 'http://11.1.2.3', 'through'],
  ['10.0.0.0/99', 'http://10.1.2.3', 'through'],
  ['192.168.1.7', 'http://192.168.1.7:8080', 'directly'],
  ['1.7', 'http://192.168.1.7', 'through'],
  ['fd00::/8', 'http://[fd00::7]', 'directly'],
  ['[fd00::7]:80', 'http://[fd00::7]', 'directly'],
  ['fd00::7', 'http://[fd00::8]', 'through'],
])('with NO_PROXY=%s, %s is reached %s', (entry, address, way) => {
  const proxy = new URL('http://proxy.example:3128');
  setProxies({ http: proxy, https: proxy, direct: entry ? ['other.test', entry] : [] });
  expect(proxyFor(new URL(address))).toBe(way === 'through' ? proxy : undefined);
});

test('a scheme without a proxy is reached directly', () => {
  setProxies({ https: new URL('http://proxy.example:3128'), direct: [] });
  expect(proxyFor(new URL('http://model.example'))).toBeUndefined();
});

const failures = [
  ['silent', 'has not connected to slack.test:443 for 0.2 seconds'],
  [403, 'does not connect to slack.test:443 (403)'],
  [407, 'refuses the user and password (407)'],
] as const;

test.each(failures)('a proxy whose CONNECT is %s fails once, by name', async (connect, says) => {
  await using proxy = await startProxy({ connect });
  useProxy(proxy.url.replace('//', '//me:geheim@'));
  const dispatcher = createDispatcher(200);
  const failed = await request('https://slack.test/api', { dispatcher }).catch((error) => error);
  await dispatcher.destroy();
  expect(failed).toMatchObject({ code: 'ERR_PROXY', message: `The proxy at ${proxy.url} ${says}` });
  expect(proxy.asked).toEqual(['CONNECT slack.test:443']);
});

test('an unreachable proxy is named in the error', async () => {
  useProxy('http://127.0.0.1:1');
  const dispatcher = createDispatcher();
  const failing = request('https://slack.test/api', { dispatcher });
  await expect(failing).rejects.toThrow(
    'The proxy at http://127.0.0.1:1 can’t be used: connect ECONNREFUSED 127.0.0.1:1',
  );
  await dispatcher.destroy();
});
