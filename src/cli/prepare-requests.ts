import { createEnvironment } from '../config/environment.ts';
import { readProxies } from '../config/proxies.ts';
import type { Input } from './command.ts';

/**
 * Has this process send all its requests with one undici, through the proxies of the environment. Call
 * it before a platform's library is imported. A malformed address is left to `readConfig`, which says
 * what is wrong.
 */
export async function prepareRequests(env: Input['env']): Promise<void> {
  const proxies = readProxies(createEnvironment(env));
  const { setGlobalDispatcher } = await import('undici');
  const { hasProxies, setProxies } = await import('../shared/primitives/proxies.ts');
  const { createDispatcher } = await import('../shared/primitives/dispatcher.ts');
  setProxies(proxies);
  // Otherwise it is that of the undici within Node.js, as soon as anything mentions `fetch`: two of
  // them take an eighth more for each reply. `fetch` and discord.js use this one too.
  setGlobalDispatcher(createDispatcher());
  if (!hasProxies()) return;
  const { passGatewayThroughProxy } = await import('../bridge/discord/library-patches.ts');
  passGatewayThroughProxy();
}
