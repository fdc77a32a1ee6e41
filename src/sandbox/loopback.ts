const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Whether a Host header names this machine. A page whose domain resolves to loopback (DNS
 * rebinding) still sends its own domain here.
 */
export function isLoopback(host: string): boolean {
  return loopbackNames.has(host.replace(/:\d+$/, '').toLowerCase());
}

/**
 * Whether a browser sends a request to `host` for a page of another origin. It says so in Origin, or
 * where it leaves that out, as for images, in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/).
 * A program sends neither.
 */
export function isFromElsewhere(
  headers: { origin?: string; 'sec-fetch-site'?: string },
  host: string,
): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined && !isOwn(origin, host)) return true;
  return site !== 'same-origin' && site !== 'none';
}

function isOwn(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.host === host.toLowerCase() && isLoopback(url.host);
}
