import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textsFor } from '../../src/bridge/texts/texts.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import { discordCommandSeats } from './discord-command-seat.ts';
import { openApp, type OpenedApp } from './open-app.ts';
import { discordSeat, type Seat, slackSeat } from './seats.ts';
import { slackCommandSeats } from './slack-command-seat.ts';

/**
 * What newcomers ask first, collected before the first sources were written, and what a useful answer
 * must say.
 */
const fifteen: [question: string, answer: RegExp][] = [
  ['hi, what is this?', /^This is Causeway, a chatbot for Slack and Discord that answers/],
  ['Who made you, and what are you for?', /^Causeway is open source software.+answers them from/],
  ['What can you do for me?', /^I answer questions[^]+\/source upload[^]+\/help/],
  ['How do I teach you our company handbook?', /^To add a source[^]+1\.[^]+\/source upload/],
  ['Which file types can I upload?', /^You can upload these file types: PDF, Word.+25 MB/],
  ['Can you read our website?', /^Yes: type `\/source url/],
  ['How do I connect this to our Slack workspace?', /npm run connect[^]+manifest[^]+xoxb-/],
  ['Does it work on Discord too?', /^Yes, Causeway works on Discord/],
  ['Do I need an OpenAI API key?', /^You need no language model and no API key/],
  [
    'Where is my data stored, does anything leave my machine?',
    /^All data is stored on the machine.+nothing leaves this machine/,
  ],
  ['How do I know your answer is correct?', /^Check the sources: every answer lists them/],
  ['What happens when you don’t know the answer?', /^If no source has the answer, the bot says so/],
  [
    'Who is allowed to add or delete documents?',
    /^Only managers are allowed.+admins and owners in Slack/,
  ],
  ['Can I talk to a real person?', /^Yes, if the chatbot offers it/],
  ['Can I ask you questions in German?', /^I speak English and German/],
];

const ended = /^(?:-# )?(?:Sources|My sources mention this, too): /m;
const greeting = /^Hello! Ask me a question/;
let app: OpenedApp;
let sandbox: Sandbox;

beforeAll(async () => {
  app = await openApp();
  ({ sandbox } = app);
  sandbox.slack.faults.rateLimits = false;
  sandbox.discord.faults.rateLimits = false;
}, 30_000);
afterAll(() => app[Symbol.asyncDispose]());

test('fifteen first questions are answered usefully', async () => {
  // Each has its own thread, so that none waits for another's messages.
  const seat = discordSeat(sandbox);
  const answers = await Promise.all(
    fifteen.map(async ([question]) => {
      const thread = await seat.mention(question);
      return (await seat.replies(thread, 1, ended))[0]?.text;
    }),
  );
  expect(answers).toEqual(fifteen.map(([, answer]) => expect.stringMatching(answer)));
});

/** A seat, and how the result of a command in a channel message is seen. */
interface Sayer extends Seat {
  /** Sends the bot a message with a file. */
  giveFile(words: string, file: { name: string; bytes: Buffer }): Promise<void>;
  /** Resolves once the result of a command is shown to them, in the channel or in a direct message. */
  sees(shows: RegExp): Promise<void>;
}

function onSlack(): Sayer {
  const { slack } = sandbox;
  const user = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  return {
    ...slackSeat(sandbox),
    async giveFile(words, file) {
      await slack.say({ user, channel, text: `<@${slack.bot.user}> ${words}`, files: [file] });
    },
    async sees(shows) {
      const isSeen = () =>
        [...slack.ephemerals(user, channel), ...slack.messages(channel)].some((message) =>
          shows.test(plainText(message)),
        );
      if (!isSeen()) await slack.waitFor(isSeen);
    },
  };
}

function onDiscord(): Sayer {
  const { discord } = sandbox;
  const direct = discord.directChannel('ada').id;
  const bot = discord.users().find((user) => user.bot)?.id ?? '';
  const channel = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  return {
    ...discordSeat(sandbox),
    async giveFile(words, file) {
      await discord.say({ user: 'ada', channel, content: `<@${bot}> ${words}`, files: [file] });
    },
    async sees(shows) {
      const seen = () => [channel, direct].flatMap((each) => discord.messages(each));
      const isSeen = () => seen().some(({ content }) => shows.test(content));
      if (!isSeen()) await discord.changes.waitFor(isSeen);
    },
  };
}

test.each([
  ['Slack', () => slackCommandSeats(sandbox.slack)],
  ['Discord', () => discordCommandSeats(sandbox.discord)],
])(
  'on %s, a ready source suggests questions, and a click on one is answered',
  async (platform, sit) => {
    const { manager, member } = sit();
    const text = `# ${platform} House\n\n## What is the ${platform} blend?\n\nThe ${platform} blend is coffee from Peru.\n`;
    const files = [{ name: `house-${platform}.md`, bytes: Buffer.from(text) }];
    const shown = await manager.use(
      { command: 'source upload', values: {}, files },
      /Ask about it/,
    );
    const question = `What is the ${platform} blend?`;
    expect(shown.buttons).toContain(question);
    await member.press(shown, question, new RegExp(`asks?.*\\n?.*|${platform} blend`));
    await expect.poll(() => app.queries()).toContain(question);
    expect(shown.text).toContain('is ready');
  },
);

test('on Slack, a German person reads German below an answer', async () => {
  const { slack } = sandbox;
  const user = slack.users().find(({ name }) => name === 'konrad')?.id ?? '';
  const channel = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  const text = `<@${slack.bot.user}> Wo werden meine Daten gespeichert?`;
  const { ts } = await slack.say({ user, channel, text });
  const shown = () => JSON.stringify(slack.messages(channel, ts));
  const isDone = () => /Quellen: .*Textstellen/s.test(shown());
  if (!isDone()) await slack.waitFor(isDone);
  expect(shown()).toContain(textsFor('de').thread.buttons.unhelpful);
});

test('on Discord, a German person reads German below an answer, before any command tells their language', async () => {
  const { discord } = sandbox;
  const bot = discord.users().find((user) => user.bot)?.id ?? '';
  const content = `<@${bot}> Wo werden meine Daten gespeichert?`;
  const { id } = await discord.say({ user: 'konrad', channel: '#general', content });
  const seat = discordSeat(sandbox);
  await seat.replies(id, 1, /^-# Quellen: /m);
  const shown = () => JSON.stringify(discord.messages(id));
  const isDone = () => shown().includes(textsFor('de').thread.buttons.unhelpful);
  if (!isDone()) await discord.changes.waitFor(isDone);
  expect(shown()).toContain(textsFor('de').thread.buttons.passages);
});

describe.each([
  ['Slack', onSlack],
  ['Discord', onDiscord],
])('on %s', (platform, sit) => {
  test('the bridge itself answers a greeting, thanks and a call for help', async () => {
    const seat = sit();
    const before = await app.queries();
    const thread = await seat.mention('Hi!');
    await seat.replies(thread, 1, greeting);
    await seat.say(thread, 'thanks a lot 🙏');
    await seat.replies(thread, 2, /^You’re welcome!/);
    await seat.replies(await seat.sayDirectly('hello'), 1, greeting);
    const help = await seat.mention('help');
    const [said] = await seat.replies(help, 1, /lists everything you can do/);
    expect(said?.text).toMatch(platform === 'Slack' ? /`?\/causeway source/ : /`\/source`/);
    await seat.replies(await seat.mention('vielen Dank'), 1, /^Gern geschehen!/);
    expect(await app.queries()).toEqual(before);

    // A greeting with a question is a question, and needs no mention in a thread where the bot was greeted.
    const question = `hi, how do I add a source on ${platform}?`;
    await seat.say(thread, question);
    await seat.replies(thread, 3, ended);
    expect(await app.queries()).toContain(question);
  });

  test('a question without an answer is counted in the metrics', async () => {
    const thread = await sit().mention('Xylophones?');
    await sit().replies(thread, 1, /^I found no answer/);
    const read = async () => (await fetch(`${app.origin}/metrics`)).text();
    const counter = `causeway_refusals_total{platform="${platform.toLowerCase()}"} `;
    await expect.poll(read).toMatch(new RegExp(`^${RegExp.escape(counter)}[1-9]`, 'm'));
  });

  test('commands work after a mention, with or without the slash', async () => {
    const seat = sit();
    await seat.mention('source list');
    await seat.sees(/\d+ sources/);
    await seat.mention('/tag list');
    await seat.sees(/no tags yet/);
    await seat.mention('chatbot follow sometimes');
    await seat.sees(/Choose mentions, threads, questions, posts or everything/);
    await seat.mention('/help source');
    await seat.sees(/Fetch web pages again/);
    const name = `rules-${platform}.md`;
    const bytes = Buffer.from(`# Rules of ${platform}\n\nNobody runs in the corridor.\n`);
    await seat.giveFile('source upload', { name, bytes });
    await seat.sees(new RegExp(`✅.*Rules of ${platform}`));

    const thread = await seat.mention(`ask What does ${platform} cost?`);
    await seat.replies(thread, 1, /./);
    const asked = await app.queries();
    expect(asked).toContain(`What does ${platform} cost?`);
    expect(asked.filter((query) => /source list|tag list|help source/.test(query))).toEqual([]);
  });
});
