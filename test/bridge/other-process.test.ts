import { describe, expect, onTestFinished, test } from 'vitest';
import { type Command, defineAction } from '../../src/bridge/commands/command.ts';
import type { CommandRunner } from '../../src/bridge/commands/invocation.ts';
import { openStore } from '../../src/bridge/stores/open-store.ts';
import { english } from '../../src/bridge/texts/texts.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SlackChange } from '../../src/sandbox/slack/model.ts';
import { databases } from '../fixtures/databases.ts';
import { createPlainRunner } from '../fixtures/plain-runner.ts';
import { serveWorkspace } from '../sandbox/slack/serve-workspace.ts';
import { openCommands } from './commands/open-commands.ts';
import { openServer } from './discord/open-server.ts';
import { startSlack } from './slack/start-slack.ts';

const fields = {
  question: { type: 'text', description: 'source question', required: true },
  answer: { type: 'text', description: 'source answer', required: true },
} as const;

const source: Command = {
  name: 'source',
  description: 'source',
  actions: {
    qa: defineAction({
      description: 'source qa',
      shownTo: 'private',
      options: fields,
      async *run() {
        yield* [];
      },
    }),
  },
};

const tag: Command = {
  name: 'tag',
  description: 'tag',
  actions: {
    update: defineAction({
      description: 'tag update',
      shownTo: 'private',
      options: {
        tag: { type: 'reference', to: 'tag', description: 'tag name', required: true },
        name: { type: 'text', description: 'tag new name' },
      },
      async *run() {
        yield* [];
      },
      initialValues: () => ({}),
    }),
  },
};

/** Refuses the answer “No”, and that name. */
async function createRunner(storeUrl: string): Promise<CommandRunner> {
  const store = await openStore(storeUrl, { maxConnections: 2 });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const runner = createPlainRunner({
    commands: [source, tag],
    forms: store.keyv('form'),
    async *run({ values }) {
      const given = Object.values(values)
        .map((value) => (typeof value === 'string' ? value : 'a file'))
        .join(' ');
      yield given.endsWith(' No') ? { markdown: 'Not that.', isRefused: true } : `Done: ${given}`;
    },
  });
  return { ...runner, prefill: async (use) => ({ name: 'Lamps', ...(await runner.prefill(use)) }) };
}

describe.each(databases)('another process on one store, on $name', ({ createPlaces }) => {
  test('does once what the button below a result is for', async () => {
    const { storeUrl } = await createPlaces();
    await using one = await openCommands({ storeUrl });
    await using other = await openCommands({ storeUrl });
    const [shown] = await one.use('tag create', { name: 'Lamps', color: 'teal' });
    expect(await other.press(shown, 'Share')).toMatchObject([
      { markdown: expect.stringContaining('Lamps') },
    ]);
    expect(await one.press(shown, 'Share')).toEqual([]);
  });

  test('opens a refused form of Slack again, and runs its command', async () => {
    const { storeUrl } = await createPlaces();
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const shown = (pattern: RegExp) =>
      slack.waitFor(
        (change: SlackChange) =>
          (change.kind === 'message' || change.kind === 'ephemeral') &&
          pattern.test(plainText(change.message)),
      );
    const opened = () =>
      slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
    const one = await createRunner(storeUrl);
    await using first = await startSlack(slack, 'http', { commands: one });
    await using second = await startSlack(slack, 'http', {
      commands: await createRunner(storeUrl),
      isVerified: false,
    });
    const open = opened();
    await slack.command({ user: ada, channel: help, command: '/source', text: 'qa Why?' });
    await open;
    // What one process has opened is submitted to the other, and then the other way around.
    await slack.setRequestUrl(second.eventsUrl);
    const refused = shown(/^Not that/);
    const view = slack.modals(ada)[0]?.id ?? '';
    await slack.submit({ user: ada, view, values: { answer: 'No' } });
    await refused;
    await slack.setRequestUrl(first.eventsUrl);
    const told = slack.ephemerals(ada, help).at(-1);
    const again = opened();
    const press = { channel: help, ts: told?.ts ?? '', actionId: 'causeway_form' };
    await slack.press({ user: ada, ...press });
    await again;
    await slack.setRequestUrl(second.eventsUrl);
    const done = shown(/^Done: Why\? Because/);
    const view2 = slack.modals(ada)[0]?.id ?? '';
    await slack.submit({ user: ada, view: view2, values: { answer: 'Because' } });
    expect(await done).toBeDefined();
  });

  test('takes a form of Discord that the former holder of the shard has opened', async () => {
    const { storeUrl } = await createPlaces();
    await using server = await openServer();
    const { discord } = server;
    const one = await server.connect({ commands: await createRunner(storeUrl) });
    const opened = await discord.command({
      user: 'ada',
      channel: '#general',
      name: 'tag',
      options: [{ name: 'update', options: [{ name: 'tag', value: 't1' }] }],
    });
    expect(await opened.acknowledgement).toMatchObject({ kind: 'modal' });
    await one.platform[Symbol.asyncDispose]();
    await server.connect({ commands: await createRunner(storeUrl) });
    await discord.submit({ user: 'ada', modal: opened.id, values: { name: 'No' } });
    const general = server.channel('general');
    const told = await server.shown(general, /^Not that/);
    const [again] = told.components.flatMap(({ components = [] }) => components);
    expect(again).toMatchObject({ label: english.forms.again });
    const press = { user: 'ada', message: told.id, customId: String(again?.custom_id) };
    const pressed = discord.press(press);
    expect(await pressed.acknowledgement).toMatchObject({ kind: 'modal' });
    await discord.submit({ user: 'ada', modal: pressed.id, values: { name: 'Lights' } });
    await server.shown(general, /^Done: t1 Lights/);
  });
});
