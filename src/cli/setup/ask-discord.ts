import {
  type APIApplication,
  type APIChannel,
  type APIGuildMember,
  ChannelType,
  DiscordAPIError,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord.js';
import { commands } from '../../bridge/commands/commands.ts';
import type { Config } from '../../config/config.ts';
import type { DiscordConfig } from '../../config/platforms.ts';
import { createRest } from '../../bridge/discord/connection.ts';
import { toPlatformError } from '../../bridge/discord/errors.ts';
import { missingInChannel, type WrittenChannel } from '../../bridge/discord/permissions.ts';
import { compareCommands, listCommands } from '../../bridge/discord/registration.ts';
import { createAsk, once, Trouble, unreachable } from './check.ts';

export type DiscordQuestions = ReturnType<typeof askDiscord>;

const pageLength = 200;

/** Questions to Discord's API. Each is asked once, when its answer is first needed. */
export function askDiscord(discord: DiscordConfig, config: Config) {
  const rest = createRest(discord);
  const application = once(
    async () => (await ask(rest.get(Routes.currentApplication()))) as APIApplication,
  );
  const scope = async () => ({ rest, applicationId: (await application()).id });
  return {
    application,
    /** The servers that the bot is in, with its permissions there. */
    guilds: once(async () => {
      const found: RESTAPIPartialCurrentUserGuild[] = [];
      for (let page = pageLength; page === pageLength;) {
        const query = new URLSearchParams({ limit: String(pageLength), with_counts: 'true' });
        const last = found.at(-1)?.id;
        if (last) query.set('after', last);
        const more = await ask(rest.get(Routes.userGuilds(), { query }));
        found.push(...(more as RESTAPIPartialCurrentUserGuild[]));
        page = (more as unknown[]).length;
      }
      return found;
    }),
    /** The channels of a server that the bot sees, each with the permissions that it lacks there. */
    async channels({ id: guild, permissions }: RESTAPIPartialCurrentUserGuild) {
      const { bot } = await application();
      const [found, member] = await Promise.all([
        ask(rest.get(Routes.guildChannels(guild))) as Promise<APIChannel[]>,
        ask(rest.get(Routes.guildMember(guild, bot?.id ?? ''))) as Promise<APIGuildMember>,
      ]);
      return found.filter(isWritten).flatMap((channel) => {
        const missing = missingInChannel(permissions, channel, { guild, member });
        return missing ? [{ name: channel.name, missing }] : [];
      });
    },
    /** How the registered commands differ from the declared ones. */
    differences: once(async () => {
      const set = { commands, names: config.commandNames };
      const { maxUploadBytes: maxFileBytes } = config.chatbot;
      return ask(compareCommands({ ...(await scope()), commands: set, maxFileBytes }));
    }),
    /** The names of the commands that are registered for one server. */
    async ownCommands(guild: string) {
      const own = await ask(listCommands({ ...(await scope()), guild }));
      return own.map(({ name }) => name);
    },
    [Symbol.dispose]: () => rest[Symbol.dispose](),
  };
}

function isWritten(channel: APIChannel): channel is APIChannel & WrittenChannel {
  return channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement;
}

const ask = createAsk(toTrouble);

function toTrouble(error: unknown): Trouble {
  const { kind, cause } = toPlatformError(error);
  if (kind === 'rate_limited') return new Trouble('busy', 'Discord limits requests now.');
  if (kind === 'failed') return unreachable('Discord', cause);
  const code = cause instanceof DiscordAPIError ? ` (${cause.status}, ${cause.code})` : '';
  return new Trouble('refused', `Discord refuses it${code}.`);
}
