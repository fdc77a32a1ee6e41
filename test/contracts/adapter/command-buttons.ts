import { describe, expect, test } from 'vitest';
import type { Pressed, Result } from '../../../src/bridge/commands/invocation.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { tell } from './example-commands.ts';
import { type OpenSeat, textsOf } from './seat.ts';

/** The buttons of results. */
export function describeCommandButtons(open: OpenSeat): void {
  describe('buttons of results', () => {
    test.each([
      ['in place of the result', 'here', ['Page 2'], ['Page 2']],
      ['to everyone in the channel', 'channel', ['Page 1', 'Page 2'], ['Page 1', 'Page 2']],
      ['beside the result, to the person who pressed', 'private', ['Page 1'], ['Page 1', 'Page 2']],
    ] as const)(
      'a press is acknowledged at once, and what it shows appears %s',
      async (_, place, everyone, presser) => {
        const pressed = Promise.withResolvers<Pressed>();
        const commands = createPlainRunner({
          commands: [tell],
          async *run() {
            yield { markdown: 'Page 1', buttons: [{ id: 'next', label: 'Next' }] };
          },
          press: () => pressed.promise,
        });
        await using seat = await open({ commands });
        const channel = seat.channel('general');
        await seat.use({ by: 'ada', in: channel, command: 'tell', values: { question: 'Why?' } });
        await seat.shown('ada', { channel }, /^Page 1/);
        expect(await seat.press('grace', { channel }, 'Next')).toBe(true);
        pressed.resolve({ place, results: shown('Page 2') });
        await seat.shown('grace', { channel }, /^Page 2/);
        expect(textsOf(seat.seen('ada', { channel }))).toEqual(everyone);
        expect(textsOf(seat.seen('grace', { channel }))).toEqual(presser);
      },
    );
  });
}

async function* shown(markdown: string): AsyncGenerator<Result> {
  yield { markdown };
}
