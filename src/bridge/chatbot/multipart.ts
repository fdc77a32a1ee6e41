import { randomUUID } from 'node:crypto';
import { ChatbotError } from '../conversation/errors.ts';

/** A file to send. It is read once and never held in memory as a whole. */
export interface UploadFile {
  name: string;
  /** Not read at all if no connection is made; otherwise read to the end, or closed. */
  content: AsyncIterable<Uint8Array>;
  /** Bytes, if known. */
  size?: number;
  contentType?: string;
}

export interface Multipart {
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

const fallbackType = 'application/octet-stream';

/**
 * Multipart form data (RFC 7578, encoded as browsers do: HTML §4.10.21.8) with text fields and one
 * file named `file`. The file comes last, so that the receiver already has the fields.
 *
 * The body throws ChatbotError `invalid` if the content can't be read or is not `size` bytes long.
 */
export function createMultipart(fields: Record<string, string>, file: UploadFile): Multipart {
  const boundary = `causeway-${randomUUID()}`;
  const type = /^[\x20-\x7e]+$/.test(file.contentType ?? '') ? file.contentType : fallbackType;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${texts.join('')}--${boundary}\r\n${disposition('file', file.name)}\r\nContent-Type: ${type}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

  const headers: Record<string, string> = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  if (file.size !== undefined) {
    headers['content-length'] = String(head.length + file.size + tail.length);
  }
  return { headers, body: frame(head, readContent(file), tail) };
}

async function* frame(head: Uint8Array, content: AsyncIterable<Uint8Array>, tail: Uint8Array) {
  yield head;
  yield* content;
  yield tail;
}

async function* readContent({ name, content, size }: UploadFile) {
  let sent = 0;
  try {
    for await (const bytes of content) {
      sent += bytes.length;
      if (size !== undefined && sent > size) break;
      yield bytes;
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ChatbotError('invalid', `“${name}” cannot be read: ${reason}`, { cause });
  }
  if (size !== undefined && sent !== size) {
    const found = sent > size ? 'more' : `only ${sent}`;
    throw new ChatbotError('invalid', `“${name}” should have ${size} bytes and has ${found}`);
  }
}

function disposition(name: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${escapeName(filename)}"`;
  return `Content-Disposition: form-data; name="${escapeName(name)}"${file}`;
}

function escapeName(name: string): string {
  return name.replace(/["\r\n]/g, encodeURIComponent);
}
