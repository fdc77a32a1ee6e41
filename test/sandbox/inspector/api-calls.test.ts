import { expect, test } from 'vitest';
import { shorten } from '../../../src/sandbox/inspector/api-calls.ts';

test('a copy of a small value is whole, without credentials', () => {
  const call = {
    token: 'xoxb-1',
    channel: 'C1',
    empty: null,
    user: { access_token: 'abc', id: 'U1' },
    upload_url: 'https://a.example/upload/1',
    url: 'wss://a.example/link?ticket=abc&app_id=A1',
    file: new Blob(['abc']),
  };
  expect(shorten(call)).toEqual({
    token: '(hidden)',
    channel: 'C1',
    empty: null,
    user: { access_token: '(hidden)', id: 'U1' },
    upload_url: '(hidden)',
    url: 'wss://a.example/link?ticket=(hidden)&app_id=A1',
    file: '(3 bytes)',
  });
});

test('a copy has a limited size, and says what it leaves out', () => {
  const deep: { next?: object } = {};
  let inner = deep;
  for (let depth = 0; depth < 100; depth += 1) inner = inner.next = {};
  const wide = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => 'x'));
  const copy = shorten({ text: 'x'.repeat(1e6), wide, deep }) as { text: string; wide: unknown[] };
  expect(copy.text).toMatch(/^x{4000}… 996000 more characters$/);
  expect(copy.wide.at(-1)).toBe('… 950 more');
  expect(JSON.stringify(copy).length).toBeLessThan(20_000);
});
