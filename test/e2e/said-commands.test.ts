import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SlackMessage } from '../../src/sandbox/slack/model.ts';
import { openApp, type OpenedApp } from './open-app.ts';
import { discordSeat, type Seat, slackSeat } from './seats.ts';

const question = 'Xylophones?';

/** The end of an answer with sources, or of one that found nothing, but not of a listed session. */
const hasEnded = (text: string) => /Sources: |covers it\.$/m.test(text) && !text.includes(question);

/** A person in a thread: what they write to the bot there, and what they see. */
interface ThreadSeat extends Pick<Seat, 'mention'> {
  tell(thread: string, words: string): Promise<string>;
  edit(thread: string, message: string, words: string): void;
  /** Resolves once only they see a match: in the thread or, on Discord, in a direct message. */
  sees(thread: string, shows: RegExp): Promise<void>;
  /** Resolves once a file of this name is sent, as a direct message if the thread can't show it to only one person. */
  finds(thread: string, file: RegExp): Promise<void>;
  /** Resolves once this many of the bot's messages in the thread are complete answers. */
  answers(thread: string, count: number): Promise<void>;
}

function onSlack(sandbox: Sandbox): ThreadSeat {
  const { slack } = sandbox;
  const user = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  const direct = slack.direct(user).id;
  const bot = `<@${slack.bot.user}>`;
  const until = async (isSo: () => boolean) => {
    if (!isSo()) await slack.waitFor(isSo);
  };
  return {
    ...slackSeat(sandbox),
    async tell(thread, words) {
      return (await slack.say({ user, channel, thread, text: `${bot} ${words}` })).ts;
    },
    edit: (_, ts, words) => void slack.edit({ channel, ts, text: `${bot} ${words}` }),
    sees: (thread, shows) =>
      until(() =>
        slack
          .ephemerals(user, channel)
          .some((message) => message.thread_ts === thread && shows.test(plainText(message))),
      ),
    async finds(thread, file) {
      await this.sees(thread, /file in a direct message/);
      const sent = slack.messages(direct).flatMap(({ ts }) => slack.messages(direct, ts));
      expect(sent.flatMap(({ files = [] }) => files.map(({ name }) => name))).toContainEqual(
        expect.stringMatching(file),
      );
    },
    answers: (thread, count) =>
      until(() => count <= slack.messages(channel, thread).filter(isAnswer).length),
  };
}

const isAnswer = (message: SlackMessage) => hasEnded(plainText(message));

function onDiscord(sandbox: Sandbox): ThreadSeat {
  const { discord } = sandbox;
  const bot = `<@${discord.users().find((user) => user.bot)?.id}>`;
  const direct = discord.directChannel('ada').id;
  const until = async (isSo: () => boolean) => {
    if (!isSo()) await discord.changes.waitFor(isSo);
  };
  return {
    ...discordSeat(sandbox),
    async tell(thread, words) {
      return (await discord.say({ user: 'ada', channel: thread, content: `${bot} ${words}` })).id;
    },
    edit: (_, message, words) =>
      void discord.edit({ user: 'ada', message, content: `${bot} ${words}` }),
    sees: (_, shows) =>
      until(() => discord.messages(direct).some(({ content }) => shows.test(content))),
    finds: (_, file) =>
      until(() =>
        discord
          .messages(direct)
          .some(({ attachments }) => attachments.some(({ filename }) => file.test(filename))),
      ),
    answers: (thread, count) =>
      until(
        () => count <= discord.messages(thread).filter(({ content }) => hasEnded(content)).length,
      ),
  };
}

let app: OpenedApp;

beforeAll(async () => {
  app = await openApp();
  app.sandbox.discord.faults.rateLimits = false;
});
afterAll(() => app[Symbol.asyncDispose]());

describe.each([
  ['Slack', onSlack],
  ['Discord', onDiscord],
])('in a thread on %s', (_, sit) => {
  test('commands in a message are run there, and not sent to the chatbot', async () => {
    const seat = sit(app.sandbox);
    const earlier = await app.sessions();
    const thread = await seat.mention(question);
    await seat.answers(thread, 1);

    await seat.tell(thread, 'session show');
    await seat.sees(thread, /Xylophones\?/);
    await seat.tell(thread, '/session export format:json');
    await seat.finds(thread, /\.json$/);
    await seat.tell(thread, 'session export format:pdf');
    await seat.sees(thread, /Choose markdown or json/);
    await seat.tell(thread, 'session stop');
    await seat.sees(thread, /nothing to stop/);
    expect(await app.queries(earlier)).toEqual([question]);

    const edited = await seat.tell(thread, 'session limits?');
    await seat.answers(thread, 2);
    seat.edit(thread, edited, 'session delete');
    // A later message is answered after the edit was received.
    await seat.tell(thread, 'Marmalade?');
    await seat.answers(thread, 3);
    expect(await app.queries(earlier)).toEqual([question, 'session limits?', 'Marmalade?']);
  });
});
