import { describe, expect, it } from 'vitest';
import { createReasoningFilter } from '../../../src/service/model/completion.ts';
import { cpuMsOf } from '../../fixtures/growth.ts';

function filter(pieces: readonly string[]): string {
  const reasoning = createReasoningFilter();
  return [...pieces.map((piece) => reasoning.push(piece)), reasoning.end()].join('');
}

describe('the reasoning filter', () => {
  it.each([
    ['<think>Hm.</think>At nine.', 'At nine.'],
    ['\n <think>\nHm [1.1] <b> </thi </thinking>\n</think>\n\nAt nine [1.1].', 'At nine [1.1].'],
    ['<think></think>\n\nAt nine.', 'At nine.'],
    ['<think>Hm.</think>\n<think>Hm again.</think>\nAt nine.', 'At nine.'],
    ['<Thinking>İİ Hm.</THINKING>At nine.', 'At nine.'],
    ['[THINK]Hm.[/THINK]At nine.', 'At nine.'],
    ['<think>Hm, and no end', ''],
    ['<think>', ''],
    ['<thi', '<thi'],
    ['<thin paper> at nine', '<thin paper> at nine'],
    ['  indented, at nine', '  indented, at nine'],
    ['At nine. <think>No reasoning.</think>', 'At nine. <think>No reasoning.</think>'],
    ['[1.1] says: at nine', '[1.1] says: at nine'],
    [' \n ', ''],
    ['', ''],
  ])('shows of %j only the text, wherever it is cut', (text, shown) => {
    expect(filter([text])).toBe(shown);
    expect(filter(text.split(''))).toBe(shown);
    for (let cut = 0; cut <= text.length; cut++) {
      expect(filter([text.slice(0, cut), text.slice(cut)])).toBe(shown);
    }
  });

  it('passes text on at once', () => {
    const reasoning = createReasoningFilter();
    expect(reasoning.push('<think>Hm.</think>\n')).toBe('');
    expect(reasoning.push('At')).toBe('At');
    expect(reasoning.push(' <think>')).toBe(' <think>');
  });

  it('takes time that grows with the text alone, whatever is in it', () => {
    const pieces = Array.from({ length: 50_000 }, () => '</thin');
    const blanks = Array.from({ length: 50_000 }, () => ' ');
    const cpuMs = cpuMsOf(() => {
      expect(filter(['<think>', ...pieces])).toBe('');
      expect(filter([...blanks, 'x'])).toHaveLength(50_001);
      expect(filter([`<think>${'<'.repeat(1_000_000)}`])).toBe('');
    });
    expect(cpuMs).toBeLessThan(3000);
  });
});
