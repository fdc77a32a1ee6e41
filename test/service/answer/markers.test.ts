import { expect, test } from 'vitest';
import { createMarkerFilter } from '../../../src/service/answer/markers.ts';

function filter(parts: string[], known: string[] = ['1.1', '2.2']) {
  const markers = createMarkerFilter(new Set(known));
  const text = parts.map((part) => markers.push(part)).join('') + markers.end();
  return { text, used: [...markers.used] };
}

test.each([
  ['At nine [1.1].', 'At nine [1.1].', ['1.1']],
  ['At nine [7.3].', 'At nine.', []],
  [
    'In [3.9](https://a.example/3.9) [1.1](so).',
    'In [3.9](https://a.example/3.9) [1.1](so).',
    ['1.1'],
  ],
  ['In [1.1](<http://a.example>) [7.3](', 'In [1.1](<http://a.example>)(', []],
  ['Both [1.1, 2.2; 7.3].', 'Both [1.1][2.2].', ['1.1', '2.2']],
  ['None [7.3, 7.4].', 'None.', []],
  ['Wide【2.2】.', 'Wide[2.2].', ['2.2']],
  ['A [link](u), a [1], a [1. half', 'A [link](u), a [1], a [1. half', []],
  ['Code `x [7.3]` and [7.3]', 'Code `x [7.3]` and', []],
  ['```py\nx = [7.3, 7.4]\n```\n[7.3, 7.4]', '```py\nx = [7.3, 7.4]\n```\n', []],
  ['The interval is [0.5, 1.5].', 'The interval is [0.5, 1.5].', []],
  ['Between [1.1, 9.80], [11.2] and [1.05].', 'Between [1.1, 9.80], [11.2] and [1.05].', []],
  ['Wide【0.5】, and [10.10].', 'Wide【0.5】, and.', []],
  ['````\n```\n[7.3]\n````\n[1.1]', '````\n```\n[7.3]\n````\n[1.1]', ['1.1']],
  ['A ` stray.\n\nNew [7.3].', 'A ` stray.\n\nNew.', []],
])('%j becomes %j', (text, expected, used) => {
  expect(filter([text])).toEqual({ text: expected, used });
});

test('the filter gives the same, however the text is cut', () => {
  const text =
    'At nine [1.1]. See [7.3], [1.1, 9.9] or [0.5, 1.1]\n\nIn [3.9](https://a.example), [1.1](<http://a.example>) and [1.1](he).\n\n```py\nx = [7.3]\n```\nA `[7.3]` b `c\n\nd [2.2] [1.';
  const whole = filter([text]);
  expect(filter(text.split(''))).toEqual(whole);
  for (let at = 1; at < text.length; at++) {
    expect(filter([text.slice(0, at), text.slice(at)])).toEqual(whole);
  }
});

test('the filter holds back no more than what may be a marker', () => {
  const markers = createMarkerFilter(new Set(['1.1']));
  expect(markers.push('At nine ')).toBe('At nine');
  expect(markers.push('[1')).toBe('');
  expect(markers.push('.1]')).toBe('');
  expect(markers.push('(')).toBe('');
  expect(markers.push('so)')).toBe(' [1.1](so)');
  expect(markers.push(' or [not a marker')).toBe(' or [not a marker');
});
