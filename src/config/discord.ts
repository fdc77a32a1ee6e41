import { type Environment, readSecret, readUrl } from './environment.ts';

/** The Discord app. */
export interface DiscordConfig {
  token: string;
  apiUrl?: string;
}

/**
 * Reads Discord's variables.
 *
 * @returns undefined if DISCORD_TOKEN is not set
 */
export function readDiscord(environment: Environment): DiscordConfig | undefined {
  const token = readSecret(environment, 'DISCORD_TOKEN', {
    pattern: /^[\w-]{18,}\.[\w-]{6,}\.[\w-]{20,}$/,
    problem:
      'is not a bot token, which has three parts with dots between them. Copy it under Bot > Reset Token in the Discord Developer Portal.',
  });
  const apiUrl = readUrl(environment, 'DISCORD_API_URL');
  if (token) return { token, apiUrl };
  if (apiUrl) {
    environment.fault('DISCORD_API_URL', 'is set without DISCORD_TOKEN. Set both, or neither.');
  }
  return undefined;
}
