import type { Proxies } from '../shared/primitives/proxies.ts';
import type { Environment } from './environment.ts';
import type { ProxyVariable } from './variables.ts';

/** Reads the proxies as curl does: variables in lower case take precedence. */
export function readProxies(environment: Environment): Proxies {
  const noProxy = environment.read('no_proxy') ?? environment.read('NO_PROXY') ?? '';
  // The built-in service answers there, over HTTP.
  const ownHost = environment.read('HOST') ?? '127.0.0.1';
  return {
    http: readProxy(environment, ['http_proxy', 'HTTP_PROXY']),
    https: readProxy(environment, ['https_proxy', 'HTTPS_PROXY']),
    direct: [...noProxy.split(/[\s,]+/), ownHost].filter((entry) => entry !== ''),
  };
}

function readProxy(environment: Environment, names: readonly ProxyVariable[]): URL | undefined {
  const name = names.find((each) => environment.read(each) !== undefined);
  const value = name && environment.read(name);
  if (!value) return undefined;
  const url = URL.parse(value.includes('://') ? value : `http://${value}`);
  if (url && isProxy(url)) return url;
  // The value may contain a password.
  environment.fault(
    name,
    'is not the address of an HTTP proxy. Use one like http://proxy.example.com:3128, with special characters of a password percent-encoded.',
  );
  return undefined;
}

function isProxy({ protocol, pathname, search, hash, username, password }: URL): boolean {
  const isBare = pathname === '/' && search === '' && hash === '';
  return /^https?:$/.test(protocol) && isBare && isEncoded(username) && isEncoded(password);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
