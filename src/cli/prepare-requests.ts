import { createEnvironment } from '../config/environment.ts';
import { readProxies } from '../config/process.ts';
import type { Input } from './command-line.ts';

/**
 * Makes this process send all requests with one undici, through the proxies of the environment. Call it
 * before importing a platform's library. A malformed address is left to `readConfig`, which reports
 * it.
 */
export async function prepareRequests(env: Input['env']): Promise<void> {
  const proxies = readProxies(createEnvironment(env));
  const { setGlobalDispatcher } = await import('undici');
  const { hasProxies, setProxies } = await import('../shared/primitives/proxies.ts');
  const { createDispatcher } = await import('../shared/primitives/dispatcher.ts');
  setProxies(proxies);
  // Otherwise, the first mention of `fetch` sets that of Node's own undici, and with two of them each
  // reply takes an eighth longer. `fetch` and discord.js use this one too.
  setGlobalDispatcher(createDispatcher());
  if (!hasProxies()) return;
  const { passGatewayThroughProxy } = await import('../bridge/discord/library-patches.ts');
  passGatewayThroughProxy();
}
