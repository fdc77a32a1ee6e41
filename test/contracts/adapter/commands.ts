import { describe, expect, test } from 'vitest';
import {
  type CommandRunner,
  findAction,
  type Invocation,
  type Result,
} from '../../../src/bridge/commands/invocation.ts';
import { explainError } from '../../../src/bridge/conversation/errors.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { namingCommand } from '../../fixtures/naming-command.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { runAction } from '../../fixtures/run-action.ts';
import { ask, tell, upload } from './example-commands.ts';
import { type AdapterOptions, type OpenSeat, textsOf, type Use } from './seat.ts';

const commands = [ask, tell, upload, namingCommand];
const values = { question: 'Why?' };

/** The slash commands and their results. */
export function describeCommands(open: OpenSeat): void {
  /** Commands that do this, and what they were given. */
  async function openCommands(
    run: (invocation: Invocation) => AsyncIterable<string | Result>,
    { press, ...options }: AdapterOptions & { press?: CommandRunner['press'] } = {},
  ) {
    const given: Invocation[] = [];
    const runner = createPlainRunner({
      commands,
      press,
      run(invocation) {
        given.push(invocation);
        return run(invocation);
      },
    });
    const seat = await open({ commands: runner, ...options });
    const use = (command: string, more: Partial<Use> = {}) =>
      seat.use({ by: 'grace', in: seat.channel('help'), command, values, ...more });
    return Object.assign(seat, { given, runner, useCommand: use });
  }

  async function* sayResults(markdown: string) {
    yield { markdown };
  }

  async function* sayDone() {
    yield 'Working …';
    yield 'Done.';
  }

  async function* askThere({ context, values }: Invocation) {
    try {
      const { question } = values;
      if (typeof question === 'string') yield `Asked, ${await context.ask(question)}.`;
    } catch (error) {
      yield explainError(error, english);
    }
  }

  describe('commands', () => {
    test('only the requester sees a private result, and the last text last', async () => {
      await using seat = await openCommands(sayDone);
      const channel = seat.channel('help');
      await seat.useCommand('ask');
      await seat.shown('grace', { channel }, /^Done/);
      expect(textsOf(seat.seen('grace', { channel })).at(-1)).toBe('Done.');
      expect(seat.seen('ada', { channel })).toEqual([]);
      const { name: platform } = seat.platform;
      const context = {
        requester: seat.person('grace'),
        platform,
        workspace: seat.workspace,
        channel,
        locale: 'en-US',
      };
      expect(seat.given).toMatchObject([{ command: 'ask', values, context }]);
    });

    test('a public result is one message for everyone, edited in place', async () => {
      await using seat = await openCommands(sayDone);
      const channel = seat.channel('help');
      await seat.useCommand('tell');
      await seat.shown('ada', { channel }, /^Done/);
      expect(textsOf(seat.seen('ada', { channel }))).toEqual(['Done.']);
    });

    test('what concerns only the requester is theirs alone, and replaces what all saw', async () => {
      const pause = Promise.withResolvers<void>();
      await using seat = await openCommands(async function* refuse() {
        yield 'Adding it …';
        await pause.promise;
        yield { markdown: 'This can’t be added.', isPrivate: true };
      });
      const channel = seat.channel('help');
      await seat.useCommand('tell');
      await seat.shown('ada', { channel }, /^Adding it/);
      pause.resolve();
      await seat.shown('grace', { channel }, /^This can’t be added/);
      expect(textsOf(seat.seen('grace', { channel }))).toEqual(['This can’t be added.']);
      expect(seat.seen('ada', { channel })).toEqual([]);
    });

    test('a private question goes when its answer is for everyone', async () => {
      const press: CommandRunner['press'] = async () => ({
        place: 'instead',
        at: { channel: seat.channel('help') },
        results: sayResults('Added.'),
      });
      await using seat = await openCommands(
        async function* ask() {
          const buttons = [{ id: 'yes', label: 'Add it' }];
          yield { markdown: 'Really?', buttons, isPrivate: true };
        },
        { press },
      );
      const channel = seat.channel('help');
      await seat.useCommand('tell');
      await seat.shown('grace', { channel }, /^Really/);
      expect(seat.seen('ada', { channel })).toEqual([]);
      await seat.press('grace', { channel }, 'Add it');
      await seat.shown('ada', { channel }, /^Added/);
      expect(textsOf(seat.seen('grace', { channel }))).toEqual(['Added.']);
    });

    test('a refusal is private even where results are public', async () => {
      await using seat = await openCommands(async function* refuse() {
        yield 'Only managers can.';
      });
      seat.runner.mayUse = async () => false;
      const channel = seat.channel('help');
      await seat.useCommand('tell');
      await seat.shown('grace', { channel }, /^Only managers/);
      expect(seat.seen('ada', { channel })).toEqual([]);
    });

    test('a file is read from the platform, with the name its owner gave it', async () => {
      await using seat = await openCommands(async function* read({ values, context }) {
        const [file] = typeof values['file'] === 'object' ? [values['file']].flat() : [];
        if (!file) throw new Error('There is no file.');
        const parts: Uint8Array[] = [];
        for await (const part of file.read(context.signal)) parts.push(part);
        const text = Buffer.concat(parts).toString();
        yield `Read ${file.name}, ${file.size} bytes, ${file.contentType}: ${text}`;
      });
      const bytes = Buffer.from('Grüße');
      const file = { name: 'Übersicht 2026.md', bytes, type: 'text/markdown' };
      await seat.useCommand('upload', { values: {}, file });
      const { text } = await seat.shown('ada', { channel: seat.channel('help') }, /^Read/);
      expect(text).toBe('Read Übersicht 2026.md, 7 bytes, text/markdown: Grüße');
    });

    test('a command under way is told when the platform closes, and can say how it ended', async () => {
      await using seat = await openCommands(async function* wait({ context }) {
        yield 'Working …';
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        yield 'Stopped.';
      });
      const place = { channel: seat.channel('help') };
      await seat.useCommand('tell');
      await seat.shown('ada', place, /^Working/);
      await seat.platform[Symbol.asyncDispose]();
      expect(textsOf(seat.seen('ada', place))).toEqual(['Stopped.']);
    });

    test('channels, people and groups come by their ids, and have names', async () => {
      await using seat = await openCommands(({ command, values, context }) => {
        const action = findAction(commands, command);
        if (!action) throw new Error('There is no such command.');
        return textOf(runAction(action, context, values));
      });
      const { name, id: group } = seat.group;
      const person = seat.person('linus');
      const named = { channel: '#help', person: '@linus', group: name };
      await seat.useCommand('name', { values: named });
      const channel = seat.channel('help');
      const { text } = await seat.shown('grace', { channel }, /^You named/);
      expect(text).toBe(`You named #help, ${person.name}, ${name}.`);
      expect(seat.given).toMatchObject([{ values: { channel, person: person.id, group } }]);
    });

    test('a question is posted for everyone, and answered in a thread of its own', async () => {
      await using seat = await openCommands(askThere);
      const channel = seat.channel('help');
      const question = 'Who is *this*, @everyone?';
      await seat.useCommand('ask', { values: { question } });
      const { id, thread, ...message } = await seat.core.messages.next();
      const author = seat.person('grace');
      expect(message).toMatchObject({ text: question, addressed: 'mention', author });
      expect(thread.address).toMatchObject({ channel, thread: id });
      await seat.shown('grace', { channel }, /^Asked, thread/);
      const [posted] = seat.seen('ada', { channel });
      expect(posted).toMatchObject({ id, pings: [] });
      expect(posted?.text).toMatch(new RegExp(`${author.name}\\W+asks`));
      await thread.post({ markdown: 'Nobody.' });
      const replies = textsOf(seat.seen('ada', { channel, thread: id }));
      expect(replies.at(-1)).toBe('Nobody.');
    });

    test('a question that hits a rate limit is posted when the limit has passed', async () => {
      const pauses: number[] = [];
      const sleep = async (ms: number) => void pauses.push(ms);
      await using seat = await openCommands(askThere, { sleep });
      seat.faults.inject({ method: seat.post, times: 2, retryAfter: 7 });
      await seat.useCommand('ask');
      expect(await seat.core.messages.next()).toMatchObject({ text: 'Why?' });
      expect(seat.seen('ada', { channel: seat.channel('help') })).toHaveLength(1);
      expect(pauses.filter((ms) => ms >= 7_000)).toHaveLength(2);
    });

    test('where the bot may not write, a question says what to do', async () => {
      await using seat = await openCommands(askThere);
      const channel = seat.closed;
      await seat.useCommand('ask', { in: channel });
      const { text } = await seat.shown('grace', { channel }, /./);
      expect(text).toMatch(/Invite me with “\/invite”|“Send Messages” in #readonly.*grant/);
      expect(seat.seen('ada', { channel })).toEqual([]);
    });
  });
}

async function* textOf(results: AsyncIterable<{ markdown: string }>): AsyncGenerator<string> {
  for await (const { markdown } of results) yield markdown;
}
