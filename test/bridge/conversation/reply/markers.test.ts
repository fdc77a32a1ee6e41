import { expect, test } from 'vitest';
import { numberMarkers } from '../../../../src/bridge/conversation/reply/reply-contents.ts';

const known = new Set(['1.1', '2.1']);

test.each([
  ['a fence of tildes', '~~~py\nx = [0.5]\n~~~\n'],
  ['a fence of tildes that is still open', '~~~py\nx = [0.5]\n'],
  ['a fence with a shorter one inside', '````md\n```py\nx = [0.5]\n```\ny = [0.7]\n````\n'],
  ['a fence in an item of a quote', '> - ```\n>   x = [0.5]\n>   ```\n'],
  ['a span of two backticks', '``x = [0.5]`` '],
  ['a span of two lines', '`x = [0.5]\n+ 1` '],
])('numbers in brackets stay as they are in %s', (_, code) => {
  expect(numberMarkers(code)).toEqual({ text: code, markers: [] });
  expect(numberMarkers(code, known)).toEqual({ text: code, markers: [] });
});

test('backticks that open no code hide no marker behind them', () => {
  const text = 'Type ``` and press Enter [2.1]. A tick ` is not enough [1.1].\n\nNot `so [0.9].';
  expect(numberMarkers(text, known)).toEqual({
    text: 'Type ``` and press Enter [1]. A tick ` is not enough [2].\n\nNot `so.',
    markers: ['2.1', '1.1'],
  });
});

test('behind code, markers are numbered', () => {
  const text = '```\n[0.5]\n```\nSo [2.1].\n~~~\n[0.5]\n~~~\nAnd ``[0.5]`` [1.1].';
  expect(numberMarkers(text, known)).toMatchObject({ markers: ['2.1', '1.1'] });
});
