import { lookup as lookupDns } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { FetchError } from './fetch-error.ts';

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>;

export const lookupAll: Lookup = (hostname) =>
  lookupDns(hostname, { all: true, order: 'ipv4first' });

/** Whether an address is on the public internet: not private, loopback, link-local or special. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/**
 * A connector that reaches only public addresses. It resolves the name itself and connects to the
 * address it has checked, so that a name can't resolve differently the second time. A name with any
 * private address is refused.
 */
export function createPublicConnector(
  connect: buildConnector.connector,
  lookup: Lookup,
): buildConnector.connector {
  async function resolve(hostname: string): Promise<string> {
    const addresses = ipaddr.isValid(hostname)
      ? [hostname]
      : (await lookup(hostname)).map(({ address }) => address);
    const [first] = addresses;
    const params = { host: hostname };
    if (first === undefined) throw new FetchError({ code: 'host_without_address', params });
    if (!addresses.every(isPublicAddress)) {
      throw new FetchError({ code: 'host_private', params });
    }
    return first;
  }

  async function connectChecked(
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    const { hostname } = options;
    const servername = ipaddr.isValid(hostname) ? {} : { servername: hostname };
    try {
      connect({ ...options, ...servername, hostname: await resolve(hostname) }, callback);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
    }
  }
  return (options, callback) => void connectChecked(options, callback);
}
