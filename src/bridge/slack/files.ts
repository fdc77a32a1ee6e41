import type { webApi } from '@slack/bolt';
import { request } from 'undici';
import { z } from 'zod';
import { type PlainCode, renderProblem } from '../../shared/problems/problem.ts';
import {
  createFileReader,
  downloadRefused,
  downloadTooLarge,
  type FileReader,
} from '../commands/files.ts';
import type { Attachment } from '../conversation/chatbot.ts';
import { PlatformError } from '../conversation/errors.ts';
import { underLease } from '../conversation/leases.ts';
import type { TextFile } from '../conversation/thread.ts';
import { english, type Texts } from '../texts/texts.ts';
import type { Token } from './clients.ts';
import { orPlatformError, slackErrorCode, toPlatformError } from './errors.ts';
import { fitMessage } from './message.ts';
import { postMessage } from './send-message.ts';

/** A Slack file object: docs.slack.dev/reference/objects/file-object. */
export const slackFile = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().optional(),
  size: z.number().nonnegative().default(0),
  mode: z.string().optional(),
  file_access: z.string().optional(),
  url_private: z.string().optional(),
  url_private_download: z.string().optional(),
});

export type SlackFile = z.infer<typeof slackFile>;

/**
 * Hosts that get the bot's token. A file's address may redirect from one to another, and each
 * requires the token (NousResearch/hermes-agent#114483).
 */
const tokenHosts = /^(?:.+\.)?slack\.com$|^slack-files\.com$/;

/** Hosts of presigned addresses, which don't get the token (nextlevelbuilder/goclaw#233). */
const presignedHosts = /\.slack-edge\.com$/;

/** Without access to a file, Slack redirects to its sign-in page, with the file's address. */
const signInPage = /^\/(?:sign_?in|workspace-signin|login|checkcookie)/;

const platform = 'Slack';

const maxRedirects = 5;
const idleMs = 30_000;

/** Modes of files whose bytes Slack never had, or no longer has. */
const elsewhere = new Map<string, PlainCode>([
  ['external', 'slack_file_external'],
  ['hidden_by_limit', 'slack_file_over_storage'],
  ['tombstone', 'file_gone'],
  // Canvases, under their old name too, and lists.
  ['canvas', 'slack_file_canvas'],
  ['quip', 'slack_file_canvas'],
  ['list', 'slack_file_canvas'],
]);

/**
 * Reads files from Slack with the bot's token, which is sent only to Slack's own hosts and
 * `trustedOrigins`, however often an address redirects.
 */
export function createSlackFiles(options: {
  client: webApi.WebClient;
  token: Token;
  trustedOrigins: readonly string[];
  maxBytes: number;
}): FileReader<SlackFile> {
  const { client, token: readToken, maxBytes } = options;
  const origins = new Set(options.trustedOrigins);

  /** Files shared from another workspace arrive without details. */
  async function withDetails(file: SlackFile): Promise<SlackFile> {
    if (file.file_access !== 'check_file_info') return file;
    const read = client.files.info({ file: file.id });
    return orPlatformError(read.then(({ file: details }) => slackFile.parse(details)));
  }

  function parseAddress(address: string | undefined, base?: URL): FileAddress {
    const url = URL.parse(address ?? '', base?.href);
    if (!url) throw new PlatformError('failed', 'slack_file_nowhere');
    if (origins.has(url.origin)) return { url, token: true };
    const isSecure = url.protocol === 'https:' && url.port === '';
    if (isSecure && tokenHosts.test(url.hostname)) {
      if (base && isSignIn(url)) throw notAllowed();
      return { url, token: true };
    }
    if (isSecure && presignedHosts.test(url.hostname)) return { url, token: false };
    const params = { platform, host: url.host };
    throw new PlatformError('failed', { code: 'file_elsewhere', params });
  }

  async function open(file: SlackFile, signal: AbortSignal) {
    let address = parseAddress(file.url_private_download ?? file.url_private);
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const { url, token } = address;
      const value = token ? await readToken() : undefined;
      if (token && value === undefined) throw notAllowed();
      const answer = await request(url, {
        headers: value === undefined ? {} : { authorization: `Bearer ${value}` },
        headersTimeout: idleMs,
        bodyTimeout: idleMs,
        signal,
      });
      const { statusCode, headers, body } = answer;
      if (statusCode === 200) return { headers, body };
      await body.dump();
      if (token && (statusCode === 401 || statusCode === 403)) throw notAllowed();
      if (statusCode < 300 || statusCode > 399) throw downloadRefused(platform, statusCode);
      address = parseAddress(firstOf(headers['location']), url);
    }
    throw new PlatformError('failed', 'slack_file_redirects');
  }

  async function* download(file: SlackFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const details = await withDetails(file);
    const reason = elsewhere.get(details.mode ?? '');
    if (reason) throw new PlatformError('gone', reason);
    if (details.size > maxBytes) throw downloadTooLarge(maxBytes);
    const { headers, body } = await open(details, signal);
    let isFirst = true;
    for await (const bytes of body as AsyncIterable<Uint8Array>) {
      if (isFirst && isLoginPage(details, headers, bytes)) throw notAllowed();
      isFirst = false;
      yield bytes;
    }
  }

  const toFile = (file: unknown) => slackFile.parse(file);
  return createFileReader({ platform, maxBytes, toFile, toFields, download });
}

/** A file beside a question. */
export function toAttachment(file: SlackFile): Attachment {
  return { ...toFields(file), ref: file };
}

function toFields({ id, name, title, size, mimetype }: SlackFile) {
  return { name: name || title || id, size, ...(mimetype && { contentType: mimetype }) };
}

/** Where a file's bytes are, and whether that host gets the token. */
interface FileAddress {
  url: URL;
  token: boolean;
}

function isSignIn({ pathname, searchParams }: URL): boolean {
  return searchParams.has('redir') || signInPage.test(pathname);
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * Without access to a file, Slack serves its sign-in page instead, with status 200. A page of
 * exactly the file's size is the file itself.
 */
function isLoginPage(file: SlackFile, headers: Headers, start: Uint8Array): boolean {
  const page = firstOf(headers['content-type'])?.startsWith('text/html') || looksLikeHtml(start);
  const length = firstOf(headers['content-length']);
  if (!page || Number(length) === file.size) return false;
  return length !== undefined || !isHtml(file);
}

function isHtml({ mimetype, name }: SlackFile): boolean {
  return /html/.test(mimetype ?? '') || /\.x?html?$/i.test(name ?? '');
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 200));
  return /^\s*<(?:!doctype html|html)\b/i.test(start);
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function notAllowed(): PlatformError {
  return new PlatformError('forbidden', 'slack_files_forbidden');
}

const timeoutMs = 30_000;

/** Slack's reasons for refusing files in general, or this one. */
const unwelcome = new Set([
  'file_uploads_disabled',
  'file_uploads_except_images_disabled',
  'file_type_not_allowed',
  'file_upload_size_restricted',
]);

/**
 * Posts a text into a thread as a file. Where the workspace accepts none, posts a message instead:
 * the reason, and as much of the text as fits below it.
 * @throws {PlatformError}
 */
export async function postFile(
  client: webApi.WebClient,
  to: { channel: string; thread: string },
  file: TextFile,
  texts: Texts = english,
): Promise<void> {
  try {
    await uploadFile(client, to, file);
  } catch (caught) {
    const error = toPlatformError(caught, 'files:write');
    if (!unwelcome.has(slackErrorCode(error) ?? '')) throw error;
    const shown = file.name.endsWith('.md') ? file.text : toCode(file.text);
    const markdown = await fitMessage(
      `⚠️ ${renderProblem(error.problem, texts)}\n\n${shown}`,
      texts,
    );
    await postMessage(client, { channel: to.channel, thread_ts: to.thread }, { markdown });
  }
}

/** Fences a text, with a fence longer than any in it. */
function toCode(text: string): string {
  let length = 3;
  for (const [run] of text.matchAll(/`{3,}/g)) length = Math.max(length, run.length + 1);
  const fence = '`'.repeat(length);
  return `${fence}\n${text}\n${fence}`;
}

/**
 * Gets an upload URL, uploads the bytes and shares the file
 * (docs.slack.dev/messaging/working-with-files, scope files:write).
 */
async function uploadFile(
  client: webApi.WebClient,
  to: { channel: string; thread: string },
  file: TextFile,
): Promise<void> {
  const bytes = new TextEncoder().encode(file.text);
  const { upload_url: url, file_id: id } = await client.files.getUploadURLExternal({
    filename: file.name,
    length: bytes.byteLength,
  });
  if (!url || !id) throw new Error('files.getUploadURLExternal returned no URL');
  await upload(url, bytes);
  const sharing = client.files.completeUploadExternal({
    files: [{ id, title: file.name }],
    channel_id: to.channel,
    thread_ts: to.thread,
  });
  await sharing.catch(async (error: unknown) => {
    if (!(await isShared(client, id, to.channel))) throw error;
  });
}

/** Whether a file has been shared in a channel: the response may have been lost. */
async function isShared(client: webApi.WebClient, id: string, channel: string): Promise<boolean> {
  const { file } = await client.files.info({ file: id }).catch(() => ({ file: undefined }));
  const { channels = [], groups = [], ims = [] } = file ?? {};
  return [...channels, ...groups, ...ims].includes(channel);
}

/** The upload URL is itself a secret, so no token is sent. */
async function upload(url: string, bytes: Uint8Array<ArrayBuffer>) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
    redirect: 'error',
    signal: underLease(AbortSignal.timeout(timeoutMs)),
  });
  await answer.body?.cancel();
  if (answer.ok) return;
  const params = { platform: 'Slack', status: answer.status };
  throw new PlatformError('failed', { code: 'file_not_taken', params });
}
