import { HttpError } from './http-error.ts';

/**
 * The address of a page on the web, without its fragment.
 * @throws {HttpError} 400 for what is no address of a page on the web
 */
export function parseWebAddress(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new HttpError(400, 'url: must be an address like https://example.com/page');
  }
  if (url.username !== '' || url.password !== '') {
    throw new HttpError(400, 'url: must hold no user name or password: leave them out');
  }
  url.hash = '';
  return url;
}
