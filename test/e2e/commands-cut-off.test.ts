import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import type { DiscordServer } from '../../src/sandbox/discord/discord-server.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { plainText } from '../../src/sandbox/slack/plain-text.ts';
import type { SlackWorkspace } from '../../src/sandbox/slack/slack-workspace.ts';
import type { CommandSeat } from '../contracts/commands/seat.ts';
import { silentLog } from '../fixtures/log.ts';
import { createTemporaryFolder } from '../fixtures/temporary-folder.ts';
import { discordCommandSeats } from './discord-command-seat.ts';
import { type IngestingService, startIngestingService } from './ingesting-service.ts';
import { slackCommandSeats } from './slack-command-seat.ts';

/** What Ada sees of the bot in #general and in her direct messages. */
interface Place {
  seat: CommandSeat;
  /** Mentions the bot in #general. */
  mention(words: string): Promise<unknown>;
  general(): string[];
  /** In threads of #general. */
  threads(): string[];
  direct(): string[];
  until(isSo: () => boolean): Promise<void>;
}

function onSlack(slack: SlackWorkspace): Place {
  const ada = slack.users().find(({ name }) => name === 'ada')?.id ?? '';
  const general = slack.channels().find(({ name }) => name === 'general')?.id ?? '';
  const textsIn = (channel: string, thread?: string) =>
    slack
      .messages(channel, thread)
      .filter((message) => message.bot_id)
      .map(plainText);
  return {
    seat: slackCommandSeats(slack).manager,
    mention: (words) =>
      slack.say({ user: ada, channel: general, text: `<@${slack.bot.user}> ${words}` }),
    threads: () => slack.messages(general).flatMap(({ ts }) => textsIn(general, ts)),
    general: () => textsIn(general),
    direct: () => textsIn(slack.direct(ada).id),
    async until(isSo) {
      if (!isSo()) await slack.waitFor(isSo);
    },
  };
}

function onDiscord(discord: DiscordServer): Place {
  const people = discord.users();
  const bot = people.find((user) => user.bot)?.id;
  const ada = people.find(({ username }) => username === 'ada')?.id ?? '';
  const general = discord.channels().find(({ name }) => name === 'general')?.id ?? '';
  const textsIn = (channel: string) =>
    discord
      .messages(channel)
      .filter(({ author, ephemeralFor }) => author.id === bot && ephemeralFor === undefined)
      .map(({ content }) => content);
  return {
    seat: discordCommandSeats(discord).manager,
    mention: (words) =>
      discord.say({ user: 'ada', channel: '#general', content: `<@${bot}> ${words}` }),
    threads: () => discord.threads(general).flatMap(({ id }) => textsIn(id)),
    general: () => textsIn(general),
    direct: () => textsIn(discord.directChannel(ada).id),
    async until(isSo) {
      if (!isSo()) await discord.changes.waitFor(isSo);
    },
  };
}

const platforms = {
  Slack: (sandbox: Sandbox) => onSlack(sandbox.slack),
  Discord: (sandbox: Sandbox) => onDiscord(sandbox.discord),
};

const addPage = { command: 'source url', values: { url: 'https://example.com/handbook' } };
const createTag = { command: 'tag create', values: { name: 'Press', color: '#ff0000' } };

const isReady = (texts: string[]) => texts.some((text) => /Handbook.* is ready: 300/.test(text));
const isCutOff = (text: string) => /I was restarted while `?\/(?:causeway )?tag/.test(text);

function envFor(service: IngestingService, folder: string): Record<string, string> {
  return {
    DATA_DIR: folder,
    PORT: '0',
    CHATBOT_API_URL: service.origin,
    CHATBOT_API_KEY: 'the-right-key',
    CHATBOT_UUID: 'bot',
  };
}

describe.each(['Slack', 'Discord'] as const)('commands that a restart interrupts on %s', (name) => {
  async function start(service: IngestingService, folder: string): Promise<App & { at: Place }> {
    const app = await createApp(readConfig(envFor(service, folder)), silentLog);
    if (!app.sandbox) throw new Error('no sandbox');
    return Object.assign(app, { at: platforms[name](app.sandbox) });
  }

  it('are not run again: a watch continues, and the person is told about any other', async () => {
    await using service = await startIngestingService();
    const [folder, afterCrash] = [createTemporaryFolder(), createTemporaryFolder()];
    {
      await using first = await start(service, folder);
      await first.at.seat.use(addPage, /Handbook.*indexing/);
      void first.at.seat.use(createTag, /never/).catch(() => undefined);
      await service.creatingTag;
      // The state that a process leaves if it dies now.
      cpSync(folder, afterCrash, { recursive: true });
    }
    {
      await using second = await start(service, afterCrash);
      const { at } = second;
      await at.until(() => at.direct().some(isCutOff));
      expect(at.direct()).toEqual([expect.stringContaining(`${at.seat.lead}tag create`)]);
      service.status = 'success';
      await at.until(() => isReady(at.general()) && isReady(at.direct()));
    }
    await using third = await start(service, afterCrash);
    // This shows that the third start has read what it had to report.
    await third.at.seat.use({ command: 'help', values: {} }, /source/);
    expect(third.at.direct()).toHaveLength(2);
    expect(third.at.general()).toHaveLength(1);
    expect(service.changes()).toBe(2);
  });

  it('continue a watch that a message started, without mentioning the message', async () => {
    await using service = await startIngestingService();
    const [folder, afterCrash] = [createTemporaryFolder(), createTemporaryFolder()];
    {
      await using first = await start(service, folder);
      await first.at.mention('/source url https://example.com/handbook');
      await service.listing;
      cpSync(folder, afterCrash, { recursive: true });
    }
    service.status = 'success';
    await using second = await start(service, afterCrash);
    const { at } = second;
    await at.until(() => isReady(at.direct()));
    await at.seat.use({ command: 'help', values: {} }, /source/);
    const shown = [...at.general(), ...at.threads(), ...at.direct()].join('\n');
    expect(shown).not.toContain('I was restarted');
    expect(service.changes()).toBe(1);
  });

  it('continue a watch after a clean restart', async () => {
    await using service = await startIngestingService();
    const folder = createTemporaryFolder();
    {
      await using first = await start(service, folder);
      await first.at.seat.use(addPage, /Handbook.*indexing/);
    }
    service.status = 'fail';
    await using second = await start(service, folder);
    const { at } = second;
    const hasFailed = (texts: string[]) =>
      texts.some((text) => text.includes('could not be added'));
    await at.until(() => hasFailed(at.general()) && hasFailed(at.direct()));
    expect(at.general()).toHaveLength(1);
  });
});
