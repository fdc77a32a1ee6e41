import { describe, expect, test } from 'vitest';
import { openKeys } from '../../src/app/manage-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { annasKey } from '../service/fixture.ts';
import { operationNames } from '../contracts/service/world.ts';
import { operate, useAttacked } from './attacked.ts';

const attacked = useAttacked();

async function askWith(init: RequestInit, path = '/api/v1/chatbots') {
  const request = new Request(`http://service.test${path}`, init);
  const response = await attacked().service.service.fetch(request);
  return {
    status: response.status,
    authenticate: response.headers.get('www-authenticate'),
    text: await response.text(),
  };
}

describe('an invalid key', () => {
  test.each<[string, string | undefined]>([
    ['no header', undefined],
    ['an unknown key', 'Bearer nobodys-key'],
    ['another scheme', `Basic ${annasKey}`],
    ['another scheme, encoded', `Basic ${btoa(`anna:${annasKey}`)}`],
    ['a token of another kind', `Token ${annasKey}`],
    ['an empty key', 'Bearer '],
    ['the key alone', annasKey],
    ['no space', `Bearer${annasKey}`],
    ['a comma', `Bearer, ${annasKey}`],
    ['two keys', `Bearer ${annasKey} ${annasKey}`],
    ['two keys with a comma', `Bearer ${annasKey}, Bearer nobodys-key`],
    ['a key cut by one', `Bearer ${annasKey.slice(0, -1)}`],
    ['a key longer by one', `Bearer ${annasKey}x`],
    ['a key in capitals', `Bearer ${annasKey.toUpperCase()}`],
    ['a quoted key', `Bearer "${annasKey}"`],
    ['a key in percent signs', `Bearer ${encodeURIComponent(annasKey).replace('-', '%2D')}`],
    ['a pattern', 'Bearer .*'],
    ['a wildcard of SQL', 'Bearer %'],
    ['SQL', `Bearer ' OR '1'='1`],
    ['the owner', 'Bearer anna'],
    ['a property of every object', 'Bearer __proto__'],
    ['undefined', 'Bearer undefined'],
    ['letters beyond ASCII', 'Bearer ännas-key'],
    ['a very long key', `Bearer ${'x'.repeat(100_000)}`],
    ['a very long scheme', `${'Bearer '.repeat(10_000)}${annasKey}`],
  ])('%s', async (_, authorization) => {
    const headers = authorization === undefined ? undefined : { authorization };
    expect(await askWith({ headers })).toEqual({
      status: 401,
      authenticate: 'Bearer',
      text: (await askWith({})).text,
    });
  });

  test.each<[string, RequestInit, string?]>([
    ['in the address', {}, `/api/v1/chatbots?api_key=${annasKey}&access_token=${annasKey}`],
    ['in a cookie', { headers: { cookie: `authorization=Bearer ${annasKey}` } }],
    ['in another header', { headers: { 'x-api-key': annasKey, 'proxy-authorization': annasKey } }],
    ['in a body', { method: 'POST', body: JSON.stringify({ authorization: annasKey }) }],
  ])('a key %s', async (_, init, path) => {
    expect((await askWith(init, path)).status).toBe(401);
  });
});

test('a revoked key is unknown at once', async () => {
  const { service } = attacked();
  const ask = (key: string) => askWith({ headers: { authorization: `Bearer ${key}` } });
  await using keys = await openKeys(readConfig({ DATA_DIR: service.dataDir }, 'service'));
  const key = (await keys.add('anna')).split('\n').at(-1) ?? '';
  expect(await ask(key)).toMatchObject({ status: 200 });
  await keys.revoke(key);
  expect(await ask(key)).toEqual(await ask('nobodys-key'));
});

test.each(operationNames)('%s answers nothing without a key, whatever it names', async (name) => {
  const { annas } = attacked();
  const texts = new Set<string>();
  for (const uuid of [annas.chatbot, annas.session, '0']) {
    const { status, text } = await operate(attacked(), name, { key: 'nobodys-key', uuid });
    expect(status).toBe(401);
    texts.add(text);
  }
  expect(texts.size).toBe(1);
});

test.each([
  '/api/v1/nothing',
  '/api/v1/../v1/chatbots',
  '/api/v1//chatbots',
  '/API/v1/chatbots',
  '/api/v1/chatbots/',
  '/api/v1/chatbots;x=/healthz',
  '/api/v1/chatbots%3F/healthz',
  '/healthz/../api/v1/chatbots',
  '/api/v1/openapi.json/../chatbots',
  '/api/v1/openapi.json/chatbots',
  '/api/v1/openapi.json/../user',
  '/api/v1/user/healthz',
])('%s reveals nothing without a key', async (path) => {
  const { status, text } = await askWith({}, path);
  expect([401, 404]).toContain(status);
  expect(text).not.toContain(attacked().annas.chatbot);
});
