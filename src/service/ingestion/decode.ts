const headerCharsetPattern = /charset\s*=\s*["']?([\w.:-]+)/iu;
const metaCharsetPattern = /<meta[^<>]+charset\s*=\s*(?:["']\s*)?([\w.:-]+)/iu;
const xmlEncodingPattern = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)/iu;
/** A declaration in one of these that can be read byte by byte is false: it is UTF-8 then. */
const wideCharsetPattern = /utf-?16|unicode|ucs-?2/iu;
const maxMetaBytes = 4096;

/**
 * Decodes text. The charset comes from the byte order mark, the content type, or the page's `meta`,
 * in this order; otherwise it is UTF-8, or windows-1252 if the bytes are hardly UTF-8 (the order
 * of the HTML standard's encoding sniffing). Line ends become `\n`; NULs and other control
 * characters are removed.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const named =
    byteOrderMark(bytes) ?? headerCharsetPattern.exec(contentType)?.[1] ?? ownCharset(bytes);
  return tidy(
    decodeAs(named, bytes) ?? decodeUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes),
  );
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function ownCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, maxMetaBytes)).toString('latin1');
  const charset = metaCharsetPattern.exec(head)?.[1] ?? xmlEncodingPattern.exec(head)?.[1];
  return wideCharsetPattern.test(charset ?? '') ? 'utf-8' : charset;
}

/**
 * Undefined for an unknown charset, and where it is hardly UTF-8 as declared, because a page's
 * declaration may be wrong.
 */
function decodeAs(charset: string | undefined, bytes: Uint8Array): string | undefined {
  if (charset === undefined) return undefined;
  if (/^utf-?8$/iu.test(charset)) return decodeUtf8(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined unless the bytes are UTF-8, with few that are invalid among its longer characters. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes);
    return isMostlyValid(text) ? text : undefined;
  }
}

function isMostlyValid(text: string): boolean {
  let valid = 0;
  let invalid = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) invalid += 1;
    else if (code > 0x7f) valid += 1;
  }
  return valid > invalid * 2;
}

const controlPattern = /[[\p{Cc}\u200b\ufeff]--[\n\t]]/gv;

function tidy(text: string): string {
  return text.replace(/\r\n?/gu, '\n').replace(controlPattern, '');
}
