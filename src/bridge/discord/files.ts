import {
  type APIMessage,
  type Attachment as DiscordAttachment,
  type Message,
  type REST,
  Routes,
} from 'discord.js';
import { FormData, request, Response } from 'undici';
import {
  createFileReader,
  downloadRefused,
  downloadTooLarge,
  type FileReader,
} from '../commands/files.ts';
import type { Attachment } from '../conversation/chatbot.ts';
import { PlatformError } from '../conversation/errors.ts';
import type { TextFile } from '../conversation/thread.ts';
import { orPlatformError } from './errors.ts';
import type { Permissions } from './permissions.ts';

/** Discord's file hosts: docs.discord.com/developers/reference#image-formatting. */
const discordOrigins = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

const platform = 'Discord';

const idleMs = 30_000;
const maxNameLength = 200;

/** The fields of an attachment that are needed to read it. */
export interface DiscordFile extends Pick<
  DiscordAttachment,
  'name' | 'title' | 'size' | 'contentType' | 'url'
> {
  place?: Place;
}

/** Where Discord tells the file's URL anew: each is valid for about a day. */
interface Place {
  channel: string;
  message: string;
  attachment: string;
}

/** Where a file is. */
type Located = Pick<DiscordFile, 'url' | 'size' | 'place'>;

export type DiscordFiles = FileReader<DiscordFile>;

/**
 * Reads files only from Discord's own hosts and `trustedOrigins`, wherever an attachment points.
 * File URLs are signed, so no token is sent.
 */
export function createDiscordFiles(options: {
  trustedOrigins: readonly string[];
  maxBytes: number;
  rest: Pick<REST, 'get'>;
  permissions: Pick<Permissions, 'lacking'>;
}): DiscordFiles {
  const { maxBytes, rest, permissions } = options;
  const origins = new Set([...discordOrigins, ...options.trustedOrigins]);

  function open({ url: address }: Pick<Located, 'url'>, signal: AbortSignal) {
    const url = URL.parse(address);
    if (!url || !origins.has(url.origin)) {
      const where = url ? url.host : 'nowhere';
      const params = { platform, host: where };
      throw new PlatformError('failed', { code: 'file_elsewhere', params });
    }
    return request(url, { headersTimeout: idleMs, bodyTimeout: idleMs, signal });
  }

  /** @throws {PlatformError} `gone` if the message no longer has the file, too */
  async function findAgain({ channel, message, attachment }: Place, signal: AbortSignal) {
    const call = rest.get(Routes.channelMessage(channel, message), { signal });
    const lacking = () => permissions.lacking(channel, 'ReadMessageHistory');
    const { attachments, message_snapshots: forwarded = [] } = (await orPlatformError(
      call,
      lacking,
    )) as APIMessage;
    const all = [attachments, ...forwarded.map((each) => each.message.attachments)].flat();
    const found = all.find(({ id }) => id === attachment);
    if (!found) throw downloadRefused(platform, 404);
    return found;
  }

  async function* download(file: Located, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (file.size > maxBytes) throw downloadTooLarge(maxBytes);
    let { statusCode, body } = await open(file, signal);
    if (statusCode === 404 && file.place) {
      await body.dump();
      ({ statusCode, body } = await open(await findAgain(file.place, signal), signal));
    }
    if (statusCode !== 200) {
      await body.dump();
      throw downloadRefused(platform, statusCode);
    }
    yield* body as AsyncIterable<Uint8Array>;
  }

  return createFileReader({ platform, maxBytes, toFile, toFields, download });
}

function toFile(file: unknown): DiscordFile {
  const { name, title, size, contentType, url, place } = file as DiscordFile;
  return { name, title, size, contentType, url, ...(place && { place }) };
}

/** The files beside a question: those of a message, and those that it forwards. */
export function attachmentsOf(message: Message): Attachment[] {
  const all = [message, ...message.messageSnapshots.values()];
  return all
    .flatMap(({ attachments }) => [...attachments.values()])
    .map((file) => {
      const place = { channel: message.channelId, message: message.id, attachment: file.id };
      const { url, size } = file;
      return { ...toFields(file), ref: { url, size, place } satisfies Located };
    });
}

function toFields(file: DiscordFile): Pick<Attachment, 'name' | 'size' | 'contentType'> {
  const { size, contentType } = file;
  return { name: toFileName(file), size, ...(contentType && { contentType }) };
}

/**
 * The original name of a file. Discord keeps only ASCII in names; the title holds the original
 * name, without the extension.
 */
function toFileName({ name, title }: DiscordFile): string {
  const extension = /\.\w+$/.exec(name)?.[0] ?? '';
  const complete = !title || title.endsWith(extension) ? title : title + extension;
  // A name must not contain path separators or control characters.
  const clean = (complete || name).replace(/[\\/\p{Cc}]+/gu, '_');
  return clean.slice(-maxNameLength).toWellFormed();
}

/**
 * Encodes a message with a file as a multipart body. The library's own form data works only with
 * its bundled copy of undici, not with a newer one in the process.
 */
export async function encodeFile({ name, text }: TextFile, message: object) {
  const form = new FormData();
  form.set('payload_json', JSON.stringify(message));
  form.set('files[0]', new Blob([text], { type: 'text/plain; charset=utf-8' }), name);
  const encoded = new Response(form);
  return {
    body: await encoded.bytes(),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    passThroughBody: true,
  };
}
