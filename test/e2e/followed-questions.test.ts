import { describe, expect, it } from 'vitest';
import type { Following } from '../../src/bridge/conversation/settings.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { splitContext } from '../../src/shared/api/session.ts';
import { openBridge, type platforms } from './scripted-bridge.ts';

/** What people do in #general and its threads, in the same way on both platforms. */
interface People {
  /** How a person, or the bot, is mentioned. */
  mention(who: string): string;
  /** Says something in the channel or a thread; returns the message's id. */
  say(who: string, text: string, thread?: string): Promise<string>;
  /** The thread below a message, where an answer to it would be. */
  threadOn(message: string): string;
  done(): Promise<unknown>;
}

function slackPeople({ slack }: Sandbox): People {
  const user = (name: string) => slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';
  return {
    mention: (who) => `<@${who === 'bot' ? slack.bot.user : user(who)}>`,
    say: async (who, text, thread) =>
      (await slack.say({ user: user(who), channel, text, thread })).ts,
    threadOn: (message) => message,
    done: () => slack.waitForMessage({ channel }, ({ text }) => text.startsWith('✅')),
  };
}

function discordPeople({ discord }: Sandbox): People {
  const channel = discord.channels().find((each) => each.name === 'general')?.id ?? '';
  const isBot = (who: string) => who === 'bot';
  const user = (name: string) =>
    discord.users().find((each) => (isBot(name) ? each.bot : each.username === name))?.id ?? '';
  return {
    mention: (who) => `<@${user(who)}>`,
    say: async (who, content, thread = channel) =>
      (await discord.say({ user: who, channel: thread, content })).id,
    threadOn: (message) => discord.openThread({ user: 'linus', message, name: 'Aside' }).id,
    async done() {
      const isDone = () =>
        discord.messages(channel).some(({ content }) => content.startsWith('✅'));
      if (!isDone()) await discord.changes.waitFor(isDone);
    },
  };
}

const peopleOn = { Slack: slackPeople, Discord: discordPeople };

/** A channel that is followed so, and what the bot takes up in it. */
async function open(name: keyof typeof platforms, following: Following) {
  await using parts = new AsyncDisposableStack();
  const bridge = parts.use(await openBridge(name));
  const people = peopleOn[name](bridge.sandbox);
  await people.say('ada', `${people.mention('bot')} chatbot follow ${following}`);
  await people.done();
  /** The next query, which is answered at once. */
  async function asked(): Promise<string> {
    const query = await bridge.service.asked();
    query.store('Answered');
    query.write('Answered');
    query.end();
    return splitContext(query.query).query;
  }

  const opened = parts.move();
  return {
    people,
    asked,
    sandbox: bridge.sandbox,
    /** Says something that the bot takes up: what it asks, and the message's id. */
    async takes(text: string, thread?: string) {
      const next = asked();
      const id = await people.say('ada', text, thread);
      return { id, query: await next };
    },
    /** Says something that the bot leaves alone, and asks it “and now?” there: what it asks first. */
    async leaves(text: string, thread?: string): Promise<string> {
      const next = asked();
      const said = await people.say('ada', text, thread);
      const place = thread ?? people.threadOn(said);
      await people.say('grace', `${people.mention('bot')} and now?`, place);
      return next;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describe.each(['Slack', 'Discord'] as const)('a channel on %s', (platform) => {
  it('of which questions are followed: what looks like one, and all in its threads', async () => {
    await using channel = await open(platform, 'questions');
    const { people, takes, leaves } = channel;
    const { id: thread, query } = await takes('How do I reset my password?');
    expect(query).toBe('How do I reset my password?');
    expect(await takes('It says “wrong code” now', thread)).toMatchObject({
      query: 'It says “wrong code” now',
    });
    expect(await leaves('I have reset my password')).toBe('and now?');
    expect(await leaves(`${people.mention('grace')} how do I reset my password?`)).toBe('and now?');
    expect(await leaves(`hey ${people.mention('grace')}, how do I reset it?`)).toBe('and now?');
    expect(await leaves(`${people.mention('grace')} did that help?`, thread)).toBe('and now?');
    expect(await takes('wie setze ich mein Passwort zurück')).toMatchObject({
      query: 'wie setze ich mein Passwort zurück',
    });
  });

  it('of which posts are followed: what is said outside threads', async () => {
    await using channel = await open(platform, 'posts');
    const { people, takes, leaves } = channel;
    const { id: thread, query } = await takes('The printer is jammed');
    expect(query).toBe('The printer is jammed');
    expect(await leaves('Who can fix it?', thread)).toBe('and now?');
    expect(await leaves(`${people.mention('linus')} the printer is jammed`)).toBe('and now?');
    expect(await takes('And the coffee is cold')).toMatchObject({
      query: 'And the coffee is cold',
    });
  });

  it('of which everything is followed: not what is said to somebody', async () => {
    await using channel = await open(platform, 'everything');
    const { people, takes, leaves } = channel;
    const { id: thread, query } = await takes('The printer is jammed');
    expect(query).toBe('The printer is jammed');
    expect(await takes('It smells of smoke', thread)).toMatchObject({
      query: 'It smells of smoke',
    });
    expect(await leaves(`${people.mention('grace')} can you look at it?`, thread)).toBe('and now?');
    expect(await leaves(`Hi ${people.mention('grace')}! Can you look at it?`)).toBe('and now?');
  });
});

it('replies to somebody else on Discord are left alone, and those to the bot or to oneself are not', async () => {
  await using channel = await open('Discord', 'everything');
  const { discord } = channel.sandbox;
  const { people, asked } = channel;
  const reply = (user: string, replyTo: string, content: string) =>
    discord.say({ user, channel: '#general', replyTo, content });
  const first = asked();
  const said = await people.say('ada', 'The printer is jammed');
  expect(await first).toBe('The printer is jammed');
  const aside = await reply('grace', said, 'Which one is it?');
  const own = asked();
  await reply('ada', said, 'It is the one on floor 2');
  expect(await own).toBe('It is the one on floor 2');
  const last = asked();
  const thread = discord.openThread({ user: 'linus', message: aside.id, name: 'Aside' }).id;
  await people.say('linus', `${people.mention('bot')} and now?`, thread);
  expect(await last).toBe('and now?');
});
