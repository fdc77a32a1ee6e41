import { type Environment, readUrl } from './environment.ts';

/** The app in Discord. */
export interface DiscordConfig {
  token: string;
  apiUrl?: string;
}

/** Reads the variables of Discord. @returns nothing where DISCORD_TOKEN is not set */
export function readDiscord(environment: Environment): DiscordConfig | undefined {
  const token = environment.read('DISCORD_TOKEN');
  const apiUrl = readUrl(environment, 'DISCORD_API_URL');
  if (token) return { token, ...(apiUrl && { apiUrl }) };
  if (apiUrl) {
    environment.fault('DISCORD_API_URL', 'is set without DISCORD_TOKEN. Set that too, or neither.');
  }
  return undefined;
}
