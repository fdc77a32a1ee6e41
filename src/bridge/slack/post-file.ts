import type { webApi } from '@slack/bolt';
import { PlatformError } from '../conversation/platform-error.ts';
import type { TextFile } from '../conversation/ports.ts';
import { english, type Texts } from '../texts/texts.ts';
import { renderProblem } from '../../shared/problems/problem.ts';
import { slackErrorCode, toPlatformError } from './errors.ts';
import { fitMessage } from './message.ts';
import { postMessage } from './send-message.ts';

const timeoutMs = 30_000;

/** Why a workspace accepts no file, or none like this one. */
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
  if (!url || !id) throw new Error('files.getUploadURLExternal answered without an address');
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

/** Whether a file is in a channel: the response that said so may have been lost. */
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
    signal: AbortSignal.timeout(timeoutMs),
  });
  await answer.body?.cancel();
  if (answer.ok) return;
  const params = { platform: 'Slack', status: answer.status };
  throw new PlatformError('failed', { code: 'file_not_taken', params });
}
