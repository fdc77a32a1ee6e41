import { lookup as lookupDns } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { IngestionError } from './document.ts';

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>;

export const lookupAll: Lookup = (hostname) =>
  lookupDns(hostname, { all: true, order: 'ipv4first' });

/** The only part of IPv6 whose addresses are given out for the internet (RFC 4291, 2.4). */
const internet = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Looks public, but each machine at Azure reaches its host there, with data for that machine alone
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16). The other
 * clouds have such services at special addresses.
 */
const hostAtAzure = '168.63.129.16';

/**
 * Whether an address is on the public internet: not private, loopback, link-local or special, nor
 * another spelling or a tunnel of such an IPv4 address, nor a cloud's own service for its machines.
 * An address with a zone names an interface.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8, unless it is written as in a URL.
  const written = address.includes(':')
    ? URL.parse(`http://[${address}]`)?.hostname.slice(1, -1)
    : address;
  if (written === undefined || !ipaddr.isValid(written)) return false;
  const parsed = ipaddr.process(written);
  if (parsed.range() !== 'unicast' || parsed.toString() === hostAtAzure) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(internet);
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
    if (first === undefined) throw new IngestionError({ code: 'host_without_address', params });
    if (!addresses.every(isPublicAddress)) {
      throw new IngestionError({ code: 'host_private', params });
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
