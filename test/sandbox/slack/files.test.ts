import { expect, test } from 'vitest';
import { ContentTooLarge } from '../../../src/sandbox/contents.ts';
import { createClient, refusal, serveWorkspace } from './serve-workspace.ts';

interface Addressed {
  id: string;
  url_private: string;
  url_private_download: string;
}

test('a file needs the token to download; without it, Slack returns a login page', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const bytes = Buffer.from('ünïcode');
  const file = { name: 'my notes.txt', bytes };
  const { files: [shared] = [] } = await slack.say({ user: ada, channel: help, files: [file] });
  const info = await createClient(slack).files.info({ file: shared?.id ?? '' });
  const { url_private_download: url, url_private } = info.file as Addressed;

  const authorization = `Bearer ${slack.credentials.botToken}`;
  for (const address of [url, url_private]) {
    const response = await fetch(address, { headers: { authorization } });
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  }
  for (const headers of [{}, { authorization: 'Bearer xoxb-nobody' }]) {
    const response = await fetch(url, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch('text/html');
    expect(await response.text()).toMatch('<!DOCTYPE html>');
  }
});

test('the bot cannot download a file from a channel that it is not in', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, random } = served;
  const file = { name: 'secret.txt', bytes: Buffer.from('secret') };
  const { files: [shared] = [] } = await slack.say({ user: ada, channel: random, files: [file] });
  const id = shared?.id ?? '';
  const { apiUrl, botToken } = slack.credentials;
  const address = `${apiUrl.replace('/api/', '/files/')}${id}/download/secret.txt`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${botToken}` } });
  expect(response.status).toBe(404);
  expect(await new Response(slack.file(id)?.bytes).text()).toBe('secret');
});

test('a file over 25 MB is refused, and nothing is posted', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const files = [{ name: 'large.bin', bytes: new Uint8Array(25 * 1024 * 1024 + 1) }];
  await expect(slack.say({ user: ada, channel: help, files })).rejects.toThrow(ContentTooLarge);
  expect(slack.messages(help)).toEqual([]);
});

test('the bot uploads a file to a thread with Slack’s own client', async () => {
  await using served = await serveWorkspace();
  const { slack, client, ada, help } = served;
  const { ts } = await slack.say({ user: ada, channel: help, text: 'the report?' });
  await client.files.uploadV2({
    channel_id: help,
    thread_ts: ts,
    initial_comment: 'Here.',
    file: Buffer.from('a,b\n1,2\n'),
    filename: 'report.csv',
    title: 'Report',
  });
  const [, posted] = slack.messages(help, ts);
  expect(posted).toMatchObject({
    user: slack.bot.user,
    subtype: 'file_share',
    text: 'Here.',
    files: [{ name: 'report.csv', title: 'Report', mimetype: 'text/csv', size: 8 }],
  });
  const stored = slack.file(posted?.files?.[0]?.id ?? '');
  expect(await new Response(stored?.bytes).text()).toBe('a,b\n1,2\n');
});

test('an upload URL accepts raw bytes once, and they must arrive before the file is shared', async () => {
  await using served = await serveWorkspace();
  const { slack, client, help } = served;
  const announced = await client.files.getUploadURLExternal({ filename: 'a.txt', length: 4 });
  const complete = () =>
    client.files.completeUploadExternal({
      files: [{ id: String(announced.file_id), title: 'A' }],
      channel_id: help,
    });
  expect((await refusal(complete())).error).toBe('file_not_found');
  const send = () => fetch(String(announced.upload_url), { method: 'POST', body: 'data' });
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(404);
  await complete();
  expect(slack.messages(help)).toMatchObject([{ files: [{ id: announced.file_id, title: 'A' }] }]);
  expect((await refusal(complete())).error).toBe('file_not_found');
});
