import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import { type Crowd, discordCrowd, slackCrowd } from './crowd.ts';
import { openApp, type OpenedApp } from './open-app.ts';
import { discordSeat, type Seat, slackSeat } from './seats.ts';

/** People who manage, on either platform. */
interface Desk extends Crowd, Pick<Seat, 'replies'> {
  /** Writes in #general without a mention; returns the thread that an answer would be in. */
  sayInChannel(who: string, text: string): Promise<string>;
  /** Uses `/chatbot` in #general, people, groups and channels by name; resolves with what it shows. */
  use(who: string, command: string, values: Record<string, string>, shows: RegExp): Promise<string>;
  /** A group that linus is in, or linus himself if he is in none. */
  team: Record<string, string>;
}

describe('access and followed channels, on the sandbox', () => {
  const desks: Record<string, Desk> = {};
  let app: OpenedApp;

  beforeAll(async () => {
    app = await openApp();
    app.sandbox.slack.faults.rateLimits = false;
    app.sandbox.discord.faults.rateLimits = false;
    desks['Slack'] = slackDesk(app.sandbox);
    desks['Discord'] = discordDesk(app.sandbox);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  describe.each(['Slack', 'Discord'])('on %s', (platform) => {
    const desk = (): Desk => {
      const found = desks[platform];
      if (!found) throw new Error('not started');
      return found;
    };

    it('answers every message of a channel set to all messages, and of its threads', async () => {
      const { use, sayInChannel, say, shown, replies } = desk();
      const unasked = `How do I connect Slack? I wonder on ${platform}.`;
      await sayInChannel('linus', unasked);
      await use('linus', 'chatbot follow', { how: 'everything' }, /^Only managers can do that/);
      await use('ada', 'chatbot follow', { how: 'everything' }, /I answer every message/);
      const query = `How do I add a source on ${platform}?`;
      const thread = await sayInChannel('linus', query);
      await shown(thread, /Sources: /);
      const further = `How do I connect Discord? I ask on ${platform}.`;
      await say('linus', thread, further);
      await replies(thread, 2, /Sources: /);
      const asked = await app.queries();
      expect(asked).toEqual(expect.arrayContaining([query, further]));
      expect(asked).not.toContain(unasked);
      // The bot's own messages there, such as the result of the command, are not answered.
      expect(asked.filter((each) => each.includes('every message'))).toEqual([]);
      await use('ada', 'chatbot show', {}, /In this channel: I answer every message/);
    });

    it('answers only mentions in a channel set to mentions', async () => {
      const { use, mention, say, shown } = desk();
      await use('ada', 'chatbot follow', { how: 'mentions' }, /I answer when I’m mentioned\.$/);
      const thread = await mention('linus', `How do I add a source, once more, on ${platform}?`);
      await shown(thread, /Sources: /);
      const aside = `What about Discord, does anybody know, on ${platform}?`;
      await say('linus', thread, aside);
      const last = await mention('linus', `How do I connect Slack, at last, on ${platform}?`);
      await shown(last, /Sources: /);
      expect(await app.queries()).not.toContain(aside);
      await use(
        'ada',
        'chatbot follow',
        { how: 'threads' },
        /every message in threads where I’ve already answered/,
      );
    });

    it('hands threads over after one command, and then knows what was said, without a model', async () => {
      const { use, mention, say, shown, press, notice } = desk();
      await use('ada', 'handover on', { channel: '#help' }, /Talking to a person is on\./);
      const thread = await mention('linus', `Can I talk to a human, on ${platform}?`);
      const asked = await shown(thread, /^You asked for a person/);
      const told = await notice(
        new RegExp(`linus.* is asking for a person[^]*on ${platform}`, 'i'),
      );
      expect(told.calls).toEqual([]);
      await say('grace', thread, 'The canteen opens at 11:45 on Fridays.');
      await shown(thread, /^A person is here now\.$/);
      await press('linus', thread, asked.id, 'Let the bot answer again');
      await shown(thread, /^I’m answering here again\.$/);
      await say('linus', thread, 'When does the canteen open on Fridays?');
      await shown(
        thread,
        /^People said here:[^]*grace.*: The canteen opens at 11:45 on Fridays\./im,
      );
      await use('ada', 'handover off', {}, /Talking to a person is off\./);
    });

    it('lets only managers change things, and posts each change in the channel for changes', async () => {
      const { use, team, notice } = desk();
      const tag = { name: `Lamps ${platform}`, color: 'teal' };
      await use('linus', 'tag create', tag, /^Only managers can do that/);
      await use('ada', 'chatbot audit', { channel: '#help' }, /Changes are announced in #help/);
      await notice(/^Changes will be announced here from now on/);
      await use('ada', 'chatbot managers', team, /added here/);
      await use('linus', 'tag create', tag, /Created: /);
      const told = await notice(/tag create.*Lamps/);
      expect(told.text).toMatch(/linus.*#general.*color: #0d9488/i);
      expect(told.calls).toEqual([]);
      await use('ada', 'chatbot managers', { ...team, remove: 'true' }, /Saved/);
      await use(
        'grace',
        'chatbot audit',
        { off: 'true' },
        platform === 'Slack' ? /^Only/ : /aren’t announced in any channel/,
      );
      await use('linus', 'tag create', { ...tag, name: 'B' }, /^Only managers can do that/);
    });

    it('refuses a channel that it can’t write in, and says why', async () => {
      const { use } = desk();
      const closed = platform === 'Slack' ? '#random' : '#readonly';
      const shown = await use('ada', 'chatbot audit', { channel: closed }, /I can’t write in/);
      expect(shown).toMatch(platform === 'Slack' ? /not a member/ : /permission/);
    });

    it('shows who is notified when someone asks for a person', async () => {
      const { use, notice } = desk();
      await use(
        'ada',
        'chatbot notify',
        { channel: '#help', remove: 'true' },
        /Nobody is notified/,
      );
      const contacts = { channel: '#help', person: '@grace' };
      const shown = await use('ada', 'chatbot notify', contacts, /Who is notified[^]+People/);
      expect(shown).toMatch(/Channel: #help[^]*People: grace/i);
      await notice(/^From now on, I’ll post here when someone asks for a person/);
    });
  });
});

function slackDesk(sandbox: Sandbox): Desk {
  const { slack } = sandbox;
  const user = (name: string) => slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';

  return {
    ...slackCrowd(sandbox),
    replies: slackSeat(sandbox).replies,
    team: { group: '@support' },
    sayInChannel: async (who, text) => (await slack.say({ user: user(who), channel, text })).ts,
    async use(who, command, values, shows) {
      const options = Object.entries(values).map(([key, value]) => `--${key} "${value}"`);
      const seen = () => [...slack.messages(channel), ...slack.ephemerals(user(who), channel)];
      const before = new Set(seen());
      const find = () => seen().find((each) => !before.has(each) && shows.test(plainText(each)));
      const text = [command, ...options].join(' ');
      await slack.command({ user: user(who), channel, command: '/causeway', text });
      if (!find()) await slack.waitFor(() => find() !== undefined);
      return plainText(find() ?? { text: '' });
    },
  };
}

function discordDesk(sandbox: Sandbox): Desk {
  const { discord } = sandbox;
  const channel = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  const idOf = (value: string) =>
    [
      ...discord.channels().map(({ id, name }) => [`#${name}`, id]),
      ...discord.users().map(({ id, username }) => [`@${username}`, id]),
    ].find(([name]) => name === value)?.[1];

  return {
    ...discordCrowd(sandbox),
    replies: discordSeat(sandbox).replies,
    team: { person: '@linus' },
    sayInChannel: async (who, content) => (await discord.say({ user: who, channel, content })).id,
    async use(who, command, values, shows) {
      const [name = '', action = ''] = command.split(' ');
      const given = Object.entries(values).map(([key, value]) => ({
        name: key,
        value: value === 'true' ? true : (idOf(value) ?? value),
      }));
      const seen = () => discord.messages(channel);
      const before = new Set(seen().map(({ id }) => id));
      const find = () => seen().find(({ id, content }) => !before.has(id) && shows.test(content));
      await discord.command({
        user: who,
        channel,
        name,
        options: [{ name: action, options: given }],
      });
      if (!find()) await discord.changes.waitFor(() => find() !== undefined);
      return find()?.content ?? '';
    },
  };
}
