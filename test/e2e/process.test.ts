import { GatewayCloseCodes } from 'discord.js';
import { fetch } from 'undici';
import { describe, expect, it } from 'vitest';
import { openServer } from '../bridge/discord/open-server.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { type CausewayProcess, startCauseway } from './causeway-process.ts';
import { startScriptedService } from './scripted-service.ts';

interface Shown {
  id: string;
  thread?: string;
  author: { bot: boolean };
  parts: { kind: string; text?: string }[];
}

/** The bot's text in a Slack thread, once it matches; checked after every change. */
const botSays = (
  process: CausewayProcess,
  thread: string,
  satisfies: (text: string) => boolean,
): Promise<string> => botShows(process, { platform: 'slack', thread }, satisfies);

/** What the bot shows Ada in #general or a thread there, once it matches. */
async function botShows(
  { origin, control }: CausewayProcess,
  { platform, thread }: { platform: 'slack' | 'discord'; thread?: string },
  satisfies: (text: string) => boolean,
): Promise<string> {
  const look = async () => {
    const at = { user: 'ada', channel: '#general', ...(thread && { thread }) };
    const query = new URLSearchParams(at);
    const { messages } = await control<{ messages: Shown[] }>(
      `/${platform}/messages?${query.toString()}`,
    );
    const parts = messages.filter(({ author }) => author.bot).flatMap((message) => message.parts);
    return parts.map((part) => part.text ?? '').join('\n');
  };
  const stop = new AbortController();
  const events = await fetch(`${origin}/sandbox/control/events`, { signal: stop.signal });
  const reader = events.body?.getReader();
  try {
    for (let text = await look(); ; text = await look()) {
      if (satisfies(text)) return text;
      if ((await reader?.read())?.done !== false) throw new Error(text);
    }
  } finally {
    stop.abort();
  }
}

/** Asks in #general, and returns the thread of the answer. */
async function mention({ control }: CausewayProcess, question: string): Promise<string> {
  const { slack } = await control<{ slack: { bot: { id: string } } }>('/overview');
  const said = await control<{ message: Shown }>('/slack/say', {
    user: 'ada',
    channel: '#general',
    text: `<@${slack.bot.id}> ${question}`,
  });
  return said.message.id;
}

describe('npm start', () => {
  it('answers from its own documentation, and continues after a clean end and after a kill', async ({
    signal,
  }) => {
    const folder = createTemporaryFolder();
    await using first = await startCauseway({ DATA_DIR: folder }, signal);
    expect(first.output()).toContain('mention @causeway');
    expect(first.output()).toContain('added the first sources');
    const thread = await mention(first, 'How do I add a source?');
    const answer = await botSays(first, thread, (text) => text.includes('Sources:'));
    expect(answer).toContain('/source upload');

    // Ada manages both workspaces without being named.
    const at = { user: 'ada', channel: '#general' };
    const { control } = first;
    await control('/slack/command', { ...at, text: '/causeway tag create Ours --color red' });
    await botShows(first, { platform: 'slack' }, (text) => /Created: .*Ours/.test(text));
    const options = { name: 'Ours too', color: 'red' };
    const given = { name: 'tag', subcommand: 'create', options };
    await control('/discord/command', { ...at, ...given });
    await botShows(first, { platform: 'discord' }, (text) => /Created: .*Ours too/.test(text));
    const { discord } = await control<{ discord: { bot: { id: string } } }>('/overview');
    const asked = { ...at, text: `<@${discord.bot.id}> How do I connect Slack?` };
    const { message } = await control<{ message: Shown }>('/discord/say', asked);
    const isAnswer = (text: string) => text.includes('Sources:');
    await botShows(first, { platform: 'discord', thread: message.id }, isAnswer);

    const followUp = {
      user: 'ada',
      channel: '#general',
      thread,
      text: 'How do I connect Discord?',
    };
    await first.control('/slack/say', followUp);
    await botSays(first, thread, (text) => text.length > answer.length);
    expect(await first.stop('SIGTERM')).toBe(0);

    await using second = await startCauseway({ DATA_DIR: folder }, signal);
    const whole = await botSays(second, thread, (text) => text.split('Sources:').length > 2);
    expect(whole).toContain('DISCORD_TOKEN');
    expect(second.output()).not.toContain('added the first sources');

    const cutOff = await mention(second, 'How do I connect Slack?');
    const begun = await botSays(second, cutOff, (text) => text.includes(' '));
    await second.stop('SIGKILL');
    await using third = await startCauseway({ DATA_DIR: folder }, signal);
    const ended = await botSays(third, cutOff, (text) => /Sources:|I was restarted/.test(text));
    expect(ended).toContain(begun.split(' ')[0]);
  });

  it('answers once what was asked on Discord before a kill and after it', async ({ signal }) => {
    await using server = await openServer();
    await using service = await startScriptedService();
    const { discord, mention } = server;
    const { token, apiUrl } = discord.credentials;
    const env = {
      DATA_DIR: createTemporaryFolder(),
      CHATBOT_API_URL: service.origin,
      CHATBOT_API_KEY: 'the-right-key',
      CHATBOT_UUID: 'bot',
      DISCORD_TOKEN: token,
      DISCORD_API_URL: apiUrl,
    };
    const ask = async (question: string) => {
      const content = `${mention} ${question}`;
      const { id } = await discord.say({ user: 'ada', channel: '#general', content });
      return id;
    };
    const answer = async (thread: string) => {
      const { query, write, end } = await service.asked();
      write(`About “${query}”.`);
      end();
      await server.shown(thread, `About “${query}”.`);
    };

    await using first = await startCauseway(env, signal);
    const early = await ask('How do I connect Slack?');
    await answer(early);
    await first.stop('SIGKILL');
    const missed = await ask('How do I add a source?');

    await using second = await startCauseway(env, signal);
    await answer(missed);
    expect([early, missed].map((thread) => discord.messages(thread).length)).toEqual([1, 1]);

    expect((await fetch(`${second.origin}/readyz`)).status).toBe(200);
    const back = discord.changes.waitFor(
      (change) => change.kind === 'gateway' && change.event === 'ready',
    );
    discord.gateway.disconnect(GatewayCloseCodes.AuthenticationFailed);
    await second.printed(/Discord refused DISCORD_TOKEN\./);
    await back;
    expect([early, missed].map((thread) => discord.messages(thread).length)).toEqual([1, 1]);
  });
});
