import { describe, expect, test } from 'vitest';
import { toTexts } from '../../../src/bridge/commands/adapters/modal-values.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { SlackChange } from '../../../src/sandbox/slack/model.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { readSlashCommand } from '../../../src/bridge/slack/slash-commands.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { ask, exampleRunner, source } from './example-commands.ts';
import { createInbox } from '../../fixtures/inbox.ts';
import { startSlack } from './start-slack.ts';

const commands = [ask, source];

describe.each([
  ['by default', commandNames()],
  ['with a prefix and short names', commandNames({ prefix: 'kb-', slackShort: true })],
  ['with another name', commandNames({ slack: 'my-source' })],
])('a slash command %s', (_, names) => {
  const read = (command: string, text: string) => {
    const { command: found, ...rest } = readSlashCommand({ commands, names }, { command, text });
    return { name: found?.name, ...rest };
  };

  test('is heard by every name that a manifest may have', () => {
    const text = 'list';
    for (const typed of ['/source', '/kb-source', '/old_source', '/kbsource']) {
      expect(read(typed, text)).toEqual({ name: 'source', typed, text });
    }
    for (const typed of ['/causeway', `/${names.slack}`, '/outsource']) {
      expect(read(typed, ` Source ${text}`)).toEqual({
        name: 'source',
        typed: `${typed} source`,
        text: ' list',
      });
    }
    expect(read('/causeway', '/source list')).toMatchObject({ name: 'source', text: ' list' });
    expect(read('/causeway', '')).toEqual({ name: undefined, word: '' });
    expect(read('/causeway', 'sources list')).toEqual({ name: undefined, word: 'sources' });
  });
});

/** A workspace whose app has the commands of the manifest. */
async function openWorkspace(names = commandNames()) {
  await using parts = new AsyncDisposableStack();
  const { slack, ada, grace, help } = parts.use(await serveWorkspace());
  const ran = createInbox<string>();
  const runner = exampleRunner(async function* run({ command, action, values }) {
    ran.put([command, action, ...Object.values(toTexts(values))].filter(Boolean).join(' '));
    yield 'Done.';
  }, names);
  slack.install(JSON.parse(renderManifest(runner, { mode: 'socket' })));
  const mayUse: typeof runner.mayUse = async ({ action, context }) =>
    action !== 'upload' || context.requester.id === ada;
  parts.use(await startSlack(slack, 'socket', { commands: { ...runner, mayUse } }));
  const use = (user: string, command: string, text = '') =>
    slack.command({ user, channel: help, command, text });
  const owned = parts.move();
  return {
    slack,
    ada,
    grace,
    help,
    ran,
    use,
    /** What is whispered next that matches. */
    async whispered(pattern: RegExp) {
      const change = await slack.waitFor(
        (each: SlackChange) => each.kind === 'ephemeral' && pattern.test(plainText(each.message)),
      );
      if (change.kind !== 'ephemeral') throw new TypeError('not a whisper');
      return change.message;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The values that a menu offers, by group. */
function offered(blocks: object[] | undefined) {
  const [menu] = (blocks ?? []).flatMap((block) => ('elements' in block ? block.elements : []));
  const { option_groups: groups = [] } = menu as {
    option_groups?: { options: { value: string }[] }[];
  };
  return groups.map(({ options }) => options.map(({ value }) => value));
}

test('the one command takes the others as words, and refuses what the manifest lacks', async () => {
  await using workspace = await openWorkspace();
  const { ada, ran, use, whispered } = workspace;
  await use(ada, '/causeway', 'source url https://x');
  expect(await ran.next()).toBe('source url https://x');
  await use(ada, '/causeway', 'ask Why not?');
  expect(await ran.next()).toBe('ask Why not?');
  const refused = whispered(/`\/source` is not a valid command\. In Slack, all messages/);
  expect(await use(ada, '/source', 'list')).toBe(false);
  expect((await refused).user).toBe('USLACKBOT');
});

test('its usage is in the words that people type', async () => {
  await using workspace = await openWorkspace();
  const { ada, use, whispered } = workspace;
  const told = whispered(/There is no “remove” here/);
  await use(ada, '/causeway', 'source remove all');
  expect(plainText(await told)).toContain('/causeway source list');
});

test('alone it opens a menu of what one may do, and a choice is as good as typing it', async () => {
  await using workspace = await openWorkspace();
  const { slack, ada, grace, help, ran, use, whispered } = workspace;
  const opens = whispered(/What would you like to do/);
  await use(grace, '/causeway');
  const menu = await opens;
  expect(plainText(menu)).toContain('/causeway ask');
  expect(offered(menu.blocks)).toEqual([['ask'], ['source url', 'source qa', 'source list']]);
  const chosen = { channel: help, actionId: 'causeway_menu' };
  const done = whispered(/^Done/);
  await slack.press({ ...chosen, user: grace, ts: menu.ts, value: 'source list' });
  expect(await ran.next()).toBe('source list');
  expect((await done).ts).toBe(menu.ts);

  const again = whispered(/What would you like to do/);
  await use(ada, '/causeway', ' ');
  const { ts, blocks } = await again;
  expect(offered(blocks)[1]).toContain('source upload');
  const opened = slack.waitFor((change) => change.kind === 'modal' && change.views.length === 1);
  const renewed = whispered(/What would you like to do/);
  await slack.press({ ...chosen, user: ada, ts, value: 'ask' });
  await opened;
  // The same can be chosen again only from a menu in another block.
  const { ts: same, blocks: anew } = await renewed;
  expect([same, offered(anew)]).toEqual([ts, offered(blocks)]);
  expect(anew?.at(-1)).not.toEqual(blocks?.at(-1));
  expect(slack.modals(ada)[0]?.title.text).toBe('Ask a question');
});

test.each([
  ['sorce list', 'There is no “sorce” here. Did you mean `/causeway source list`?'],
  ['source lst', 'There is no “lst” here. Did you mean `/causeway source list`?'],
  ['what is it?', 'To ask me that, type `/causeway ask what is it?`, or mention me'],
])('/causeway %s gets a suggestion', async (typed, suggestion) => {
  await using workspace = await openWorkspace();
  const { ada, use, whispered } = workspace;
  const told = whispered(/Did you mean|To ask me that/);
  await use(ada, '/causeway', typed);
  expect(plainText(await told)).toContain(suggestion);
});

test('a word that is no command opens the menu, and says so', async () => {
  await using workspace = await openWorkspace();
  const { ada, use, whispered } = workspace;
  const told = whispered(/There is no “@sources” here/);
  await use(ada, '/causeway', '@sources list');
  expect(offered((await told).blocks)[0]).toEqual(['ask']);
});

test('short names are there where they are chosen, and texts use them', async () => {
  await using workspace = await openWorkspace(
    commandNames({ prefix: 'kb-', slack: 'guide', slackShort: true }),
  );
  const { ada, ran, use, whispered } = workspace;
  await use(ada, '/kb-source', 'list');
  expect(await ran.next()).toBe('source list');
  await use(ada, '/guide', 'source list');
  expect(await ran.next()).toBe('source list');
  const menu = whispered(/What would you like to do/);
  await use(ada, '/guide');
  expect(plainText(await menu)).toContain('/kb-ask');
});
