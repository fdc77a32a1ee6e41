import { REST } from 'discord.js';

/**
 * Calls Discord's REST API. What the rate limits refuse is rejected at once, also where the library
 * knows without asking that Discord would refuse it and would wait by itself.
 */
export function createRest(options: { token: string; apiUrl?: string }): REST {
  return new REST(restOptions(options.apiUrl)).setToken(options.token);
}

/** What all calls of Discord's REST API here have in common. */
export function restOptions(apiUrl: string | undefined) {
  return {
    version: '10',
    ...(apiUrl && { api: apiUrl }),
    rejectOnRateLimit: () => true,
  };
}
