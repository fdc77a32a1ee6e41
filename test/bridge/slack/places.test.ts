import { describe, expect, test } from 'vitest';
import { toTexts } from '../../../src/bridge/commands/adapters/modal-values.ts';
import { explainError } from '../../../src/bridge/conversation/errors.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { plainText } from '../../../src/sandbox/slack/plain-text.ts';
import type { SlackChange } from '../../../src/sandbox/slack/model.ts';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { createClient, refusal, serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';
import { startSlack } from './start-slack.ts';

const runner = exampleRunner(async function* ask({ context, values }) {
  try {
    yield english.asked[await context.ask(toTexts(values)['question'] ?? '')];
  } catch (error) {
    yield explainError(error, english);
  }
});

async function startWorkspace() {
  await using parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace());
  const started = parts.use(await startSlack(served.slack, 'socket', { commands: runner }));
  const owned = parts.move();
  const whispered = (pattern: RegExp) =>
    served.slack.waitFor(
      (change: SlackChange) =>
        change.kind === 'ephemeral' && pattern.test(plainText(change.message)),
    );
  return {
    ...served,
    ...started,
    mention: `<@${served.slack.bot.user}>`,
    whispered,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('a conversation that is not public', () => {
  test('/ask in a direct message between two people is answered in one with the bot', async () => {
    await using workspace = await startWorkspace();
    const { slack, ada, grace, next, whispered } = workspace;
    const { id: channel } = slack.openChannel({ kind: 'im', members: [ada, grace] });
    const told = whispered(/direct message/);
    await slack.command({ user: ada, channel, command: '/causeway', text: 'ask Why?' });
    const { text, thread } = await next();
    expect([text, thread.address.channel]).toEqual(['Why?', slack.direct(ada).id]);
    const change = await told;
    expect(change).toMatchObject({ kind: 'ephemeral', user: ada, channel });
    expect(JSON.stringify(change)).not.toContain('/invite');
    await thread.post({ markdown: 'Because.' });
    const [question] = slack.messages(slack.direct(ada).id);
    expect(slack.messages(slack.direct(ada).id, question?.ts)).toHaveLength(2);
    expect(slack.messages(channel)).toEqual([]);
  });

  test('a private channel and a group message have events of their own', async () => {
    await using workspace = await startWorkspace();
    const { slack, ada, grace, next, mention } = workspace;
    const members = [ada, grace, slack.bot.user];
    const places = [
      slack.openChannel({ kind: 'group', name: 'leads', members }),
      slack.openChannel({ kind: 'mpim', members }),
    ];
    for (const { id: channel } of places) {
      const { ts } = await slack.say({ user: ada, channel, text: `${mention} why?` });
      // A mention is two events.
      for (const message of [await next(), await next()]) {
        expect(message).toMatchObject({ id: ts, text: 'why?', addressed: 'mention' });
      }
      await slack.say({ user: grace, channel, text: 'and?', thread: ts });
      expect(await next()).toMatchObject({ text: 'and?', addressed: 'overheard' });
    }
  });

  test('is heard only with the events that the manifest names', async () => {
    await using workspace = await startWorkspace();
    const { slack, ada, help, next } = workspace;
    const members = [ada, slack.bot.user];
    const { id: channel } = slack.openChannel({ kind: 'group', name: 'leads', members });
    const manifest = JSON.parse(renderManifest(runner, { mode: 'socket' })) as {
      settings: { event_subscriptions: { bot_events: string[] } };
    };
    const { event_subscriptions: subscriptions } = manifest.settings;
    subscriptions.bot_events = subscriptions.bot_events.filter((name) => !name.includes('groups'));
    slack.install(manifest);
    await slack.say({ user: ada, channel, text: 'unheard' });
    await slack.say({ user: ada, channel: help, text: 'heard' });
    expect(await next()).toMatchObject({ text: 'heard' });
  });

  test('is unknown to an app that is not in it', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, grace } = served;
    const client = createClient(slack);
    for (const kind of ['group', 'mpim', 'im'] as const) {
      const { id: channel } = slack.openChannel({ kind, name: 'leads', members: [ada, grace] });
      expect((await refusal(client.conversations.info({ channel }))).error).toBe(
        'channel_not_found',
      );
      const post = client.chat.postMessage({ channel, text: 'hi' });
      expect((await refusal(post)).error).toBe('channel_not_found');
    }
  });
});

test.each([
  ['a guest', { isGuest: true }, 'guest'],
  ['a person of another workspace', { team: 'T0THER' }, 'stranger'],
  ['a person of no channel that the bot sees', { isStranger: true }, 'stranger'],
] as const)('%s is told as an outsider, and manages nothing as an admin', async (_, change, is) => {
  await using workspace = await startWorkspace();
  const { slack, ada, grace, help, next, mention } = workspace;
  slack.changeUser(ada, change);
  await slack.say({ user: ada, channel: help, text: `${mention} hi` });
  const { author } = await next();
  expect(author).toMatchObject({ id: ada, isManager: false, outsider: is });
  await next();
  await slack.say({ user: grace, channel: help, text: `${mention} hi` });
  expect((await next()).author.outsider).toBeUndefined();
});

describe('without the agent view', () => {
  async function withoutAgentView(slack: SlackWorkspace) {
    slack.install(JSON.parse(renderManifest(runner, { mode: 'socket', agentView: false })));
    return startSlack(slack, 'socket', { commands: runner });
  }

  test('the manifest asks for nothing that agents have', () => {
    const text = renderManifest(runner, { mode: 'socket', agentView: false });
    expect(text).not.toMatch(/agent|assistant:write/);
  });

  test('a guest asks in a direct message, and the reply has its own Stop button', async () => {
    await using served = await serveWorkspace();
    const { slack, grace } = served;
    slack.changeUser(grace, { isGuest: true });
    await using started = await withoutAgentView(slack);
    const { id: channel } = slack.direct(grace);
    const { ts } = await slack.say({ user: grace, channel, text: 'why?' });
    const { thread, author } = await started.next();
    expect(author).toMatchObject({ id: grace, isManager: false });
    await thread.showWorking?.('is thinking…');
    expect(thread.openStream).toBeUndefined();
    const sent = await thread.post({
      markdown: 'Because',
      buttons: [{ action: 'stop', label: 'Stop', turn: 'T1' }],
    });
    const [, reply] = slack.messages(channel, ts);
    expect(JSON.stringify(reply?.blocks)).toContain('causeway_reply_stop');
    await sent.edit({ markdown: 'Because it is so.' });
    const troubles = started.log.lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(troubles).toEqual([]);
  });

  test('with it, guests can’t use the app in a direct message', async () => {
    await using served = await serveWorkspace();
    const { slack, grace } = served;
    slack.changeUser(grace, { isGuest: true });
    slack.install(JSON.parse(renderManifest(runner, { mode: 'socket' })));
    const { id: channel } = slack.direct(grace);
    await expect(slack.say({ user: grace, channel, text: 'hi' })).rejects.toThrow(/guest/);
  });
});
