import { expect, test } from 'vitest';
import { numberMarkers } from '../../../../src/bridge/conversation/reply/reply-contents.ts';

const known = new Set(['1.1', '2.1']);

test.each([
  ['a fence of tildes', '~~~py\nx = [0.5]\n~~~\n'],
  ['a fence of tildes that is still open', '~~~py\nx = [0.5]\n'],
  ['a fence with a shorter one inside', '````md\n```py\nx = [0.5]\n```\ny = [0.7]\n````\n'],
  ['a fence in an item of a quote', '> - ```\n>   x = [0.5]\n>   ```\n'],
  ['a span of two backticks', '``x = [0.5]`` '],
  ['a span of two lines', '`x = [0.5]\n  y` '],
  ['a fence below a backtick that opens no code', 'Tick ` so:\n```sh\necho `date` [0.5]\n```\n'],
  ['a fence with a quoted one inside', '```md\n> ```\nx = [0.5]\n```\n'],
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

test.each([
  ['another item', '- Begin with ` [2.1].\n- End with ` [1.1].'],
  ['another paragraph of Windows', 'Begin with ` [2.1].\r\n\r\nEnd with ` [1.1].'],
  ['another paragraph of a quote', '> Begin with ` [2.1].\n>\n> End with ` [1.1].'],
  ['another row', '| ` | begins [2.1] |\n| - | - |\n| ` | ends [1.1] |'],
  ['a heading', 'Begin with ` [2.1].\n## End with `\nSo [1.1].'],
  ['the end of a quote with code', '> ```\n> x\n\nSo [2.1] [1.1].'],
])('code does not reach into %s and hide a marker', (_, text) => {
  expect(numberMarkers(text, known)).toEqual({
    text: text.replace('[2.1]', '[1]').replace('[1.1]', '[2]'),
    markers: ['2.1', '1.1'],
  });
});

test('a text as long as the service may store one is numbered', () => {
  const text = `A tick \` and ${'words '.repeat(3_000_000)}[2.1]`;
  expect(numberMarkers(text, known).markers).toEqual(['2.1']);
});

test('behind code, markers are numbered', () => {
  const text = '```\n[0.5]\n```\nSo [2.1].\n~~~\n[0.5]\n~~~\nAnd ``[0.5]`` [1.1].';
  expect(numberMarkers(text, known)).toMatchObject({ markers: ['2.1', '1.1'] });
});
