import { describe, expect, test } from 'vitest';
import type { CommandRunner, Result } from '../../../src/bridge/commands/invocation.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';
import { startSlack } from './start-slack.ts';

/** A workspace whose commands give these results. */
async function start(
  results: readonly Partial<Result>[],
  { change = {}, trusted = true }: { change?: Partial<CommandRunner>; trusted?: boolean } = {},
) {
  const parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace());
  const { slack } = served;
  const commands: CommandRunner = {
    ...exampleRunner(async function* () {
      yield* [];
    }),
    async *run() {
      for (const result of results) {
        yield { markdown: '', ...result };
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    ...change,
  };
  slack.install(JSON.parse(renderManifest(commands, { mode: 'socket' })));
  // An address elsewhere is not trusted, so that nothing is answered at a response_url.
  const trustedOrigins = trusted ? undefined : { trustedOrigins: [] };
  parts.use(await startSlack(slack, 'socket', { commands, ...trustedOrigins }));
  return { ...served, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** The bot's next words to somebody: for them alone, or in a direct message. */
async function told(slack: SlackWorkspace, pattern: RegExp) {
  const change = await slack.waitFor(
    (each) =>
      (each.kind === 'ephemeral' || each.kind === 'message') &&
      pattern.test(plainText(each.message)),
  );
  return change.kind === 'ephemeral' || change.kind === 'message' ? change : undefined;
}

describe('an answer at a response_url', () => {
  test('is made of sections, with its buttons below', async () => {
    const markdown =
      '## Sources\n\n- **a** [b](https://x.example)\n- `c`\n\n| d | e |\n|---|---|\n| f | g |';
    const button = { id: 'more', label: 'More' };
    await using started = await start([{ markdown, buttons: [button] }]);
    const { slack, ada, help } = started;
    const shown = told(slack, /Sources/);
    await slack.command({ user: ada, channel: help, command: '/causeway', text: 'source list' });
    await shown;
    const [answer] = slack.ephemerals(ada, help);
    expect(answer?.blocks?.map(({ type }) => type)).toEqual(['section', 'actions']);
    expect(answer?.blocks?.[0]).toMatchObject({
      text: {
        type: 'mrkdwn',
        text: '*Sources*\n\n• *a* <https://x.example|b>\n• `c`\n\n```\nd  e\n-  -\nf  g\n```',
      },
    });
  });

  test('to a command is given twice at most, however much there is to tell', async () => {
    const results = Array.from({ length: 12 }, (_, index) => ({ markdown: `Step ${index + 1}.` }));
    await using started = await start(results);
    const { slack, ada, help } = started;
    const shown = told(slack, /Step 12/);
    await slack.command({ user: ada, channel: help, command: '/causeway', text: 'source list' });
    await shown;
    expect(slack.ephemerals(ada, help).map(plainText)).toEqual(['Step 1.', 'Step 12.']);
  });
});

describe('a rate limit of an hour', () => {
  test('sends what only the requester is told another way', async () => {
    await using started = await start([{ markdown: 'Listed.' }], { trusted: false });
    const { slack, ada, help } = started;
    slack.faults.inject({ method: 'chat.postEphemeral', times: 100, retryAfter: 3_600 });
    const written = told(slack, /Listed/);
    await slack.command({ user: ada, channel: help, command: '/causeway', text: 'source list' });
    expect(await written).toMatchObject({ kind: 'message', channel: slack.direct(ada).id });
  });

  test('on edits gives the last result a message of its own, and no other', async () => {
    const results = ['Reading.', 'Nearly.', 'Done.'].map((markdown) => ({ markdown }));
    await using started = await start(results);
    const { slack, ada, help } = started;
    slack.faults.inject({ method: 'chat.update', times: 100, retryAfter: 3_600 });
    const done = told(slack, /Done/);
    const text = 'source url https://a.example';
    await slack.command({ user: ada, channel: help, command: '/causeway', text });
    await done;
    expect(slack.messages(help).map(plainText)).toEqual(['Reading.', 'Done.']);
  });

  test('on posts sends a result to the requester', async () => {
    await using started = await start([{ markdown: 'Done.' }]);
    const { slack, ada, help } = started;
    slack.faults.inject({ method: 'chat.postMessage', times: 1, retryAfter: 3_600 });
    const done = told(slack, /Done/);
    const text = 'source url https://a.example';
    await slack.command({ user: ada, channel: help, command: '/causeway', text });
    expect(await done).toMatchObject({ kind: 'message', channel: slack.direct(ada).id });
  });
});

/** What makes the bot say something, by what it says. */
const occasions: [
  pattern: RegExp,
  act: (at: { slack: SlackWorkspace; user: string; channel: string }) => Promise<unknown>,
  change?: Partial<CommandRunner>,
][] = [
  [
    /There is no “remove” here/,
    ({ slack, ...at }) => slack.command({ ...at, command: '/causeway', text: 'source remove' }),
  ],
  [
    /What would you like to do/,
    ({ slack, ...at }) => slack.command({ ...at, command: '/causeway' }),
  ],
  [
    /Listed/,
    ({ slack, ...at }) => slack.command({ ...at, command: '/causeway', text: 'source list' }),
  ],
  [
    /the form/i,
    ({ slack, ...at }) => {
      slack.faults.inject({ method: 'views.open', times: 1, error: 'fatal_error' });
      return slack.command({ ...at, command: '/causeway', text: 'source upload' });
    },
  ],
  [
    /This message has no files/,
    async ({ slack, ...at }) => {
      const { ts } = await slack.say({ ...at, text: 'no files' });
      return slack.shortcut({ ...at, ts, callbackId: 'causeway_shortcut_source_upload' });
    },
  ],
];

describe.each(occasions)('what only the requester is told: %s', (pattern, act, change) => {
  test('comes by another way where the first is closed, and by a direct message at last', async () => {
    await using started = await start([{ markdown: 'Listed.' }], { change, trusted: false });
    const { slack, ada: user, help, random } = started;
    const whispered = told(slack, pattern);
    await act({ slack, user, channel: help });
    expect(await whispered).toMatchObject({ kind: 'ephemeral', channel: help });

    const written = told(slack, pattern);
    await act({ slack, user, channel: random });
    expect(await written).toMatchObject({ kind: 'message', channel: slack.direct(user).id });
  });
});
