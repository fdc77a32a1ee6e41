import { ChatbotError } from '../conversation/chatbot-error.ts';

/** Base address of the API: `/api/v1` follows the prefix. */
export interface BaseAddress {
  origin: string;
  /** '' or a path such as `/sub`, without a trailing slash. */
  prefix: string;
}

/**
 * Parses a service's base URL, with or without a trailing slash or `/api/v1`.
 * @throws {TypeError} when it is not a URL, or contains parts that a base URL can't have
 */
export function parseBaseUrl(baseUrl: string): BaseAddress {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be an http or https address, like https://example.com');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must be without a user, a query and a fragment');
  }
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return { origin: url.origin, prefix: prefix.replace(/\/+$/, '') };
}

/**
 * The path and query of a request. Identifiers can come from people, so each is encoded into a
 * single path segment.
 * @throws {ChatbotError} `not_found` when an identifier can't be one
 */
export function renderPath(
  template: string,
  params: Record<string, string> = {},
  query: Record<string, string | undefined> = {},
): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => renderSegment(params[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, value);
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

function renderSegment(id = ''): string {
  // URL parsers drop these segments, even when encoded.
  if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) {
    throw new ChatbotError('not_found', `“${id.toWellFormed()}” is no identifier`);
  }
  return encodeURIComponent(id);
}
