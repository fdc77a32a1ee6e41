import { type Environment, readUrl } from './environment.ts';

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
  const token = environment.read('DISCORD_TOKEN');
  const apiUrl = readUrl(environment, 'DISCORD_API_URL');
  if (token) return { token, apiUrl };
  if (apiUrl) {
    environment.fault('DISCORD_API_URL', 'is set without DISCORD_TOKEN. Set both, or neither.');
  }
  return undefined;
}
