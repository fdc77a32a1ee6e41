import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import { openApp, type OpenedApp } from '../e2e/open-app.ts';

/** Attacks on conversations, by unmodified Bolt and discord.js: Ada manages both workspaces. */
let app: OpenedApp;
let sandbox: Sandbox;

beforeAll(async () => {
  app = await openApp();
  ({ sandbox } = app);
  sandbox.slack.faults.rateLimits = false;
  sandbox.discord.faults.rateLimits = false;
}, 30_000);
afterAll(() => app[Symbol.asyncDispose]());

const answered = /Sources: |found no answer|Hello|sources/i;

describe('on Slack', () => {
  const idOf = (name: string) => sandbox.slack.users().find((each) => each.name === name)?.id ?? '';
  const channelOf = (name: string) =>
    sandbox.slack.channels().find((each) => each.name === name)?.id ?? '';

  /** Makes a person ask; resolves once the bot has answered in the thread. */
  async function ask(user: string, channel: string, text: string): Promise<string> {
    const { slack } = sandbox;
    const { ts } = await slack.say({ user, channel, text: `<@${slack.bot.user}> ${text}` });
    await slack.waitForMessage(
      { channel, thread: ts },
      (each) => each.bot_id !== undefined && answered.test(plainText(each)),
    );
    return ts;
  }

  /** Uses a command; resolves with what its result says to the person. */
  async function use(user: string, channel: string, text: string): Promise<string> {
    const { slack } = sandbox;
    const before = new Set(slack.ephemerals(user, channel).map(({ ts }) => ts));
    const find = () => slack.ephemerals(user, channel).find(({ ts }) => !before.has(ts));
    await slack.command({ user, channel, command: '/causeway', text });
    if (!find()) await slack.waitFor(() => find() !== undefined);
    return plainText(find() ?? { text: '' });
  }

  it('guests and strangers get one private sentence until a manager lets them ask', async () => {
    const { slack } = sandbox;
    const general = channelOf('general');
    const linus = idOf('linus');
    const refusals = () =>
      slack
        .ephemerals(linus, general)
        .filter((each) => plainText(each).startsWith('I don’t answer')).length;
    slack.changeUser(linus, { team: 'T0ELSEWHERE' });
    // What the bot knows about a person is cached for an hour, and it has not met this one yet.
    const before = refusals();
    const text = `<@${slack.bot.user}> How do I add a source, as a stranger?`;
    const { ts } = await slack.say({ user: linus, channel: general, text });
    if (refusals() === before) await slack.waitFor(() => refusals() > before);
    expect(slack.messages(general, ts).filter(({ bot_id: bot }) => bot)).toEqual([]);
    for (const words of ['source list', '']) {
      expect(await use(linus, general, words)).toMatch(/^I don’t answer/);
    }
    await use(idOf('ada'), general, 'chatbot guests on');
    await ask(linus, general, 'How do I add a source, as a welcome stranger?');
    expect(await use(linus, general, 'session list')).toMatch(/^I don’t answer/);
    // What they asked is theirs to delete, whatever they are.
    expect(await use(linus, general, 'session forget')).toMatch(/^Delete 1 question of yours/);
    await use(idOf('ada'), general, 'chatbot guests off');
    const asks = () =>
      slack.ephemerals(linus, general).filter((each) => plainText(each).startsWith('Delete 1'));
    await slack.say({ user: linus, channel: general, text: `<@${slack.bot.user}> session forget` });
    if (asks().length < 2) await slack.waitFor(() => asks().length === 2);
  });

  it('a manager can’t read others’ direct messages, even after a new session has begun there', async () => {
    const { slack } = sandbox;
    const grace = idOf('grace');
    const direct = slack.direct(grace).id;
    const question = 'How do I add a source? I would like nobody to know.';
    const thread = await ask(grace, direct, question);
    await slack.say({ user: grace, channel: direct, thread, text: 'session new' });
    const uuid = await app.sessionOf(question);
    const hasBegun = () =>
      [...slack.ephemerals(grace, direct), ...slack.messages(direct, thread)].some((each) =>
        plainText(each).includes('A new session starts here'),
      );
    if (!hasBegun()) await slack.waitFor(hasBegun);
    const general = channelOf('general');
    for (const words of ['session show', 'session export', 'session retry', 'session delete']) {
      expect(await use(idOf('ada'), general, `${words} ${uuid}`)).toMatch(/no session called/i);
    }
    expect(await use(idOf('ada'), general, 'session list')).not.toContain('nobody to know');
    expect(await use(grace, direct, `session show ${uuid}`)).toContain('nobody to know');
  });

  it('only its members can read a private channel, from anywhere; a manager outside can’t', async () => {
    const { slack } = sandbox;
    const [ada, grace] = [idOf('ada'), idOf('grace')];
    const members = [grace, slack.bot.user];
    const { id } = slack.openChannel({ kind: 'group', name: 'salaries', members });
    const question = 'How do I connect Slack? I ask about salaries.';
    await ask(grace, id, question);
    const uuid = await app.sessionOf(question);
    const general = channelOf('general');
    expect(await use(ada, general, `session show ${uuid}`)).toMatch(/no session called/i);
    expect(await use(ada, general, 'session list')).not.toContain('salaries');
    expect(await use(grace, general, `session show ${uuid}`)).toContain('salaries');
    expect(await use(grace, general, 'session list')).toContain('salaries');
  });
});

describe('on Discord', () => {
  const channelOf = (name: string) =>
    sandbox.discord.channels().find((each) => each.name === name)?.id ?? '';
  const botId = () => sandbox.discord.users().find(({ bot }) => bot)?.id ?? '';

  const saidIn = (channel: string) => sandbox.discord.messages(channel);
  const ofBot = (channel: string) => saidIn(channel).filter(({ author }) => author.bot);

  async function use(
    user: string,
    channel: string,
    words: string,
    values: Record<string, string> = {},
  ): Promise<string> {
    const { discord } = sandbox;
    const [name = '', action = ''] = words.split(' ');
    const seen = () => saidIn(channel).filter(({ content }) => content !== '');
    const before = new Set(seen().map(({ id }) => id));
    const find = () => seen().find(({ id, author }) => !before.has(id) && author.bot);
    const options = Object.entries(values).map(([key, value]) => ({ name: key, value }));
    await discord.command({ user, channel, name, options: [{ name: action, options }] });
    if (!find()) await discord.changes.waitFor(() => find() !== undefined);
    return find()?.content ?? '';
  }

  it('only its members can read a private thread, not even the owner from its channel', async () => {
    const { discord } = sandbox;
    const general = channelOf('general');
    const people = ['grace', 'linus'];
    const thread = { user: 'ada', channel: general, name: 'Private', people };
    const { id } = discord.openPrivateThread(thread);
    discord.leaveThread(id, 'ada');
    const question = 'How do I connect Discord? It stays between us.';
    await discord.say({ user: 'linus', channel: id, content: `<@${botId()}> ${question}` });
    const isAnswered = () => ofBot(id).some(({ content }) => answered.test(content));
    if (!isAnswered()) await discord.changes.waitFor(isAnswered);
    const session = await app.sessionOf(question);
    for (const words of ['session show', 'session export', 'session retry', 'session stop']) {
      expect(await use('ada', general, words, { session })).toMatch(/no session called/i);
    }
    expect(await use('ada', general, 'session list')).not.toContain('between us');
    expect(await use('grace', general, 'session show', { session })).toContain('between us');
    expect(await use('linus', id, 'session list')).toContain('between us');
  });

  it('a guest of the server is not answered in a direct message either', async () => {
    const { discord } = sandbox;
    discord.makeGuest('grace');
    const direct = discord.directChannel('grace').id;
    expect(await use('grace', direct, 'source list')).toMatch(
      /^I can’t answer your direct messages/,
    );
    const content = 'How do I add a source, as a guest?';
    await discord.say({ user: 'grace', channel: direct, content });
    const isTold = () =>
      ofBot(direct).filter(({ content: text }) => text.startsWith('I can’t answer'));
    if (isTold().length < 2) await discord.changes.waitFor(() => isTold().length === 2);
    expect(await app.queries()).not.toContain(content);
  });

  it('a private result asked for in a mention is not posted for everyone', async () => {
    const { discord } = sandbox;
    const general = channelOf('general');
    const direct = discord.directChannel('linus').id;
    await discord.say({
      user: 'linus',
      channel: general,
      content: `<@${botId()}> session list`,
    });
    const isTold = () => ofBot(direct).some(({ content }) => /\d+ sessions?/.test(content));
    if (!isTold()) await discord.changes.waitFor(isTold);
    const isPublic = ({ ephemeralFor }: { ephemeralFor?: string }) => ephemeralFor === undefined;
    const lists = ofBot(general).filter(({ content }) => /\d+ sessions?\b/.test(content));
    expect(lists.filter(isPublic)).toEqual([]);
  });
});
