import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { source } from './example-commands.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { startSlack } from './start-slack.ts';

const tag: Command = {
  name: 'tag',
  description: 'tag',
  actions: {
    update: defineAction({
      description: 'tag update',
      shownTo: 'private',
      options: {
        tag: { type: 'reference', to: 'tag', description: 'tag name', required: true },
        name: { type: 'text', description: 'tag new name', maxLength: 20 },
        hidden: { type: 'boolean', description: 'agent all-sources' },
        size: { type: 'number', min: 1, max: 9, whole: true, description: 'agent temperature' },
        kind: { type: 'choice', choices: ['new', 'old'], description: 'agent type' },
        sources: { type: 'reference', to: 'source', many: true, description: 'tag sources' },
      },
      async *run() {
        yield* [];
      },
      initialValues: () => ({}),
    }),
  },
};

const present = { name: 'Lamps', hidden: 'true', size: '3', kind: 'old', sources: 's1, s2' };
const suggestions: Record<string, { label: string; value: string; name: string }[]> = {
  tag: [{ label: 'Lamps · today', value: 't1', name: 'Lamps' }],
  sources: ['s1', 's2', 's3'].map((value) => ({ label: value, value, name: value })),
};

test('a change first asks for the thing, then shows its current values, and submits them all', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const heard = createInbox<Record<string, unknown>>();
  const runner = {
    ...createPlainRunner({
      commands: [tag],
      async *run({ values }) {
        heard.put(values);
        yield 'Done.';
      },
      complete: async ({ option }) => suggestions[option] ?? [],
    }),
    prefill: async ({ values }: { values: object }) =>
      'tag' in values ? { ...present, tag: 't1' } : {},
  };
  await using _ = await startSlack(slack, 'socket', { commands: runner });

  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update' });
  await open;
  const which = slack.modals(ada)[0];
  expect(which?.blocks.map(({ block_id: id }) => id)).toEqual(['tag']);
  const offered = await slack.suggest({
    user: ada,
    view: which?.id ?? '',
    actionId: 'tag',
    typed: 'lam',
  });
  expect(offered).toMatchObject([{ value: 't1', text: { text: 'Lamps · today' } }]);
  await slack.submit({ user: ada, view: which?.id ?? '', values: { tag: 't1' } });

  const full = slack.modals(ada)[0];
  expect(full?.blocks.map(({ block_id: id }) => id)).toEqual([
    'tag',
    'name',
    'hidden',
    'size',
    'kind',
    'sources',
  ]);
  await slack.submit({
    user: ada,
    view: full?.id ?? '',
    values: { name: 'Oil lamps', kind: 'new' },
  });
  expect(await heard.next()).toEqual({
    tag: 't1',
    name: 'Oil lamps',
    hidden: 'yes',
    size: '3',
    kind: 'new',
    sources: 's1, s2',
  });
});

test('a change of a thing that is not named yet keeps the new values', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const runner = createPlainRunner({
    commands: [tag],
    async *run() {
      yield 'Done.';
    },
  });
  await using _ = await startSlack(slack, 'socket', { commands: runner });
  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update --name Lamps' });
  await open;
  const form = slack.modals(ada)[0];
  expect(form?.blocks[1]).toMatchObject({ element: { initial_value: 'Lamps' } });
});

test('menus show typed and current values by label, however many there are', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const asked: string[] = [];
  const many = Array.from({ length: 300 }, (_, index) => ({
    label: `Source ${index} · today`,
    value: `s${index}`,
    name: `Source ${index}`,
  }));
  const runner = {
    ...createPlainRunner({
      commands: [tag],
      async *run() {
        yield 'Done.';
      },
      async complete({ option, typed, limit: most = 25 }) {
        asked.push(`${option}:${typed}`);
        if (option === 'tag') return suggestions['tag'] ?? [];
        return many.filter(({ value, name }) => `${value} ${name}`.includes(typed)).slice(0, most);
      },
    }),
    prefill: async () => ({ tag: 'lamps', sources: 's250, s7, Nowhere' }),
  };
  await using _ = await startSlack(slack, 'socket', { commands: runner });
  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update lamps' });
  await open;
  const view = slack.modals(ada)[0];
  const elements = view?.blocks.map(({ element }) => element);
  expect(elements).toEqual(
    expect.arrayContaining([
      {
        type: 'external_select',
        action_id: 'tag',
        min_query_length: 0,
        initial_option: { text: { type: 'plain_text', text: 'Lamps · today' }, value: 't1' },
      },
      {
        type: 'multi_external_select',
        action_id: 'sources',
        min_query_length: 0,
        initial_options: [
          { text: { type: 'plain_text', text: 'Source 250 · today' }, value: 's250' },
          { text: { type: 'plain_text', text: 'Source 7 · today' }, value: 's7' },
          { text: { type: 'plain_text', text: 'Nowhere' }, value: 'Nowhere' },
        ],
      },
    ]),
  );
  asked.length = 0;
  const typing = { user: ada, view: view?.id ?? '', actionId: 'sources' };
  expect(await slack.suggest({ ...typing, typed: '' })).toHaveLength(100);
  expect(await slack.suggest({ ...typing, typed: 'Source 29' })).toHaveLength(11);
  expect(asked).toEqual(['sources:', 'sources:Source 29']);
});

test('current values that take longer than Slack waits are left out: the form has what was typed', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const runner = {
    ...createPlainRunner({
      commands: [tag],
      async *run() {
        yield 'Done.';
      },
    }),
    prefill: () => new Promise<never>(() => undefined),
  };
  // All waits are over at once.
  const options = { commands: runner, sleep: async () => undefined };
  await using _ = await startSlack(slack, 'socket', options);
  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update Oil, lamps' });
  await open;
  expect(slack.modals(ada)[0]?.blocks.map(({ element }) => element)).toMatchObject([
    { initial_option: { text: { text: 'Oil, lamps' }, value: 'Oil, lamps' } },
    { action_id: 'name' },
    { action_id: 'hidden' },
    { action_id: 'size' },
    { action_id: 'kind' },
    { action_id: 'sources' },
  ]);
});

test('the form with the current values comes well before Slack stops waiting', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const runner = {
    ...createPlainRunner({
      commands: [tag],
      async *run() {
        yield 'Done.';
      },
      complete: async ({ option }) => suggestions[option] ?? [],
    }),
    prefill: ({ values }: { values: object }) =>
      'tag' in values ? new Promise<never>(() => undefined) : Promise.resolve({}),
  };
  // From the submission on, all waits are over at once.
  let isSubmitted = false;
  const waits: number[] = [];
  const sleep = (ms: number) =>
    isSubmitted ? Promise.resolve(void waits.push(ms)) : new Promise<never>(() => undefined);
  await using _ = await startSlack(slack, 'socket', { commands: runner, sleep });
  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update' });
  await open;
  const view = slack.modals(ada)[0]?.id ?? '';
  await slack.suggest({ user: ada, view, actionId: 'tag', typed: 'lam' });
  isSubmitted = true;
  await slack.submit({ user: ada, view, values: { tag: 't1' } });
  expect(slack.modals(ada)[0]?.blocks).toHaveLength(6);
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(2_500);
});

test('suggestions that take too long are empty, and answered in time', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const runner = {
    ...createPlainRunner({
      commands: [tag],
      async *run() {
        yield 'Done.';
      },
      complete: () => new Promise<never>(() => undefined),
    }),
  };
  // The wait for suggestions is over at once.
  await using _ = await startSlack(slack, 'socket', {
    commands: runner,
    sleep: async () => undefined,
  });
  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update' });
  await open;
  const view = slack.modals(ada)[0]?.id ?? '';
  expect(await slack.suggest({ user: ada, view, actionId: 'tag', typed: 'l' })).toEqual([]);
});

test('over HTTP, menus offer choices because the manifest has an address for them', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const runner = createPlainRunner({
    commands: [tag, source],
    async *run() {
      yield 'Done.';
    },
    complete: async ({ option }) => suggestions[option] ?? [],
  });
  const manifest = JSON.parse(
    renderManifest(runner, { mode: 'http', origin: 'https://bot.example' }),
  ) as { settings: { interactivity: { message_menu_options_url?: string } } };
  slack.install(manifest);
  await using _ = await startSlack(slack, 'http', { commands: runner });
  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/causeway', text: 'tag update' });
  await open;
  const typing = { user: ada, view: slack.modals(ada)[0]?.id ?? '', actionId: 'tag', typed: 'lam' };
  expect(await slack.suggest(typing)).toMatchObject([{ value: 't1' }]);

  delete manifest.settings.interactivity.message_menu_options_url;
  slack.install(manifest);
  expect(await slack.suggest(typing)).toEqual([]);
});
