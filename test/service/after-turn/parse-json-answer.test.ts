import { expect, test } from 'vitest';
import { parseJsonAnswer } from '../../../src/service/after-turn/parse-json-answer.ts';

test.each([
  '{"a": {"b": 1}}',
  'Here you are:\n```json\n{"a": {"b": 1}}\n```\nAnything else?',
  '<think>A set {like this}?</think>{"a": {"b": 1}}',
])('finds the object in %j', (text) => {
  expect(parseJsonAnswer(text)).toEqual({ a: { b: 1 } });
});

test.each(['', 'none', '[1]', '{"a": ', 'null', '}{'])('finds none in %j', (text) => {
  expect(parseJsonAnswer(text)).toBeUndefined();
});
