import { Parser } from 'htmlparser2';

/** Decodes HTML character references: "&amp;" → "&". */
export function decodeEntities(text: string): string {
  if (!/&[#\w]/u.test(text)) return text;
  let decoded = '';
  const parser = new Parser({ ontext: (data) => (decoded += data) }, { decodeEntities: true });
  parser.end(text.replaceAll('<', '&lt;'));
  return decoded;
}
