import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openBridge, type platforms } from './scripted-bridge.ts';
import type { Asked } from './scripted-service.ts';

type Platform = keyof typeof platforms;

/** What people and bots do in #general and its threads, in the same way on both platforms. */
interface People {
  /** A mention of our bot. */
  bot: string;
  /** Says something in the channel or a thread; resolves with the message's id. */
  say(who: string, text: string, thread?: string): Promise<string>;
  sayAsBot(name: string, text: string, thread?: string): string;
  /** The ids by which a bot is named that has spoken. */
  idOf(name: string): string;
  edit(who: string, message: string, text: string): Promise<unknown>;
  /** What the bot has told somebody alone. */
  told(who: string): string[];
  /** Resolves once something that was said in the channel, or told to somebody, matches. */
  seen(pattern: RegExp, who?: string): Promise<string>;
  /** What our bot has said in a thread. */
  replies(thread: string): string[];
}

function slackPeople({ slack }: Sandbox): People {
  const user = (name: string) => slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';
  const isOurs = (each: { user: string }) => each.user === slack.bot.user;
  const told = (who: string) => slack.ephemerals(user(who), channel).map(({ text }) => text);
  return {
    bot: `<@${slack.bot.user}>`,
    say: async (who, text, thread) =>
      (await slack.say({ user: user(who), channel, text, thread })).ts,
    sayAsBot: (name, text, thread) => slack.sayAsBot({ name, channel, thread, text }).ts,
    idOf: (name) => `B0BOT${Buffer.from(name).toString('hex').toUpperCase()}`,
    edit: async (_, ts, text) => slack.edit({ channel, ts, text }),
    told,
    async seen(pattern, who) {
      const all = () =>
        who
          ? told(who)
          : slack
              .messages(channel)
              .filter(isOurs)
              .map(({ text }) => text);
      const find = () => all().find((text) => pattern.test(text));
      if (!find()) await slack.waitFor(() => find() !== undefined);
      return find() ?? '';
    },
    replies: (thread) =>
      slack
        .messages(channel, thread)
        .filter(isOurs)
        .map(({ text }) => text),
  };
}

function discordPeople({ discord }: Sandbox): People {
  const channel = discord.channels().find((each) => each.name === 'general')?.id ?? '';
  const bot = discord.users().find((each) => each.bot)?.id ?? '';
  const own = (where: string) => discord.messages(where).filter(({ author }) => author.id === bot);
  const direct = (who: string) => discord.directChannel(who).id;
  const told = (who: string) => own(direct(who)).map(({ content }) => content);
  return {
    bot: `<@${bot}>`,
    say: async (user, content, thread = channel) =>
      (await discord.say({ user, channel: thread, content })).id,
    sayAsBot: (name, content, thread = channel) =>
      discord.sayAsBot({ name, channel: thread, content }).id,
    idOf: (name) => discord.users().find((each) => each.username === name.toLowerCase())?.id ?? '',
    edit: (user, message, content) => discord.edit({ user, message, content }),
    told,
    async seen(pattern, who) {
      const all = () => (who ? told(who) : own(channel).map(({ content }) => content));
      const find = () => all().find((text) => pattern.test(text));
      if (!find()) await discord.changes.waitFor(() => find() !== undefined);
      return find() ?? '';
    },
    replies: (thread) => own(thread).map(({ content }) => content),
  };
}

const peopleOn = { Slack: slackPeople, Discord: discordPeople };

async function open(name: Platform) {
  await using parts = new AsyncDisposableStack();
  const bridge = parts.use(await openBridge(name));
  const people = peopleOn[name](bridge.sandbox);
  const opened = parts.move();
  return {
    ...bridge,
    people,
    /** Asks something, and resolves with its message once it was answered. */
    async ask(say: () => Promise<string> | string) {
      const asked = bridge.service.asked();
      const message = await say();
      answer(await asked);
      return message;
    },
    /** A manager uses a command, as people type it after a mention. */
    async manage(command: string, shows: RegExp) {
      await people.say('ada', `${people.bot} ${command}`);
      await people.seen(shows, 'ada');
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function answer(asked: Asked): void {
  asked.store('Answered');
  asked.write('Answered');
  asked.end();
}

describe.each(['Slack', 'Discord'] as const)('who may ask on %s', (platform) => {
  it('counts questions, not edits, and tells once when asking works again', async () => {
    await using bridge = await open(platform);
    const { people, ask, manage } = bridge;
    await manage('chatbot limits person:2', /up to 2 questions/);
    const first = await ask(() => people.say('grace', `${people.bot} one?`));
    await people.edit('grace', first, `${people.bot} one, please?`);
    await ask(() => people.say('grace', `${people.bot} two?`));
    await people.say('grace', `${people.bot} three?`);
    const said = await people.seen(/as many questions as one person may ask/, 'grace');
    expect(said).toMatch(
      platform === 'Slack' ? /again from .*\d{4}.*\d\d:\d\d/ : /again from <t:\d+:f>/,
    );
    await people.say('grace', `${people.bot} four?`);
    // Others may still ask, and what they ask comes after what was not asked.
    await ask(() => people.say('ada', `${people.bot} five?`));
    expect(people.told('grace').filter((text) => text.includes('as many'))).toHaveLength(1);
    // What is set is shown, and can be lifted.
    await manage('chatbot limits person:0', /Everyone may(?![^]*Each person)/);
    await ask(() => people.say('grace', `${people.bot} six?`));
  });

  it('answers bots that are named, and never two in a loop', async () => {
    await using bridge = await open(platform);
    const { people, ask, manage } = bridge;
    people.sayAsBot('Alerts', `${people.bot} may I ask?`);
    await manage(`chatbot access rule:allow bot:${people.idOf('Alerts')}`, /Bots: allowed: /);
    const root = await people.say('grace', 'A thread of people');
    const thread =
      platform === 'Slack'
        ? root
        : bridge.sandbox.discord.openThread({ user: 'grace', message: root, name: 'Talk' }).id;
    // What is no question gets no answer, by which two bots could thank each other for ever.
    people.sayAsBot('Alerts', `${people.bot} thanks`, thread);
    for (const which of ['one', 'two', 'three']) {
      await ask(() => people.sayAsBot('Alerts', `${people.bot} ${which}?`, thread));
    }
    people.sayAsBot('Alerts', `${people.bot} four?`, thread);
    people.sayAsBot('Others', `${people.bot} five?`, thread);
    // A person’s question ends the row.
    await ask(() => people.say('grace', `${people.bot} six?`, thread));
    await ask(() => people.sayAsBot('Alerts', `${people.bot} seven?`, thread));
    await expect.poll(() => people.replies(thread)).toHaveLength(5);
  });
});
