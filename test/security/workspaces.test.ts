import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShownMessage } from '../../src/sandbox/discord/changes.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openApp, type OpenedApp } from '../e2e/open-app.ts';

/** What strangers can do who add the public Discord bot to their own server. */
let app: OpenedApp;
let sandbox: Sandbox;
/** The server of Linus, which the bot joined after its first connection, and its #general. */
let strangers: { id: string; general: string };

const stranger = 'linus';
const unknown = /^I don’t work here yet: none of my chatbots belongs to this workspace/;
const answered = /Sources: /;

beforeAll(async () => {
  app = await openApp();
  ({ sandbox } = app);
  sandbox.discord.faults.rateLimits = false;
  strangers = sandbox.discord.addServer('Strangers', [stranger]);
}, 30_000);
afterAll(() => app[Symbol.asyncDispose]());

const home = () => sandbox.discord.channels().find(({ name }) => name === 'general')?.id ?? '';
const botId = () => sandbox.discord.users().find(({ bot }) => bot)?.id ?? '';

/** The bot's first matching message in a channel after an action there. */
async function after(
  channel: string,
  act: () => Promise<unknown>,
  accepts: (message: ShownMessage) => boolean = ({ content }) => content !== '',
): Promise<ShownMessage> {
  const { discord } = sandbox;
  const before = new Set(discord.messages(channel).map(({ id, content }) => id + content));
  const find = () =>
    discord
      .messages(channel)
      .find((each) => each.author.bot && !before.has(each.id + each.content) && accepts(each));
  await act();
  if (!find()) await discord.changes.waitFor(() => find() !== undefined);
  const found = find();
  if (!found) throw new Error('The message is gone.');
  return found;
}

async function use(
  user: string,
  channel: string,
  words: string,
  values: Record<string, string> = {},
): Promise<string> {
  const [name = '', action = ''] = words.split(' ');
  const options = Object.entries(values).map(([key, value]) => ({ name: key, value }));
  const command = { user, channel, name, options: [{ name: action, options }] };
  return (await after(channel, () => sandbox.discord.command(command))).content;
}

describe('in a server that somebody else added the bot to', () => {
  it('its owner can list, create and delete nothing', async () => {
    const { general } = strangers;
    const known = await use('ada', home(), 'chatbot list');
    expect(known).toMatch(/1 chatbot/);
    const uses: [string, Record<string, string>][] = [
      ['chatbot list', {}],
      ['chatbot show', {}],
      ['chatbot create', { name: 'Mine' }],
      ['chatbot delete', { chatbot: 'Causeway' }],
      ['chatbot use', { chatbot: 'Causeway' }],
      ['source list', {}],
      ['source delete', { sources: 'Causeway' }],
      ['session list', {}],
      ['tag create', { name: 'Mine', color: 'red' }],
      ['agent list', {}],
    ];
    for (const [words, values] of uses) {
      expect(await use(stranger, general, words, values)).toMatch(unknown);
    }
    expect(await use('ada', home(), 'chatbot list')).toBe(known);
  });

  it('nothing is suggested', async () => {
    const { discord } = sandbox;
    const option = { name: 'sources', value: '', focused: true };
    const options = [{ name: 'delete', options: [option] }];
    const given = { user: stranger, channel: strangers.general, name: 'source', options };
    expect(await discord.autocomplete(given)).toEqual([]);
  });

  it('a question is answered with one sentence that only the person sees', async () => {
    const { discord } = sandbox;
    const direct = discord.directChannel(stranger).id;
    const question = 'How do I add a source? I am a stranger.';
    const content = `<@${botId()}> ${question}`;
    const told = await after(direct, () =>
      discord.say({ user: stranger, channel: strangers.general, content }),
    );
    expect(told.content).toMatch(unknown);
    expect(await app.queries()).not.toContain(question);

    for (const words of ['source list', '/session foo']) {
      const said = {
        user: stranger,
        channel: strangers.general,
        content: `<@${botId()}> ${words}`,
      };
      const { content: sentence } = await after(direct, () => discord.say(said));
      expect(sentence).toMatch(unknown);
    }
    const replies = discord.messages(strangers.general).filter(({ author }) => author.bot);
    expect(replies.filter(({ ephemeralFor }) => ephemeralFor === undefined)).toEqual([]);
  });

  it('a code from a manager of the home workspace lets one chatbot answer, until it is revoked', async () => {
    const { discord } = sandbox;
    const { general } = strangers;
    await use('ada', home(), 'chatbot create', { name: 'Lent' });
    const offered = await use('ada', home(), 'chatbot share', { chatbot: 'Lent' });
    const code = /code:([\w-]+)/.exec(offered)?.[1] ?? '';
    expect(await use(stranger, general, 'chatbot share', { code })).toContain('now answers');
    expect(await use(stranger, general, 'chatbot list')).toMatch(/1 chatbot[^]+Lent/);
    expect(await use(stranger, general, 'chatbot share', { code })).toMatch(/^That code/);
    expect(await use(stranger, general, 'chatbot delete', { chatbot: 'Lent' })).toMatch(
      /Only managers of the workspace that owns it/,
    );

    const question = 'What is lent to me?';
    const { id: thread } = await discord.say({
      user: stranger,
      channel: general,
      content: `<@${botId()}> ${question}`,
    });
    const isAnswered = () =>
      discord.threads(general).some(({ id }) => id === thread) &&
      discord.messages(thread).some(({ author, content }) => author.bot && content !== '');
    if (!isAnswered()) await discord.changes.waitFor(isAnswered);

    // In a direct message, two servers are possible now: the bot asks once, and remembers the choice.
    const direct = discord.directChannel(stranger).id;
    const say = (content: string) => discord.say({ user: stranger, channel: direct, content });
    const chosen = 'How do I add a source, directly?';
    const asked = await after(direct, () => say(chosen));
    expect(asked.content).toMatch(/^We share several servers: .*Which server’s chatbot/);
    const button = asked.components
      .flatMap((row) => ('components' in row ? (row.components as object[]) : []))
      .find((each) => 'label' in each && each.label === 'Causeway Sandbox');
    const customId = button && 'custom_id' in button ? String(button.custom_id) : '';
    const press = async () => discord.press({ user: stranger, message: asked.id, customId });
    const isAnswer = ({ content }: ShownMessage) => answered.test(content);
    // The click may come before the message with the button is stored.
    const tooSoon = /still answering/;
    const reacted = ({ content }: ShownMessage) => tooSoon.test(content) || answered.test(content);
    let reaction = await after(direct, press, reacted);
    while (tooSoon.test(reaction.content)) reaction = await after(direct, press, reacted);
    await after(direct, () => say('How do I connect Slack, directly?'), isAnswer);

    const end = {
      name: 'share',
      options: [
        { name: 'chatbot', value: 'Lent' },
        { name: 'end', value: true },
      ],
    };
    const takeBack = { user: 'ada', channel: home(), name: 'chatbot', options: [end] };
    const { content } = await after(home(), () => discord.command(takeBack));
    expect(content).toContain('is no longer shared');
    expect(await use(stranger, general, 'chatbot list')).toMatch(unknown);
  });
});

it('if WORKSPACES names others, the first servers are not served either', async () => {
  await using named = await openApp({ WORKSPACES: 'T0NOBODY' });
  const { discord } = named.sandbox;
  const channel = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  const seen = () => discord.messages(channel).find(({ author }) => author.bot);
  await discord.command({ user: 'ada', channel, name: 'chatbot', options: [{ name: 'list' }] });
  const isSeen = () => (seen()?.content ?? '') !== '';
  if (!isSeen()) await discord.changes.waitFor(isSeen);
  expect(seen()?.content).toMatch(unknown);
});
