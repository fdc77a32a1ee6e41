import { expect, test } from 'vitest';
import { type Command, defineAction } from '../../src/commands/command.ts';
import { createPlainTable } from '../fixtures/plain-table.ts';
import { serveWorkspace } from '../sandbox/slack/serve-workspace.ts';
import { createInbox, startSlack } from './start-slack.ts';

const tag: Command = {
  name: 'tag',
  description: 'Tags',
  actions: {
    update: defineAction({
      description: 'Change a tag',
      shownTo: 'private',
      options: {
        tag: { type: 'reference', to: 'tag', description: 'Which', required: true },
        name: { type: 'text', description: 'Its name', maxLength: 20 },
        hidden: { type: 'boolean', description: 'Whether it shows' },
        size: { type: 'number', min: 1, max: 9, whole: true, description: 'How large' },
        kind: { type: 'choice', choices: ['new', 'old'], description: 'What kind' },
        sources: { type: 'reference', to: 'source', many: true, description: 'What is in it' },
      },
      async *run() {
        yield* [];
      },
      present: () => ({}),
    }),
  },
};

const present = { name: 'Lamps', hidden: 'true', size: '3', kind: 'old', sources: 's1, s2' };
const suggestions: Record<string, { label: string; value: string; name: string }[]> = {
  tag: [{ label: 'Lamps · today', value: 't1', name: 'Lamps' }],
  sources: ['s1', 's2', 's3'].map((value) => ({ label: value, value, name: value })),
};

test('a change begins by asking of what, then shows what stands there, and brings it all back', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const heard = createInbox<Record<string, unknown>>();
  const table = {
    ...createPlainTable({
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
  await using started = await startSlack(slack, 'socket', { commands: table });
  expect(started.platform.name).toBe('slack');

  const open = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  await slack.command({ user: ada, channel: help, command: '/tag', text: 'update' });
  await open;
  const which = slack.modals(ada)[0];
  expect(which?.blocks.map(({ block_id: id }) => id)).toEqual(['tag']);
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
