import { expect, test } from 'vitest';
import { useAttacked } from './attacked.ts';

const attacked = useAttacked();

const post = async (path: string, body: string | Uint8Array<ArrayBuffer>) => {
  const headers = { 'content-type': 'application/json' };
  const response = await attacked().service.fetch(path, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
};

const deep = (open: string, close = '') => open.repeat(100_000) + close.repeat(100_000);

test.each<[string, string, number]>([
  ['lists in lists', deep('[', ']'), 400],
  ['lists without end', deep('['), 400],
  ['objects in objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 413],
  ['a deep name', `{"name":${deep('[', ']')}}`, 400],
  ['a deep field that is ignored', `{"name":"A","x":${deep('[', ']')}}`, 400],
  ['a prototype', '{"name":"A","__proto__":{"polluted":1}}', 400],
  ['a prototype alone', '{"__proto__":{"name":"A"}}', 400],
  ['a constructor', '{"name":"A","constructor":{"prototype":{"polluted":1}}}', 400],
  ['a prototype within', '{"name":"A","rate_limit":{"__proto__":[1,2]}}', 400],
  ['a length without items', '{"name":"A","rate_limit":{"0":1,"1":2,"length":2}}', 400],
  ['a field twice', '{"name":"A","name":"B"}', 200],
  ['a field twice, once wrong', '{"name":"A","name":7}', 400],
  ['a huge number', '{"name":"A","temperature":1e999}', 400],
  ['a number of many digits', `{"name":"A","temperature":${'9'.repeat(100_000)}}`, 400],
  ['a number of many decimals', `{"name":"A","temperature":0.${'1'.repeat(100_000)}}`, 200],
  ['a tiny number', '{"name":"A","temperature":1e-999}', 200],
  ['a negative zero', '{"name":"A","temperature":-0}', 200],
  ['a number beyond exactness', '{"name":"A","rate_limit":[9007199254740993,1]}', 400],
  ['what is no number', '{"name":"A","temperature":NaN}', 400],
  ['infinity', '{"name":"A","temperature":-Infinity}', 400],
  ['a hexadecimal number', '{"name":"A","temperature":0x1}', 400],
  ['half of a letter', '{"name":"\\ud800"}', 200],
  ['halves in the wrong order', '{"name":"\\udc00\\ud800"}', 200],
  ['half of a letter as a field', '{"\\ud800":1}', 400],
  ['a zero byte', '{"name":"a\\u0000b"}', 200],
  ['a raw zero byte', '{"name":"a\u0000b"}', 400],
  ['a comment', '{"name":"A"/* */}', 400],
  ['a comma too many', '{"name":"A",}', 400],
  ['quotes of another kind', "{'name':'A'}", 400],
  ['two values', '{"name":"A"}{"name":"B"}', 400],
  ['a byte order mark', '\ufeff{"name":"A"}', 200],
  ['white space of other kinds', '\u00a0{"name":"A"}', 400],
  ['a string alone', '"name"', 400],
  ['a number alone', '1e400', 400],
  ['true', 'true', 400],
  ['many fields', `{${Array.from({ length: 60_000 }, (_, n) => `"f${n}":1`).join()}}`, 413],
  ['a field of a long name', `{"${'x'.repeat(900_000)}":1}`, 400],
  ['a field named as a page', '{"<script>alert(1)</script>":1}', 400],
  ['a field with line breaks', '{"a\\r\\nSet-Cookie: a=b":1}', 400],
])('%s is refused in a few words', async (_, body, status) => {
  const answer = await post('/api/v1/chatbot/create', body);
  expect(answer.status).toBe(status);
  // The error quotes the wrong value shortened.
  expect(answer.text.length).toBeLessThan(2000);
  expect(answer.text.isWellFormed()).toBe(true);
  expect({}).not.toHaveProperty('polluted');
});

test.each([
  ['UTF-16', Buffer.from('\ufeff{"name":"A"}', 'utf16le')],
  ['Latin-1', Buffer.from('{"name":"Ä"}', 'latin1')],
  ['a letter in too many bytes', Buffer.from([0x7b, 0xc0, 0xa2, 0x7d])],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['a cut letter', Buffer.from([0x22, 0xf0, 0x9f, 0x98, 0x22])],
])('%s is refused as no UTF-8', async (_, bytes) => {
  expect((await post('/api/v1/chatbot/create', new Uint8Array(bytes))).status).toBe(400);
});

test.each([
  ['__proto__', '{"initial_variables":{"__proto__":"x"}}'],
  ['constructor', '{"initial_variables":{"constructor":"x","toString":"y","hasOwnProperty":1}}'],
  ['a prototype as value', '{"initial_variables":{"a":{"__proto__":{"polluted":1}}}}'],
])('values of a session named %s do no harm', async (_, body) => {
  const { service, annas } = attacked();
  const created = await post(`/api/v1/chatbot/${annas.chatbot}/session/create`, body);
  expect([200, 400]).toContain(created.status);
  const sessions = await service.get(`/api/v1/chatbot/${annas.chatbot}/sessions`);
  expect(sessions.status).toBe(200);
  expect({}).not.toHaveProperty('polluted');
  expect(Object.prototype.toString.call([])).toBe('[object Array]');
});

test('a thousand very long uuids are refused with a short answer', async () => {
  const uuids = Array.from({ length: 1000 }, () => 'x'.repeat(900));
  const answer = await post('/api/v1/data-sources/delete', JSON.stringify({ uuids }));
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(2000);
});
