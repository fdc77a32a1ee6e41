import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { discordCommandSeats } from './discord-command-seat.ts';
import { openApp } from './open-app.ts';
import { openBridge } from './scripted-bridge.ts';
import { slackCommandSeats } from './slack-command-seat.ts';

const platforms = {
  Slack: {
    seats: ({ slack }: Sandbox) => slackCommandSeats(slack),
    /** What the bot has said in a thread below #general. */
    said({ slack }: Sandbox, thread: string) {
      const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
      const all = slack.messages(channel, thread);
      return all.filter(({ bot_id: bot }) => bot).map(({ text }) => text);
    },
    title: () => undefined,
  },
  Discord: {
    seats: ({ discord }: Sandbox) => discordCommandSeats(discord),
    said({ discord }: Sandbox, thread: string) {
      const bot = discord.users().find((user) => user.bot)?.id;
      const all = discord.messages(thread).filter(({ author }) => author.id === bot);
      return all.map(({ content }) => content);
    },
    title({ discord }: Sandbox, thread: string) {
      const all = discord.channels().flatMap(({ id }) => discord.threads(id));
      return all.find(({ id }) => id === thread)?.name;
    },
  },
};

const forget = { command: 'session forget', values: {} };

describe.each(['Slack', 'Discord'] as const)('forgetting on %s', (name) => {
  const { seats, said, title } = platforms[name];

  it('deletes what somebody asked and was answered, and leaves what others asked', async () => {
    await using app = await openApp();
    const { sandbox, queries } = app;
    const { member, manager } = seats(sandbox);
    const thread = await member.mention('How do I connect Slack?', /Sources: /);
    await manager.say(thread, '@bot How do I connect Discord?', /Sources: /);
    await member.say(thread, '@bot How do I connect Slack?', /Sources: /);
    const own = await member.mention('How do I connect Slack?', /Sources: /);
    await expect.poll(() => said(sandbox, own)).toHaveLength(1);
    expect(await queries()).toHaveLength(4);

    const asked = await member.use(forget, /Delete 3 questions of yours for good/);
    // Nobody else is asked about them.
    await manager.use(forget, /Delete 1 question of yours for good/);
    await member.press(
      asked,
      'Delete',
      /Deleted: 3 questions, 3 answers.* and 3 messages of mine\.$/,
    );

    expect(await queries()).toEqual(['How do I connect Discord?']);
    expect(said(sandbox, thread)).toHaveLength(1);
    expect(said(sandbox, own)).toEqual([]);
    expect(title(sandbox, thread)).toBe(name === 'Discord' ? 'Conversation' : undefined);
    await member.use(forget, /nothing that you asked me/);
    // The conversation goes on without it.
    await member.say(thread, '@bot How do I connect Slack?', /Sources: /);
  });

  it('says what a service can’t delete, and stops what is still being answered', async () => {
    await using bridge = await openBridge(name);
    const { sandbox, service } = bridge;
    const { member } = seats(sandbox);
    const asking = service.asked();
    const thread = member.mention('Why so slow?', /Let me think/);
    const query = await asking;
    query.store('Let me think');
    query.write('Let me think');
    await thread;
    const asked = await member.use(forget, /Delete 1 question of yours for good/);
    const done = await member.press(asked, 'Delete', /Deleted: 1 question, 0 answers/);
    expect(done.text).toMatch(
      /Not deleted:\s+\S+ 1 answer at the chatbot service, which can’t delete single messages/,
    );
    expect(said(sandbox, await thread)).toEqual([]);
  });

  it('deletes small print that did not fit below the answer, too', async () => {
    await using bridge = await openBridge(name);
    const { sandbox, service } = bridge;
    const { member } = seats(sandbox);
    const asking = service.asked();
    const thread = member.mention('Which files?', /Sources: .* handbook-9\.md/);
    const query = await asking;
    const markers = Array.from({ length: 20 }, (_, index) => `1.${index}`);
    const source = (marker: string) => ({ title: `handbook-${marker.slice(2)}.md`, text: 'Text' });
    const cited = Object.fromEntries(markers.map((marker) => [marker, source(marker)]));
    const text = `${'Some words. '.repeat(140)}${markers.map((marker) => `[${marker}]`).join('')}`;
    query.write(text);
    query.store(text, { cite_data_json: JSON.stringify(cited) });
    query.end();
    const shown = said(sandbox, await thread);
    expect(shown).toHaveLength(name === 'Discord' ? 2 : 1);
    const asked = await member.use(forget, /Delete 1 question of yours for good/);
    await member.press(asked, 'Delete', /Deleted: 1 question/);
    expect(said(sandbox, await thread)).toEqual([]);
  });
});
