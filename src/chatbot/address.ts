import { ChatbotError } from '../conversation/chatbot-error.ts';

/** Where the API lives: `/api/v1` follows the prefix. */
export interface BaseAddress {
  origin: string;
  /** '' or a path like `/sub`, without a slash at its end. */
  prefix: string;
}

/**
 * The address of a service, given with or without a slash or `/api/v1` at its end.
 *
 * @throws {TypeError} The base URL is none, or holds what an address of a service cannot.
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
 * The path and query of a request. Identifiers come from people too: whatever they hold stays one
 * segment of the path.
 *
 * @throws {ChatbotError} `not_found` where an identifier cannot be one.
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
  // A path drops these, however they are encoded.
  if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) {
    throw new ChatbotError('not_found', `“${id.toWellFormed()}” is no identifier`);
  }
  return encodeURIComponent(id);
}
