import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { RawValue } from '../../../src/bridge/commands/option.ts';
import type { Invocation } from '../../../src/bridge/commands/invocation.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { explainError } from '../../../src/bridge/conversation/errors.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { SlackChange } from '../../../src/sandbox/slack/model.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { exampleRunner, source } from './example-commands.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { startSlack, type Mode } from './start-slack.ts';

const modes: { mode: Mode }[] = [{ mode: 'socket' }, { mode: 'http' }];

/** A runner whose commands say what they were given, and remember it. */
function recordingRunner(texts: (invocation: Invocation) => AsyncIterable<string>) {
  const invocations = createInbox<Invocation>();
  const runner = exampleRunner((invocation) => {
    invocations.put(invocation);
    return texts(invocation);
  });
  return { runner, next: invocations.next };
}

async function* sayDone() {
  yield 'Working …';
  yield 'Done.';
}

/** Resolves when a message, for everyone or for one alone, shows a text that matches. */
function shown(slack: SlackWorkspace, pattern: RegExp) {
  return slack.waitFor(
    (change: SlackChange) =>
      (change.kind === 'message' || change.kind === 'ephemeral') &&
      pattern.test(plainText(change.message)),
  );
}

function opened(slack: SlackWorkspace) {
  return slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
}

describe.each(modes)('a slash command by $mode', ({ mode }) => {
  test('without its file opens a form, and runs with the file dropped there', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { runner, next } = recordingRunner(({ values }) => readFile(values['file']));
    await using _ = await startSlack(slack, mode, { commands: runner });
    const open = opened(slack);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'upload --title T' });
    await open;
    const [view] = slack.modals(ada);
    expect(view).toMatchObject({
      title: { text: 'Add files' },
      callback_id: 'causeway_command',
    });
    expect(view?.blocks.map((block) => [block.block_id, block['optional']])).toEqual([
      ['file', false],
      ['title', true],
    ]);
    expect(view?.blocks[1]).toMatchObject({ element: { initial_value: 'T' } });

    const read = shown(slack, /^Read/);
    const sent = await slack.submit({
      user: ada,
      view: view?.id ?? '',
      files: { file: [{ name: 'notes.md', bytes: Buffer.from('# Grüße') }] },
    });
    expect(sent).toEqual({ outcome: 'closed' });
    const { action, values, context } = await next();
    expect([action, values['title'], context.channel]).toEqual(['upload', 'T', help]);
    await read;
    expect(slack.messages(help).map(plainText)).toEqual([
      'Read notes.md of 9 bytes, text/markdown: # Grüße',
    ]);
  });
});

async function* readFile(given: RawValue | undefined) {
  const [file] = typeof given === 'object' ? [given].flat() : [];
  if (!file) throw new Error('not a file');
  const { name, size, contentType } = file;
  const content = await text(Readable.from(file.read(AbortSignal.timeout(5_000))));
  yield `Read ${name} of ${size} bytes, ${contentType}: ${content}`;
}

describe('a form', () => {
  test('asks for what is missing, with the rest filled in, and rejects wrong values', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { runner, next } = recordingRunner(sayDone);
    await using _ = await startSlack(slack, 'socket', { commands: runner });
    const open = opened(slack);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'qa Why?' });
    await open;
    const view = slack.modals(ada)[0]?.id ?? '';
    expect(await slack.submit({ user: ada, view, values: { answer: '  ' } })).toEqual({
      outcome: 'errors',
      errors: { answer: 'This field is required.' },
    });
    const done = shown(slack, /^Done/);
    const sent = await slack.submit({ user: ada, view, values: { answer: 'Because' } });
    expect(sent).toEqual({ outcome: 'closed' });
    expect((await next()).values).toEqual({ question: 'Why?', answer: 'Because' });
    await done;
    expect(slack.ephemerals(ada, help).map(plainText).at(-1)).toBe('Done.');
  });

  test('that is refused after it was sent opens again, with what was typed', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, grace, help } = served;
    const runner = createPlainRunner({
      commands: [source],
      async *run({ values }) {
        yield values['answer'] === 'Because'
          ? { markdown: 'Not known here.', isRefused: true }
          : 'Done.';
      },
    });
    await using _ = await startSlack(slack, 'socket', { commands: runner });
    const open = opened(slack);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'qa Why?' });
    await open;
    const refused = shown(slack, /^Not known here/);
    const view = slack.modals(ada)[0]?.id ?? '';
    await slack.submit({ user: ada, view, values: { answer: 'Because' } });
    await refused;
    const told = slack.ephemerals(ada, help).at(-1);
    const press = { channel: help, ts: told?.ts ?? '', actionId: 'causeway_form' };
    const reopened = opened(slack);
    await slack.press({ user: ada, ...press });
    await reopened;
    const [again] = slack.modals(ada);
    expect(again?.blocks.slice(0, 2)).toMatchObject([
      { element: { initial_value: 'Why?' } },
      { element: { initial_value: 'Because' } },
    ]);
    expect(slack.modals(grace)).toEqual([]);
    const done = shown(slack, /^Done/);
    await slack.submit({ user: ada, view: again?.id ?? '', values: { answer: 'So' } });
    await done;
  });

  test('is not opened for people who may not use the command: only they see why', async () => {
    await using served = await serveWorkspace();
    const { slack, grace, help } = served;
    const { runner } = recordingRunner(async function* refuse() {
      yield 'Only managers can.';
    });
    const commands = { ...runner, mayUse: async () => false };
    await using _ = await startSlack(slack, 'socket', { commands });
    for (const typed of ['upload', 'url https://example.com']) {
      const told = shown(slack, /^Only managers/);
      await slack.command({ user: grace, channel: help, command: '/source', text: typed });
      expect(await told).toMatchObject({ kind: 'ephemeral', user: grace });
    }
    expect(slack.modals(grace)).toEqual([]);
  });

  test('does not take a file that is too large', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { runner } = recordingRunner(sayDone);
    const options = { commands: runner, maxFileBytes: 1024 * 1024 };
    await using _ = await startSlack(slack, 'socket', options);
    const open = opened(slack);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'upload' });
    await open;
    const sent = await slack.submit({
      user: ada,
      view: slack.modals(ada)[0]?.id ?? '',
      files: { file: [{ name: 'a.txt', bytes: Buffer.alloc(1.2 * 1024 * 1024) }] },
    });
    expect(sent).toEqual({
      outcome: 'errors',
      errors: { file: expect.stringContaining('This file is 1.2 MB; the limit is 1 MB') },
    });
  });

  test('of a command that no longer exists is closed, with the reason', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { runner } = recordingRunner(sayDone);
    const before = await startSlack(slack, 'socket', { commands: runner });
    const open = opened(slack);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'qa Why?' });
    await open;
    await before[Symbol.asyncDispose]();

    await using _ = await startSlack(slack, 'socket', { commands: { ...runner, commands: [] } });
    const told = shown(slack, /This form is out of date/);
    const view = slack.modals(ada)[0]?.id ?? '';
    const sent = await slack.submit({ user: ada, view, values: { answer: 'Because' } });
    expect(sent).toEqual({ outcome: 'cleared' });
    await told;
  });

  test('that does not open is reported', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { runner } = recordingRunner(sayDone);
    await using _ = await startSlack(slack, 'socket', { commands: runner });
    slack.faults.inject({ method: 'views.open', times: 1, error: 'expired_trigger_id' });
    const told = shown(slack, /The form didn’t open/);
    await slack.command({ user: ada, channel: help, command: '/ask' });
    await told;
    expect(slack.modals(ada)).toEqual([]);
  });
});

describe('a result', () => {
  test('for everyone goes to the requester where the bot is not a member', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, random } = served;
    const { runner } = recordingRunner(sayDone);
    await using _ = await startSlack(slack, 'socket', { commands: runner });
    const done = shown(slack, /^Done/);
    await slack.command({ user: ada, channel: random, command: '/source', text: 'url https://x' });
    await done;
    expect(slack.messages(random)).toEqual([]);
    expect(slack.messages(slack.direct(ada).id).map(plainText)).toEqual([
      'Done.\n\nI can’t answer in the channel where you asked for this, so I’m answering you here.',
    ]);
  });

  test('for one person finds another way when the first is closed', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help, random } = served;
    const { runner } = recordingRunner(sayDone);
    // An address elsewhere is not trusted, so that nothing goes out by it.
    const options = { commands: runner, trustedOrigins: [] };
    await using _ = await startSlack(slack, 'socket', options);
    const whispered = shown(slack, /^Done/);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'list' });
    expect(await whispered).toMatchObject({ kind: 'ephemeral', channel: help });

    const written = shown(slack, /^Done/);
    await slack.command({ user: ada, channel: random, command: '/source', text: 'list' });
    expect(await written).toMatchObject({ kind: 'message', channel: slack.direct(ada).id });
  });

  test('of a command that does not exist tells how to use it', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { runner } = recordingRunner(sayDone);
    await using _ = await startSlack(slack, 'socket', { commands: runner });
    const told = shown(slack, /There is no “remove” here/);
    await slack.command({ user: ada, channel: help, command: '/source', text: 'remove all' });
    await told;
    expect(slack.ephemerals(ada, help).map(plainText).join()).toContain(
      `\`/source url <url> [--title "…"]\`: ${english.descriptions['source url']}`,
    );
  });
});

describe('a question asked by command', () => {
  async function* ask({ context, values }: Invocation) {
    try {
      const { question } = values;
      if (typeof question === 'string') await context.ask(question);
      yield 'Asked.';
    } catch (error) {
      yield explainError(error, english);
    }
  }

  test('says who asks by a name that formats nothing', async () => {
    await using served = await serveWorkspace();
    const { slack, records, ada, help } = served;
    const realName = '[Eve](https://evil.example)';
    records.put('slack.user', ada, { ...slack.users().find(({ id }) => id === ada), realName });
    const { runner } = recordingRunner(ask);
    await using started = await startSlack(slack, 'socket', { commands: runner });
    const asked = shown(slack, /^Asked/);
    await slack.command({ user: ada, channel: help, command: '/ask', text: 'Why?' });
    await started.next();
    await asked;
    expect(slack.messages(help).map(plainText)).toEqual([
      '**[Eve] (https://evil.example)** asks:\n\nWhy?',
    ]);
  });
});
