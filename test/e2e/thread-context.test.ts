import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { splitContext } from '../../src/shared/api/session.ts';
import { openBridge, type platforms } from './scripted-bridge.ts';
import type { Asked } from './scripted-service.ts';

/** What people and other bots do in #general and its threads, in the same way on both platforms. */
interface People {
  /** The name of the bot in a text. */
  bot: string;
  /** The names that people have. */
  ada: string;
  grace: string;
  linus: string;
  /** Says something in a channel or a thread; returns the message's id. */
  say(who: string, text: string, thread?: string): Promise<string>;
  sayAsBot(name: string, text: string, thread?: string): void;
  edit(who: string, message: string, text: string): Promise<unknown>;
  remove(who: string, message: string): void;
  /** The thread below a message. */
  threadOn(who: string, message: string): string;
  /** Resolves once the bot has said in the channel that something is done. */
  done(): Promise<unknown>;
  /** The calls that read what was said. */
  reading: RegExp;
}

function slackPeople({ slack }: Sandbox): People {
  const user = (name: string) => slack.users().find((each) => each.name === name)?.id ?? '';
  const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';
  return {
    bot: `<@${slack.bot.user}>`,
    ada: 'Ada Lovelace',
    grace: 'Grace Hopper',
    linus: 'Linus Torvalds',
    say: async (who, text, thread) =>
      (await slack.say({ user: user(who), channel, text, thread })).ts,
    sayAsBot: (name, text, thread) => void slack.sayAsBot({ name, channel, thread, text }),
    edit: async (_, ts, text) => slack.edit({ channel, ts, text }),
    remove: (_, ts) => slack.remove({ channel, ts }),
    threadOn: (_, message) => message,
    done: () => slack.waitForMessage({ channel }, ({ text }) => text.startsWith('✅')),
    reading: /^conversations\.(?:replies|history)$/,
  };
}

function discordPeople({ discord }: Sandbox): People {
  const channel = discord.channels().find((each) => each.name === 'general')?.id ?? '';
  const bot = discord.users().find((each) => each.bot)?.id ?? '';
  return {
    bot: `<@${bot}>`,
    ada: 'Ada',
    grace: 'Grace',
    linus: 'Linus',
    say: async (user, content, thread = channel) =>
      (await discord.say({ user, channel: thread, content })).id,
    sayAsBot: (name, content, thread = channel) =>
      void discord.sayAsBot({ name, channel: thread, content }),
    edit: (user, message, content) => discord.edit({ user, message, content }),
    remove: (user, message) => discord.remove({ user, message }),
    threadOn: (user, message) => discord.openThread({ user, message, name: 'Invoices' }).id,
    async done() {
      const isDone = () =>
        discord.messages(channel).some(({ content }) => content.startsWith('✅'));
      if (!isDone()) await discord.changes.waitFor(isDone);
    },
    reading: /^GET \/channels\/:channel\/messages$/,
  };
}

const peopleOn = { Slack: slackPeople, Discord: discordPeople };

interface Inspection {
  calls: { method: string }[];
  replies: { id: number; query: string }[];
  curve?: { context?: string };
}

async function inspect({ fetch }: Sandbox, query = ''): Promise<Inspection> {
  const response = await fetch(
    new Request(`http://127.0.0.1/sandbox/control/inspector${query}`, {
      headers: { host: '127.0.0.1' },
    }),
  );
  return (await response.json()) as Inspection;
}

/** The bridge on a platform, and people there. */
async function open(name: keyof typeof platforms) {
  await using parts = new AsyncDisposableStack();
  const bridge = parts.use(await openBridge(name));
  const { sandbox, service } = bridge;
  const people = peopleOn[name](sandbox);

  /** What the service was asked, and with which context. Its reply is `answer`, unless it is given. */
  async function asked(give = answer) {
    const query = await service.asked();
    await give(query);
    return splitContext(query.query);
  }

  const opened = parts.move();
  return {
    ...bridge,
    people,
    asked,
    /** Asks in the channel, or in a thread: its next question waits until this one is answered. */
    async ask(who: string, text: string, thread?: string) {
      const next = asked();
      await people.say(who, `${people.bot} ${text}`, thread);
      return next;
    },
    /** A manager uses a command, as people type it after a mention. */
    async manage(command: string) {
      await people.say('ada', `${people.bot} ${command}`);
      await people.done();
    },
    reads: async () =>
      (await inspect(sandbox)).calls.filter(({ method }) => people.reading.test(method)).length,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function answer(asked: Asked): Promise<void> {
  asked.store('Answered');
  asked.write('Answered');
  asked.end();
}

describe.each(['Slack', 'Discord'] as const)('a question in a thread on %s', (platform) => {
  it('takes what was said there before, with names and in order, without our own words', async () => {
    await using bridge = await open(platform);
    const { people, ask, reads } = bridge;
    const root = await people.say('ada', 'The printer\nis jammed.');
    const thread = people.threadOn('grace', root);
    await people.say('grace', 'Which one?', thread);
    people.sayAsBot('Alerts', 'Printer 7 is offline', thread);
    await people.say('linus', 'The one on floor 2', thread);
    const sent = await ask('grace', 'who can fix it?', thread);
    expect(sent).toMatchObject({
      query: 'who can fix it?',
      context: [
        `${people.ada}: The printer is jammed.`,
        `${people.grace}: Which one?`,
        'Alerts: Printer 7 is offline',
        `${people.linus}: The one on floor 2`,
      ].join('\n'),
    });
    expect(await reads()).toBe(1);
  });

  it('then takes what was said since, which is not read again', async () => {
    await using bridge = await open(platform);
    const { people, ask, manage, reads } = bridge;
    await manage('chatbot follow mentions');
    const root = await people.say('ada', 'The printer is jammed.');
    const thread = people.threadOn('grace', root);
    await ask('grace', 'who can fix it?', thread);
    await people.say('linus', 'I tried already', thread);
    const wrong = await people.say('ada', 'It is red', thread);
    const secret = await people.say('ada', 'My password is hunter2', thread);
    await people.edit('ada', wrong, 'It is green');
    people.remove('ada', secret);
    const second = await ask('grace', 'and now?', thread);
    expect(second).toMatchObject({
      query: 'and now?',
      context: `${people.linus}: I tried already\n${people.ada}: It is green`,
    });
    const third = await ask('grace', 'and then?', thread);
    expect(third.context).toBeUndefined();
    expect(await reads()).toBe(1);
  });

  it('keeps the newest of a long thread, and the inspector shows what was taken', async () => {
    await using bridge = await open(platform);
    const { people, ask, sandbox } = bridge;
    const root = await people.say('ada', 'first of all');
    const thread = people.threadOn('grace', root);
    for (let n = 1; n <= 20; n += 1) await people.say('ada', `${n}: ${'word '.repeat(60)}`, thread);
    const { context = '' } = await ask('grace', 'so?', thread);
    expect(context.length).toBeLessThanOrEqual(3_000);
    expect(context).toContain(`${people.ada}: 20: word`);
    expect(context).not.toContain('first of all');
    const { replies } = await inspect(sandbox);
    const reply = replies.find(({ query }) => query === 'so?');
    expect((await inspect(sandbox, `?reply=${reply?.id}`)).curve?.context).toBe(context);
  });

  it('outside a thread takes nothing, unless a manager says so', async () => {
    await using bridge = await open(platform);
    const { people, ask, manage, reads } = bridge;
    await people.say('grace', 'The printer is jammed.');
    expect((await ask('ada', 'who can fix it?')).context).toBeUndefined();
    expect(await reads()).toBe(0);
    await manage('chatbot context on');
    await people.say('grace', 'It smells of smoke.');
    const { context = '' } = await ask('ada', 'what now?');
    expect(context.split('\n').slice(-1)).toEqual([`${people.grace}: It smells of smoke.`]);
    expect(context).toContain(`${people.grace}: The printer is jammed.`);
    expect(context).not.toContain('who can fix it?');
  });

  it('in a direct message takes nothing', async () => {
    await using bridge = await open(platform);
    const { asked, seat, reads } = bridge;
    const first = asked();
    const thread = await seat.sayDirectly('Hello there, what is new?');
    expect((await first).context).toBeUndefined();
    await seat.replies(thread, 1, /^Answered/);
    expect(await reads()).toBe(0);
  });

  it('is answered without it where nothing can be read', async () => {
    await using bridge = await open(platform);
    const { people, ask, sandbox } = bridge;
    const root = await people.say('ada', 'The printer is jammed.');
    const thread = people.threadOn('grace', root);
    const method =
      platform === 'Slack' ? 'conversations.replies' : 'GET /channels/:channel/messages';
    const { faults } = platform === 'Slack' ? sandbox.slack : sandbox.discord;
    const refusal =
      platform === 'Slack' ? { error: 'missing_scope' } : { status: 403, error: 50_001 };
    faults.inject({ method, times: 1, ...refusal });
    expect((await ask('grace', 'who?', thread)).context).toBeUndefined();
    expect((await ask('grace', 'and?', thread)).context).toBe(
      `${people.ada}: The printer is jammed.`,
    );
  });
});
