import { type APIApplication, type REST, Routes } from 'discord.js';
import { commands } from '../../bridge/commands/commands.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import { createRest } from '../../bridge/discord/connection.ts';
import { toPlatformError } from '../../bridge/discord/errors.ts';
import { registerCommands, removeCommands } from '../../bridge/discord/registration.ts';

/**
 * Registers Discord's commands for all servers or for one, or removes those of one server.
 * @returns a sentence on what was done
 * @throws {ConfigError} without a token, or without the server to remove them from
 * @throws {PlatformError} when Discord refuses it
 */
export async function register(
  config: Config,
  { guild, remove = false }: { guild?: string; remove?: boolean } = {},
): Promise<string> {
  if (!config.discord)
    throw new ConfigError(['DISCORD_TOKEN is missing. Set it to register commands.']);
  if (remove && !guild)
    throw new ConfigError([
      '--remove needs --guild: the commands for all servers are registered at each start.',
    ]);
  using rest = createRest(config.discord);
  const applicationId = await readApplicationId(rest);
  const place = guild ? `server ${guild}` : 'all servers';
  if (remove) {
    await removeCommands({ rest, applicationId, guild });
    return `The commands of ${place} were removed.`;
  }
  const changed = await registerCommands({
    rest,
    applicationId,
    guild,
    commands: { commands, names: config.commandNames },
    maxFileBytes: config.chatbot.maxUploadBytes,
  });
  if (!changed) return `The commands were registered for ${place} already.`;
  return `The commands are registered for ${place}. Reload Discord (Ctrl+R) to see them.`;
}

async function readApplicationId(rest: REST): Promise<string> {
  try {
    return ((await rest.get(Routes.currentApplication())) as APIApplication).id;
  } catch (error) {
    throw toPlatformError(error);
  }
}
