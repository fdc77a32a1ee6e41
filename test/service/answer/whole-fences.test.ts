import { expect, test } from 'vitest';
import { withWholeFences } from '../../../src/service/answer/extractive.ts';

test('code that began before the excerpt is opened', () => {
  expect(withWholeFences('  app.ts\n```\n\nArrows')).toBe('```\n  app.ts\n```\n\nArrows');
});

test('code that goes on after the excerpt is closed', () => {
  expect(withWholeFences('So:\n\n```sh\nnpm start')).toBe('So:\n\n```sh\nnpm start\n```');
  expect(withWholeFences('~~~\na')).toBe('~~~\na\n~~~');
});

test('whole code, and text without any, stay as they are', () => {
  for (const text of ['plain', '```\na\n```', 'So:\n\n```sh\nnpm start\n```\n\nThen.']) {
    expect(withWholeFences(text)).toBe(text);
  }
});
