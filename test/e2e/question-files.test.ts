import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { openBridge } from './scripted-bridge.ts';
import type { Asked } from './scripted-service.ts';

interface SentFile {
  name: string;
  bytes: Uint8Array;
  type: string;
}

/** Mentions the bot in #general with files; resolves with the thread. */
const askWith = {
  Slack: async ({ slack }: Sandbox, words: string, files: SentFile[]) => {
    const user = slack.users().find((each) => each.name === 'ada')?.id ?? '';
    const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';
    const said = `<@${slack.bot.user}> ${words}`.trim();
    return (await slack.say({ user, channel, text: said, files })).ts;
  },
  Discord: async ({ discord }: Sandbox, words: string, files: SentFile[]) => {
    const bot = discord.users().find((each) => each.bot)?.id ?? '';
    const content = `<@${bot}> ${words}`.trim();
    return (await discord.say({ user: 'ada', channel: '#general', content, files })).id;
  },
};

const file = (name: string, type: string, words = 'Some words') => ({
  name,
  type,
  bytes: Buffer.from(words),
});

function answer(asked: Asked): void {
  asked.store('Answered');
  asked.write('Answered');
  asked.end();
}

/** A transcription server, and the forms that it got. */
async function startTranscriber(reply: (form: string) => { status: number; body: object }) {
  const forms: string[] = [];
  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await text(request);
    forms.push(form);
    const { status, body } = reply(form);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    void answerTo(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const env = {
    TRANSCRIPTION_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    TRANSCRIPTION_MODEL: 'whisper-1',
  };
  return { env, forms };
}

describe.each(['Slack', 'Discord'] as const)('files beside a question on %s', (platform) => {
  async function open(env: Record<string, string> = {}) {
    const bridge = await openBridge(platform, env);
    onTestFinished(() => bridge[Symbol.asyncDispose]());
    const ask = (words: string, files: SentFile[]) =>
      askWith[platform](bridge.sandbox, words, files);
    return { ...bridge, ask };
  }

  it('become documents of its session', async () => {
    const { service, ask, seat } = await open();
    const next = service.asked();
    const files = [file('plan.md', 'text/markdown', '# The plan'), file('b.csv', 'text/csv')];
    const thread = await ask('what is the plan?', files);
    const asked = await next;
    expect(asked).toMatchObject({
      query: 'what is the plan?',
      documents: ['document-1', 'document-2'],
    });
    expect(service.documents.get('document-1')).toMatch(/filename="plan.md"[^]*# The plan/);
    answer(asked);
    const [reply] = await seat.replies(thread, 1, /^Answered/);
    expect(reply?.text).not.toContain('📎');
  });

  it('alone are a question', async () => {
    const { service, ask } = await open();
    const next = service.asked();
    await ask('', [file('photo.png', 'image/png', '\x89PNG')]);
    const asked = await next;
    expect(asked).toMatchObject({
      query: 'What is in photo.png?',
      documents: ['document-1'],
    });
    answer(asked);
  });

  it('that the service refuses are named below the reply', async () => {
    const { service, ask, seat } = await open();
    service.refuseFiles(400, {
      error: 'file: file type not allowed: photo.png is an image. Send a document that holds text',
      code: 'upload_refused',
      params: { name: 'photo.png', kind: 'image' },
    });
    const next = service.asked();
    const thread = await ask('what is this?', [file('photo.png', 'image/png')]);
    const asked = await next;
    expect(asked.documents).toEqual([]);
    answer(asked);
    const [reply] = await seat.replies(thread, 1, /📎/);
    expect(reply?.text).toMatch(
      /^Answered[^]*📎 Not read: photo\.png: I don’t look at pictures here\./,
    );
  });

  it('alone that nobody can read are only named', async () => {
    const { service, ask, seat } = await open();
    service.refuseFiles(404, { error: 'not found' });
    const thread = await ask('', [file('photo.png', 'image/png')]);
    const [reply] = await seat.replies(thread, 1, /📎/);
    expect(reply?.text).toMatch(/^📎 Not read: photo\.png: The chatbot service takes no files/);
    const next = service.asked();
    await ask('still there?', []);
    const asked = await next;
    expect(asked.query).toBe('still there?');
    answer(asked);
  });

  it('above the limit are named', async () => {
    const { service, ask, seat } = await open({ UPLOAD_MAX_MB: '1' });
    const next = service.asked();
    const large = { ...file('big.txt', 'text/plain'), bytes: Buffer.alloc(1024 * 1024 + 1, 'a') };
    const thread = await ask('what is this?', [large, file('a.txt', 'text/plain')]);
    const asked = await next;
    expect(asked.documents).toHaveLength(1);
    answer(asked);
    const [reply] = await seat.replies(thread, 1, /📎/);
    expect(reply?.text).toMatch(/📎 Not read: big\.txt: [^·]*1[.\d]* MB/);
  });

  it('that its service finds protected are named', async () => {
    const { service, ask, seat } = await open();
    const error = 'file: secret.pdf is protected by a password. Save a copy without one';
    service.refuseFiles(400, { error });
    const next = service.asked();
    const thread = await ask('what is this?', [file('secret.pdf', 'application/pdf', '%PDF')]);
    answer(await next);
    const [reply] = await seat.replies(thread, 1, /📎/);
    expect(reply?.text).toMatch(/📎 Not read: secret\.pdf: [^·]*protected by a password/);
  });

  it('that are voice notes are written down', async () => {
    const { env, forms } = await startTranscriber(() => ({
      status: 200,
      body: { text: ' When do you open? ' },
    }));
    const { service, ask } = await open(env);
    const next = service.asked();
    await ask('', [file('voice.ogg', 'audio/ogg', 'OggS')]);
    const asked = await next;
    expect(asked).toMatchObject({ query: 'When do you open?', documents: [] });
    expect(forms[0]).toMatch(/name="model"\r\n\r\nwhisper-1[^]*filename="voice.ogg"[^]*OggS/);
    answer(asked);
  });

  it('that are voice notes and can’t be written down are named', async () => {
    const { env } = await startTranscriber(() => ({
      status: 500,
      body: { error: 'secret words' },
    }));
    const { ask, seat } = await open(env);
    const thread = await ask('', [file('voice.ogg', 'audio/ogg', 'OggS')]);
    const [reply] = await seat.replies(thread, 1, /📎/);
    expect(reply?.text).toBe('📎 Not read: voice.ogg: This voice note could not be transcribed.');
  });
});

it('files beside a question that Slack doesn’t have are named: canvases, and those stored elsewhere', async () => {
  await using bridge = await openBridge('Slack');
  const { sandbox, service, seat } = bridge;
  const { slack } = sandbox;
  const user = slack.users().find((each) => each.name === 'ada')?.id ?? '';
  const channel = slack.channels().find((each) => each.name === 'general')?.id ?? '';
  const next = service.asked();
  const files = [
    { ...file('plan.gdoc', 'text/plain'), mode: 'external' as const },
    { ...file('Notes', 'application/vnd.slack-docs'), mode: 'quip' as const },
    file('read.txt', 'text/plain'),
  ];
  const text = `<@${slack.bot.user}> what is this?`;
  const { ts } = await slack.say({ user, channel, text, files });
  const asked = await next;
  expect(asked.documents).toHaveLength(1);
  answer(asked);
  const [reply] = await seat.replies(ts, 1, /📎/);
  expect(reply?.text).toMatch(/📎 Not read: plan\.gdoc: This file isn’t stored in Slack\./);
  expect(reply?.text).toMatch(/Notes: I can’t read canvases and lists\./);
});
