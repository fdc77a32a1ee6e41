import { type Environment, readSecret, readSwitch, readUrl } from './environment.ts';

/** The Discord app. */
export interface DiscordConfig {
  token: string;
  apiUrl?: string;
  /** Whether the bot leaves servers to which no chatbot belongs. */
  leaveUnknownServers: boolean;
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
  const leaveUnknownServers = readSwitch(environment, 'LEAVE_UNKNOWN_SERVERS', 'off');
  if (token) return { token, apiUrl, leaveUnknownServers };
  if (apiUrl) {
    environment.fault('DISCORD_API_URL', 'is set without DISCORD_TOKEN. Set both, or neither.');
  }
  return undefined;
}
