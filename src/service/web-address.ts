import { HttpError } from './http-error.ts';

/**
 * Parses the address of a web page and removes its fragment.
 * @throws {HttpError} 400 when it is not the address of a web page
 */
export function parseWebAddress(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new HttpError(400, 'url_invalid');
  }
  if (url.username !== '' || url.password !== '') {
    throw new HttpError(400, 'url_has_password');
  }
  url.hash = '';
  return url;
}
