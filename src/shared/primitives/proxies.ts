import { BlockList, isIP } from 'node:net';

/** The proxies between this process and the internet, and the hosts that are reached directly. */
export interface Proxies {
  /** For addresses with http: or ws:. */
  http?: URL;
  /** For addresses with https: or wss:. */
  https?: URL;
  /** As in NO_PROXY: names with their subdomains, IP addresses, networks or `*`, each with or without a port. */
  direct: readonly string[];
}

const none: Proxies = { direct: [] };
let current = none;

/** Sets the proxies of this process. Without an argument, it has none. */
export function setProxies(proxies = none): void {
  current = proxies;
}

/** Whether anything is reached through a proxy. */
export function hasProxies(): boolean {
  return proxyOrigins().length > 0;
}

/** The proxies' addresses, without user and password. */
export function proxyOrigins(): string[] {
  const proxies = [current.https, current.http].filter((proxy) => proxy !== undefined);
  return [...new Set(proxies.map(({ origin }) => origin))];
}

/** The proxy for an address. This machine is always reached directly. */
export function proxyFor({ protocol, hostname, port }: URL): URL | undefined {
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  const proxy = isSecure ? current.https : current.http;
  if (!proxy) return undefined;
  const host = withoutBrackets(hostname).replace(/\.$/, '');
  const ownPort = Number(port) || (isSecure ? 443 : 80);
  const isDirect = isLoopback(host) || current.direct.some((entry) => names(entry, host, ownPort));
  return isDirect ? undefined : proxy;
}

/** An IPv6 address as sockets want it. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || contains(loopback, host);
}

function contains(network: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && network.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an entry of NO_PROXY names a host: `example.com`, `.example.com` and `*.example.com` each name its subdomains too. */
function names(entry: string, host: string, port: number): boolean {
  const [, bracketed, plain, givenPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (givenPort !== undefined && Number(givenPort) !== port) return false;
  const named = (bracketed ?? plain ?? entry).toLowerCase().replace(/^\*?\.|\.$/g, '');
  if (named === '*' || named === host) return true;
  return isIP(host) === 0 ? host.endsWith(`.${named}`) : contains(toNetwork(named), host);
}

/** The addresses of a network such as `10.0.0.0/8`; none if it is something else. */
function toNetwork(entry: string): BlockList {
  const network = new BlockList();
  const [address = '', bits = ''] = entry.split('/');
  const version = isIP(address);
  const isNetwork =
    version !== 0 && /^\d+$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
  if (isNetwork) network.addSubnet(address, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
  return network;
}
