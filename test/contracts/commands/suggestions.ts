import { expect, test, vi } from 'vitest';
import type { Option } from '../../../src/bridge/commands/option.ts';
import type { NamedAction } from './completeness.ts';
import type { World } from './world.ts';
import { patience } from '../../fixtures/patience.ts';

/** What is there from the start, and so is offered whenever something is typed. */
const fromTheStart: Partial<Record<string, { typed: string; offered: RegExp }>> = {
  source: { typed: 'always', offered: /^Always known/ },
  tag: { typed: 'always', offered: /^Always there/ },
  agent: { typed: 'general', offered: /^General Q&A/ },
  chatbot: { typed: '', offered: /./ },
  gap: { typed: 'always', offered: /^Is it always open/ },
};

/** What can be referred to is offered by its name, while it is typed. */
export function testSuggestions({ words, action }: NamedAction, world: () => World): void {
  const references = Object.entries<Option>(action.options).flatMap(([name, option]) =>
    option.type === 'reference' && option.required ? [{ name, to: option.to }] : [],
  );
  for (const { name, to } of references) {
    const expected = fromTheStart[to];
    test(`offers names of what ${name} can be`, async () => {
      if (!expected) throw new Error(`nothing is there to suggest for a ${to}`);
      const { manager } = world();
      // What was read a few seconds ago is offered again.
      await vi.waitUntil(async () => {
        const offered = await manager.suggestions(words, name, expected.typed);
        return offered.some((each) => expected.offered.test(each));
      }, patience);
      expect(await manager.suggestions(words, name, 'nothing is called that')).toEqual([]);
    });
  }
}
