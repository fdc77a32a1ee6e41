import { Agent, type buildConnector, type Dispatcher, request } from 'undici';
import { createConnector, createDispatcher } from '../../shared/primitives/dispatcher.ts';
import { IngestionError } from './document.ts';
import { createPublicConnector, type Lookup, lookupAll } from './public-address.ts';
import { isOk, readHeader, readStart, type Response, writeBody } from './response.ts';
import { isAllowedByRobots } from './robots.ts';

export interface UrlFetcherOptions {
  /** Max size of the uncompressed page; a longer one is rejected. */
  maxBytes: number;
  /** For tests: allows loopback and private networks. Default false. */
  allowPrivateAddresses?: boolean;
  /** A folder, as a URL with a slash at its end, whose pages may be on a private address. */
  ownPages?: string;
  /** Timeout for the whole page, including redirects, robots.txt and body. Default 30 000. */
  timeoutMs?: number;
  /** Default: the system's. */
  lookup?: Lookup;
  /** Connects to a checked address. Default: undici's. */
  connect?: buildConnector.connector;
}

interface FetchedFile {
  /** The final address, after redirects. */
  url: string;
  /** As declared by the server, with its charset; '' if it declares none. */
  contentType: string;
  bytes: number;
}

export interface UrlFetcher {
  /**
   * Writes the content of an http(s) address to a file.
   * @throws {IngestionError} with a sentence for the person who added the address
   * @throws {Error} the signal's reason when it is aborted
   */
  fetchToFile(url: string, path: string, signal: AbortSignal): Promise<FetchedFile>;
}

const robotName = 'Causeway';
const userAgent = `${robotName}/0.1 (reads a page once when a user adds it as a source)`;
const requestHeaders = {
  'user-agent': userAgent,
  accept: 'text/html, text/*;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, br',
};
const maxRedirects = 5;
const maxRobotsBytes = 500 * 1024;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches pages for people who can enter any address, so every hop must be on the public internet.
 */
export function createUrlFetcher(options: UrlFetcherOptions): UrlFetcher {
  const { maxBytes, timeoutMs = 30_000, lookup = lookupAll } = options;
  const connect = createPublicConnector(options.connect ?? createConnector(), lookup);
  /** The pages of `ownPages` never redirect, so the first address decides. */
  const isOwnPage = ({ href }: URL) =>
    options.ownPages !== undefined && href.startsWith(options.ownPages);
  const createAgent = (url: URL) =>
    options.allowPrivateAddresses || isOwnPage(url) ? createDispatcher() : new Agent({ connect });

  return {
    async fetchToFile(address, path, signal) {
      signal.throwIfAborted();
      const deadline = AbortSignal.timeout(timeoutMs);
      const start = parseAddress(address);
      const agent = createAgent(start);
      const visit = createVisit(agent, AbortSignal.any([signal, deadline]));
      try {
        const { url, response } = await visit.page(start);
        const bytes = await writeBody(response, path, maxBytes);
        return { url: url.href, contentType: readHeader(response, 'content-type'), bytes };
      } catch (error) {
        signal.throwIfAborted();
        throw deadline.aborted
          ? new IngestionError({
              code: 'page_late',
              params: { address, seconds: timeoutMs / 1000 },
            })
          : toIngestionError(error, address);
      } finally {
        await agent.destroy();
      }
    },
  };
}

/** The requests of one fetch: a page, and the robots.txt of each host on the way. */
function createVisit(agent: Dispatcher, signal: AbortSignal) {
  const robots = new Map<string, string>();

  /**
   * Follows redirects. Each one is checked like the first address, and by `check` before its
   * request.
   */
  async function follow(
    start: URL,
    check: (url: URL) => Promise<void>,
  ): Promise<{ url: URL; response: Response }> {
    let url = start;
    for (let hop = 0; hop <= maxRedirects; hop++) {
      await check(url);
      // Not `fetch`: it copies bodies on the way, which leaves twice their size as garbage.
      const response = await request(url, { dispatcher: agent, signal, headers: requestHeaders });
      // An unread body fails when the agent is destroyed, which can be ignored.
      response.body.on('error', () => {});
      const location = readHeader(response, 'location');
      if (!redirectStatuses.has(response.statusCode) || location === '') return { url, response };
      response.body.destroy();
      url = parseAddress(location, url);
    }
    const params = { address: start.href, max: maxRedirects };
    throw new IngestionError({ code: 'page_redirects', params });
  }

  async function readRobots(url: URL): Promise<string> {
    const { response } = await follow(new URL('/robots.txt', url), async () => {});
    if (response.statusCode >= 500) {
      const params = { host: url.host, status: response.statusCode };
      throw new IngestionError({ code: 'robots_unavailable', params });
    }
    if (isOk(response)) return readStart(response, maxRobotsBytes);
    response.body.destroy();
    return '';
  }

  async function checkRobots(url: URL): Promise<void> {
    const rules = robots.get(url.origin) ?? (await readRobots(url));
    robots.set(url.origin, rules);
    if (isAllowedByRobots(rules, robotName, url)) return;
    const params = { host: url.host, address: url.href };
    throw new IngestionError({ code: 'robots_forbid', params });
  }

  return {
    async page(start: URL): Promise<{ url: URL; response: Response }> {
      const { url, response } = await follow(start, checkRobots);
      if (isOk(response)) return { url, response };
      throw toStatusError(url, response);
    },
  };
}

/** Ports below this are reserved for one kind of server each; only the web's are allowed. */
const firstUnreservedPort = 1024;
const webPorts = new Set(['', '80', '443']);

const videoHostsPattern = /(?:^|\.)(?:youtube\.com|youtu\.be|youtube-nocookie\.com)$/u;

function parseAddress(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url) throw new IngestionError({ code: 'address_invalid', params: { address } });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new IngestionError({ code: 'address_not_web', params: { address: url.href } });
  }
  if (url.username !== '' || url.password !== '') {
    throw new IngestionError('address_has_password');
  }
  if (!webPorts.has(url.port) && Number(url.port) < firstUnreservedPort) {
    throw new IngestionError({ code: 'address_port', params: { port: url.port } });
  }
  if (videoHostsPattern.test(url.hostname)) {
    throw new IngestionError('address_video');
  }
  return url;
}

function toStatusError(url: URL, { statusCode: status, statusText }: Response): IngestionError {
  const params = { address: url.href, status: `${status} ${statusText}`.trim() };
  if (status === 404 || status === 410) return new IngestionError({ code: 'page_missing', params });
  if (status === 401 || status === 403)
    return new IngestionError({ code: 'page_not_public', params });
  return new IngestionError({ code: 'page_failed', params });
}

const hostProblems = {
  ENOTFOUND: 'host_unknown',
  ERR_PROXY: 'host_not_proxied',
  EAI_AGAIN: 'host_lookup_failed',
  ECONNREFUSED: 'host_refuses',
  ECONNRESET: 'host_broke_off',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'host_unreachable',
  ETIMEDOUT: 'host_silent',
  UND_ERR_CONNECT_TIMEOUT: 'host_silent',
  UND_ERR_SOCKET: 'host_broke_off',
} as const;

/** From undici, its HTTP parser and zlib. */
const unreadableCodePattern = /^(?:UND_ERR_|HPE_|Z_|ERR_BROTLI_|ERR__ERROR_|HTTPParserError$)/u;

/** Converts a network error to an IngestionError; other errors are returned unchanged. */
function toIngestionError(error: unknown, address: string): unknown {
  const causes = [...toCauses(error)];
  const known = causes.find((cause) => cause instanceof IngestionError);
  if (known) return known;
  const host = URL.parse(address)?.host ?? address;
  const codes = causes.map(toCode);
  const named = codes.find((code) => Object.hasOwn(hostProblems, code));
  if (named !== undefined) {
    const code = hostProblems[named as keyof typeof hostProblems];
    return new IngestionError({ code, params: { host } }, { cause: error });
  }
  const certificate = codes.find((code) => /CERT|SELF_SIGNED|TLS|SSL|ALTNAME/u.test(code));
  if (certificate !== undefined) {
    const params = { host, reason: certificate };
    return new IngestionError({ code: 'host_certificate', params }, { cause: error });
  }
  return codes.some((code) => unreadableCodePattern.test(code))
    ? new IngestionError({ code: 'host_unreadable', params: { host } }, { cause: error })
    : error;
}

/** Its code, or its name if there is none: undici's parser sometimes omits the code. */
function toCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

function* toCauses(error: unknown): Generator<Error> {
  let cause = error;
  while (cause instanceof Error) {
    yield cause;
    cause = cause.cause;
  }
}
