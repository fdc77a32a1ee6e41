import { createHmac, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { Contents } from '../contents.ts';
import type { Attachment, Collection } from './documents.ts';
import { refusal } from './refusals.ts';

/**
 * Max bytes of a file without a paid plan:
 * https://docs.discord.com/developers/reference#uploading-files
 */
const maxAttachmentBytes = 10 * 1024 * 1024;
const lifetimeMs = 24 * 60 * 60 * 1000;
const maxAttachments = 10_000;

/** A file to upload. */
export interface Upload {
  name: string;
  bytes: Uint8Array;
  /** MIME type. */
  type?: string;
  description?: string;
}

/** https://docs.discord.com/developers/resources/message#attachment-object */
export interface AttachmentPayload {
  id: string;
  filename: string;
  title?: string;
  description?: string;
  content_type?: string;
  size: number;
  url: string;
  proxy_url: string;
  ephemeral?: true;
}

/** The files of messages and interactions. */
export interface Attachments {
  /** Max bytes of a file: 10 MiB, unless a paid plan raises it. */
  limit: number;
  /**
   * Keeps files for a channel and resolves with their ids.
   * @throws {DiscordRefusal} 40005 when one is past the limit
   */
  store(channel: string, files: Upload[], options?: { ephemeral?: boolean }): Promise<string[]>;
  /**
   * The attachments that Discord sends for these ids, with URLs that are valid for a day. Unknown
   * ids are omitted.
   */
  render(ids: string[]): AttachmentPayload[];
  delete(ids: string[]): void;
  /** Serves attachments by their signed URLs. A served page can run no scripts. */
  routes: Hono;
}

interface AttachmentsOptions {
  documents: Collection<Attachment>;
  contents: Contents;
  /** The base URL of the files, such as `http://127.0.0.1:3000/sandbox/discord/cdn`. */
  url: () => string;
  secret: string;
  now: () => number;
  nextId: () => string;
}

/** Files in `contents`, with URLs signed like those of Discord's CDN, in `ex`, `is` and `hm`. */
export function createAttachments(options: AttachmentsOptions): Attachments {
  const { documents, contents, url, secret, now, nextId } = options;

  function sign(path: string, expires: string, issued: string): string {
    const signed = [path, expires, issued].join('/');
    return createHmac('sha256', secret).update(signed).digest('hex');
  }

  function toUrl({ channel, id, filename }: Attachment): string {
    const path = `${channel}/${id}/${filename}`;
    const issued = toHexSeconds(now());
    const expires = toHexSeconds(now() + lifetimeMs);
    const query = `ex=${expires}&is=${issued}&hm=${sign(path, expires, issued)}&`;
    return `${url()}/attachments/${path}?${query}`;
  }

  function render(attachment: Attachment): AttachmentPayload {
    const { id, filename, title, description, contentType, size, ephemeral } = attachment;
    const location = toUrl(attachment);
    return {
      id,
      filename,
      title,
      description,
      content_type: contentType,
      size,
      url: location,
      proxy_url: location,
      ephemeral: ephemeral || undefined,
    };
  }

  async function storeOne(channel: string, file: Upload, ephemeral: boolean): Promise<string> {
    const id = nextId();
    const { name, bytes, type, description } = file;
    await contents.write(contentId(id), [bytes]);
    const about = { size: bytes.byteLength, contentType: type, description, ephemeral };
    documents.put({ id, channel, ...toFilename(name), ...about });
    documents.trim(maxAttachments);
    return id;
  }

  const routes = new Hono();
  routes.get('/attachments/:channel/:id/:name', (context) => {
    const { channel, id, name } = context.req.param();
    const { ex = '', is = '', hm = '' } = context.req.query();
    const isSigned = isSame(hm, sign(`${channel}/${id}/${name}`, ex, is));
    const isValid = isSigned && Number.parseInt(ex, 16) * 1000 >= now();
    const attachment = isValid ? documents.get(id) : undefined;
    const stream = attachment && contents.read(contentId(id));
    if (!stream) return context.text('This content is no longer available.', 404);
    return new Response(stream, {
      headers: {
        'content-type': attachment.contentType ?? 'application/octet-stream',
        'content-length': String(attachment.size),
        'content-disposition': `attachment; filename="${attachment.filename}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      },
    });
  });

  return {
    limit: maxAttachmentBytes,
    async store(channel, files, { ephemeral = false } = {}) {
      if (files.some(({ bytes }) => bytes.byteLength > this.limit)) throw refusal(40005);
      const ids: string[] = [];
      for (const file of files) ids.push(await storeOne(channel, file, ephemeral));
      return ids;
    },
    render(ids) {
      return ids.flatMap((id) => documents.get(id) ?? []).map(render);
    },
    delete(ids) {
      for (const id of ids) {
        documents.delete(id);
        contents.delete(contentId(id));
      }
    },
    routes,
  };
}

function contentId(attachment: string): string {
  return `discord/${attachment}`;
}

function toHexSeconds(milliseconds: number): string {
  return Math.floor(milliseconds / 1000).toString(16);
}

/** Discord converts names to ASCII. The title keeps the original name, without its extension. */
function toFilename(name: string): { filename: string; title?: string } {
  const filename = name.slice(-200).replaceAll(/[^\w.-]+/g, '_');
  if (filename === name) return { filename };
  return { filename, title: name.replace(/\.[^.]*$/, '') };
}

/** Compares two secrets in constant time. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const extensionsByType: Record<string, string[]> = {
  image: ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.bmp', '.tiff', '.heic', '.avif', '.svg'],
  video: ['.mp4', '.mov', '.webm', '.mkv', '.avi', '.m4v'],
  audio: ['.mp3', '.wav', '.ogg', '.m4a', '.flac', '.aac', '.opus'],
};

/** Whether a file's name is of one of the types, kinds (`image`) or extensions (`.pdf`), if any are named. */
export function isOfType(name: string, types: readonly string[] | null | undefined): boolean {
  if (!types || types.length === 0) return true;
  const endings = types.flatMap((type) => extensionsByType[type] ?? [type]);
  return endings.some((ending) => name.toLowerCase().endsWith(ending.toLowerCase()));
}
