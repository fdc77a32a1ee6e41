import type { webApi } from '@slack/bolt';
import { PlatformError } from '../conversation/platform-error.ts';
import type { TextFile } from '../conversation/ports.ts';
import { toPlatformError } from './errors.ts';

const timeoutMs = 30_000;

/**
 * Posts a text into a thread as a file: gets an upload URL, uploads the bytes and shares the file
 * (docs.slack.dev/messaging/working-with-files, scope files:write).
 * @throws {PlatformError}
 */
export async function postFile(
  client: webApi.WebClient,
  to: { channel: string; thread: string },
  file: TextFile,
): Promise<void> {
  const bytes = new TextEncoder().encode(file.text);
  try {
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
  } catch (error) {
    throw toPlatformError(error, 'files:write');
  }
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
