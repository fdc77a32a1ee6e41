import { describe, expect, test } from 'vitest';
import type { Invocation, Result } from '../../../src/bridge/commands/invocation.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { session } from './example-commands.ts';
import { type OpenSeat, textsOf } from './seat.ts';

/** Commands that are said to the bot, in a thread or directly. */
export function describeMentionCommands(open: OpenSeat): void {
  /** A thread of the bot's, and commands that show this. */
  async function openThread(result: Result) {
    const given: Invocation[] = [];
    const commands = createPlainRunner({
      commands: [session],
      async *run(invocation) {
        given.push(invocation);
        yield result;
      },
    });
    const seat = await open({ commands });
    const { core, mention } = seat;
    const channel = seat.channel('general');
    const thread = await seat.say('ada', { channel }, `${mention} Hello`);
    await (await core.messages.next()).thread.post({ markdown: 'The thread begins.' });
    const place = { channel, thread };
    /** Says it and does what the core does with a command. */
    async function give(text: string, at: { channel: string; thread?: string } = place) {
      const id = await seat.say('ada', at, text);
      const message = await core.messages.find((each) => each.id === id);
      await message.command?.();
      return message;
    }
    return Object.assign(seat, { given, place, give });
  }

  const files = [{ name: 'session.json', text: '{}' }];

  describe('commands that are said', () => {
    test('a command in a thread acts upon it, and its file goes to its author alone', async () => {
      await using seat = await openThread({ markdown: 'Exported.', files });
      const { place, mention } = seat;
      const { text } = await seat.give(`${mention} /session export format:json`);
      expect(text).toBe('/session export format:json');
      expect(seat.given).toMatchObject([
        {
          command: 'session',
          action: 'export',
          values: { format: 'json' },
          context: { requester: seat.person('ada'), thread: place },
        },
      ]);
      const channel = seat.direct('ada');
      const [answer] = seat.seen('ada', { channel });
      expect(answer?.text).toMatch(/^Exported\.\s+.*others can read the channel/);
      expect(seat.seen('ada', { channel }).flatMap((seen) => seen.files)).toEqual(['session.json']);
      const inThread = seat.seen('grace', place);
      expect(textsOf(inThread).join()).not.toContain('Exported.');
      expect(inThread.flatMap((seen) => seen.files)).toEqual([]);
    });

    test('an option that is not there is told to its author alone', async () => {
      await using seat = await openThread({ markdown: '' });
      await seat.give(`${seat.mention} /session export --colour red`);
      // Discord can't hide a message in a channel.
      const isSlack = seat.platform.name === 'slack';
      const place = isSlack ? seat.place : { channel: seat.direct('ada') };
      const { text } = await seat.shown('ada', place, /There is no option/);
      expect(text).toContain('There is no option --colour here.');
      expect(textsOf(seat.seen('grace', seat.place)).join()).not.toContain('There is no option');
      expect(seat.given).toEqual([]);
    });

    test('channels and people reach a command by their ids, and other text has names', async () => {
      await using seat = await openThread({ markdown: 'Noted.' });
      const [general, grace] = [seat.channel('general'), seat.person('grace')];
      const note = `ask <@${grace.id}> in <#${general}>`;
      await seat.give(
        `${seat.mention} session notify --channel <#${general}> --person <@${grace.id}> --note "${note}"`,
      );
      const { values } = seat.given[0] ?? {};
      expect(values).toMatchObject({ channel: general, person: grace.id });
      expect(values?.['note']).toMatch(/^ask @[^<>]+ in #[^<>]+$/);
    });

    test('a mistyped command is no question, and its author is told what may have been meant', async () => {
      await using seat = await openThread({ markdown: '' });
      const isSlack = seat.platform.name === 'slack';
      const place = isSlack ? seat.place : { channel: seat.direct('ada') };
      await seat.give(`${seat.mention} /sesion export`);
      const { text } = await seat.shown('ada', place, /Did you mean/);
      expect(text).toMatch(/^There is no “sesion” here\. Did you mean .*session export.*\?/);
      expect(textsOf(seat.seen('grace', seat.place)).join()).not.toContain('Did you mean');
      expect(seat.given).toEqual([]);
      expect((await seat.give(`${seat.mention} /etc is full`)).command).toBeUndefined();
    });

    test('a question stays one, and so does what is overheard', async () => {
      await using seat = await openThread({ markdown: '' });
      expect((await seat.give(`${seat.mention} session limits?`)).command).toBeUndefined();
      expect((await seat.give('session export')).command).toBeUndefined();
    });

    test('a command that is forwarded is a question', async () => {
      await using seat = await openThread({ markdown: 'Exported.' });
      const channel = seat.direct('ada');
      const { id, command } = await seat.give('session export', { channel });
      expect(command).toBeDefined();
      const forward = await seat.forward('ada', { channel, id }, channel);
      const forwarded = await seat.core.messages.find((message) => message.id === forward);
      expect(forwarded.text).toBe('session export');
      expect(forwarded.command).toBeUndefined();
    });

    test('a message that is edited to a command is marked as one', async () => {
      await using seat = await openThread({ markdown: '' });
      const { place, mention } = seat;
      const { id } = await seat.give(`${mention} Hi`);
      await seat.edit('ada', { ...place, id }, `${mention} session export`);
      expect((await seat.core.edits.next()).command).toBeDefined();
    });
  });
}
