import { expect, onTestFinished, test } from 'vitest';
import type { Command } from '../../../src/bridge/commands/command.ts';
import type { Invocation, Result } from '../../../src/bridge/commands/invocation.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { action } from './example-commands.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { startSlack } from './start-slack.ts';

const session: Command = {
  name: 'session',
  description: 'session',
  actions: {
    export: action({
      format: { type: 'text', description: 'session format' },
      session: { type: 'text', description: 'session name or here' },
    }),
    show: action({}),
  },
};

async function start(run: (invocation: Invocation) => Result) {
  const served = await serveWorkspace();
  onTestFinished(() => served[Symbol.asyncDispose]());
  const ran = createInbox<Invocation>();
  const pressed = createInbox<Invocation['context']>();
  const commands = createPlainRunner({
    commands: [session],
    async *run(invocation) {
      ran.put(invocation);
      yield run(invocation);
    },
    async press({ context }) {
      pressed.put(context);
      return { place: 'here', results: shown('Page 2') };
    },
  });
  const started = await startSlack(served.slack, 'socket', { commands });
  served.use(started);
  const { slack, ada, help } = served;
  const bot = `<@${slack.bot.user}>`;
  const root = await slack.say({ user: ada, channel: help, text: 'A thread' });
  /** Says something in the thread, and does what the core does with a command. */
  async function say(text: string) {
    const said = { user: ada, channel: help, thread: root.ts, text: `${bot} ${text}` };
    const { ts } = await slack.say(said);
    // Slack tells of a mention twice, and of what stood there before.
    let message = await started.next();
    while (message.id !== ts) message = await started.next();
    await message.command?.();
    return message;
  }
  return { ...served, started, ran, pressed, root: root.ts, say };
}

async function* shown(markdown: string): AsyncGenerator<Result> {
  yield { markdown };
}

test('whoever gives a command in a thread is told, for them alone, where its file is', async () => {
  const { slack, ada, help, root, ran, say } = await start(() => ({
    markdown: 'Exported.',
    files: [{ name: 'session.json', text: '{}' }],
  }));
  const whispered = slack.waitFor((change) => change.kind === 'ephemeral');
  const message = await say('/session export format:json');
  expect(message.text).toBe('/session export format:json');
  const { command, values, context } = await ran.next();
  expect([command, values]).toEqual(['session', { format: 'json' }]);
  expect(context.thread).toEqual({
    platform: 'slack',
    workspace: slack.team.id,
    channel: help,
    thread: root,
  });
  expect(await whispered).toMatchObject({
    user: ada,
    message: {
      thread_ts: root,
      text: 'I’ve sent you the file in a direct message, because that’s the only place where nobody else can see it.',
    },
  });
  const direct = slack.messages(slack.direct(ada).id);
  expect(direct.map(({ text }) => text)).toContain('Exported.');
  const filesIn = (channel: string, thread?: string) =>
    slack.messages(channel, thread).flatMap(({ files = [] }) => files.map(({ name }) => name));
  const [answer] = direct;
  expect(filesIn(slack.direct(ada).id, answer?.ts)).toEqual(['session.json']);
  expect(filesIn(help, root)).toEqual([]);
});

test('where Slack refuses a file, its author sees the text and the reason', async () => {
  const { slack, ada, say } = await start(() => ({
    markdown: 'Exported.',
    files: [{ name: 'session.json', text: '{}' }],
  }));
  slack.faults.inject({ method: 'files.getUploadURLExternal', times: 1, error: 'missing_scope' });
  const whispered = slack.waitFor((change) => change.kind === 'ephemeral');
  await say('/session export format:json');
  expect(await whispered).toMatchObject({
    user: ada,
    message: { text: expect.stringMatching(/^Exported\. ❌ The Slack app lacks the scope/) },
  });
});

test('the buttons of a command’s result work in the thread and replace the result', async () => {
  const { slack, ada, help, root, pressed, say } = await start(() => ({
    markdown: 'Page 1',
    buttons: [{ id: 'next', label: 'Next' }],
  }));
  const whispered = slack.waitFor((change) => change.kind === 'ephemeral');
  await say('session show');
  await whispered;
  const [first] = slack.ephemerals(ada, help);
  const replaced = slack.waitFor(
    (change) => change.kind === 'ephemeral' && change.message.text === 'Page 2',
  );
  await slack.press({
    user: ada,
    channel: help,
    ts: first?.ts ?? '',
    actionId: 'causeway_command_0',
  });
  expect((await pressed.next()).thread).toMatchObject({ channel: help, thread: root });
  await replaced;
  expect(slack.ephemerals(ada, help)).toMatchObject([{ text: 'Page 2', thread_ts: root }]);
});
