import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { webApi } from '@slack/bolt';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { type SlackFile, createSlackFiles } from '../../../src/bridge/slack/files.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import type { FileHost } from '../../../src/sandbox/slack/model.ts';

const token = 'xoxb-secret';

/** A host of files that answers as the test says, and keeps the authorization it was sent. */
async function serveFiles(listener: RequestListener) {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createReader(trustedOrigins: string[], maxBytes = 1_000) {
  const client = new webApi.WebClient(token, { slackApiUrl: 'http://127.0.0.1:1/' });
  return createSlackFiles({ client, token: async () => token, trustedOrigins, maxBytes });
}

async function read(
  file: Partial<SlackFile>,
  reader: ReturnType<typeof createReader>,
  signal = AbortSignal.timeout(5_000),
): Promise<string> {
  const incoming = reader.toIncomingFile({ id: 'F1', name: 'a.txt', size: 5, ...file });
  const parts: Uint8Array[] = [];
  for await (const bytes of incoming.read(signal)) parts.push(bytes);
  return Buffer.concat(parts).toString();
}

const page = '<!DOCTYPE html><html><title>Sign in</title></html>';

describe('a file of Slack’s', () => {
  test('is read with the bot’s token, also behind a redirect', async () => {
    await using host = await serveFiles((request, response) => {
      if (request.url === '/next') return response.end('bytes');
      return response.writeHead(302, { location: '/next' }).end('moved');
    });
    const reader = createReader([host.origin]);
    expect(await read({ url_private_download: `${host.origin}/first` }, reader)).toBe('bytes');
    expect(await read({ url_private: `${host.origin}/first` }, reader)).toBe('bytes');
    expect(new Set(host.authorizations)).toEqual(new Set([`Bearer ${token}`]));
  });

  test('is not fetched from elsewhere, and the token goes nowhere else', async () => {
    await using elsewhere = await serveFiles((_, response) => response.end('bytes'));
    await using host = await serveFiles((_, response) =>
      response.writeHead(302, { location: `${elsewhere.origin}/a` }).end(),
    );
    const reader = createReader([host.origin]);
    await expect(read({ url_private: `${host.origin}/a` }, reader)).rejects.toMatchObject({
      name: 'PlatformError',
      message: expect.stringContaining('from Slack itself') as unknown,
    });
    const direct = read({ url_private: `${elsewhere.origin}/a` }, reader);
    await expect(direct).rejects.toMatchObject({ kind: 'failed' });
    await expect(read({}, reader)).rejects.toThrow('where this file is');
    expect(elsewhere.authorizations).toEqual([]);
  });

  test('that Slack answers with its sign-in page asks for files:read', async () => {
    const answers: RequestListener[] = [
      (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
      (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(`\n${page}`),
      (_, response) =>
        response.writeHead(302, { location: 'https://team.slack.com/?redir=a' }).end(),
      (_, response) => response.writeHead(403).end(),
    ];
    for (const answer of answers) {
      await using host = await serveFiles(answer);
      const file = { url_private: `${host.origin}/a` };
      await expect(read(file, createReader([host.origin]))).rejects.toMatchObject({
        kind: 'forbidden',
        message: expect.stringMatching(/files:read.*reinstall/) as unknown,
      });
    }
    await using host = await serveFiles((_, response) => response.end(page));
    const html = { url_private: `${host.origin}/a`, mimetype: 'text/html', size: 7 };
    await expect(read(html, createReader([host.origin]))).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  test('can be an HTML page itself', async () => {
    await using host = await serveFiles((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    );
    const file = { url_private: `${host.origin}/a`, mimetype: 'text/html', size: page.length };
    expect(await read(file, createReader([host.origin]))).toBe(page);
  });

  test('that is gone, stored elsewhere or redirects in circles says so', async () => {
    await using host = await serveFiles((request, response) => {
      if (request.url === '/circle') response.writeHead(302, { location: '/circle' }).end();
      else response.writeHead(request.url === '/gone' ? 404 : 500).end();
    });
    const reader = createReader([host.origin]);
    const at = (path: string) => read({ url_private: host.origin + path }, reader);
    await expect(at('/gone')).rejects.toMatchObject({ kind: 'gone' });
    await expect(at('/broken')).rejects.toThrow('HTTP 500');
    await expect(at('/circle')).rejects.toThrow(
      'redirected the download of this file too many times',
    );
    await expect(read({ mode: 'external' }, reader)).rejects.toThrow('isn’t stored in Slack');
    await expect(read({ mode: 'hidden_by_limit' }, reader)).rejects.toThrow('storage limit');
    for (const mode of ['canvas', 'quip', 'list']) {
      await expect(read({ mode }, reader)).rejects.toThrow('canvases and lists');
    }
  });

  test('is dropped when its reader is told to stop', async () => {
    const stop = new AbortController();
    await using host = await serveFiles((_, response) => {
      response.write('x');
      stop.abort(new Error('stop'));
    });
    const file = { url_private: `${host.origin}/a` };
    await expect(read(file, createReader([host.origin]), stop.signal)).rejects.toThrow('stop');
  });

  test('from another workspace is asked for first', async () => {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { botToken, apiUrl } = slack.credentials;
    const message = await slack.say({
      user: ada,
      channel: help,
      files: [{ name: 'notes.txt', bytes: Buffer.from('hello') }],
    });
    const reader = createSlackFiles({
      client: new webApi.WebClient(botToken, { slackApiUrl: apiUrl }),
      token: async () => botToken,
      trustedOrigins: [new URL(apiUrl).origin],
      maxBytes: 1_000,
    });
    const id = message.files?.[0]?.id ?? '';
    const file = { id, file_access: 'check_file_info' };
    expect(await read(file, reader)).toBe('hello');
    await expect(read({ ...file, id: 'F0' }, reader)).rejects.toMatchObject({ kind: 'gone' });
  });
});

describe('a file that Slack keeps on another of its hosts', () => {
  const usual = getGlobalDispatcher();
  afterEach(() => setGlobalDispatcher(usual));

  /** Reads a file of a workspace to which every host name leads; keeps what each was sent. */
  async function readFrom(fileHost: FileHost) {
    await using served = await serveWorkspace();
    const { slack, ada, help } = served;
    const { botToken, apiUrl } = slack.credentials;
    const files = [{ name: 'a.txt', bytes: Buffer.from('hello') }];
    const { files: [shared] = [] } = await slack.say({ user: ada, channel: help, files });
    const sent: string[] = [];
    const port = Number(new URL(apiUrl).port);
    // Without TLS, as the sandbox has none.
    await using cleanup = new AsyncDisposableStack();
    const agent = new Agent({
      connect: (_, done) => {
        const socket = connect(port, '127.0.0.1', () => done(null, socket));
      },
    });
    cleanup.defer(() => agent.destroy());
    const hosts = agent.compose((dispatch) => (request, handler) => {
      const { authorization } = request.headers as { authorization?: string };
      const { hostname } = new URL(String(request.origin));
      // What others in this process ask of their own servers has nothing to do with the file.
      if (hostname !== '127.0.0.1') sent.push(`${hostname} ${authorization ? 'token' : 'none'}`);
      return dispatch(request, handler);
    });
    setGlobalDispatcher(hosts);
    slack.switches.fileHost = fileHost;
    const client = new webApi.WebClient(botToken, { slackApiUrl: apiUrl });
    const reader = createSlackFiles({
      client,
      token: async () => botToken,
      trustedOrigins: [],
      maxBytes: 1_000,
    });
    const address = `https://files.slack.com/sandbox/slack/files/${shared?.id}/a.txt`;
    const result = read({ url_private: address }, reader).catch((error: unknown) => error);
    return { result: await result, sent };
  }

  test('gets the token again on *.slack.com', async () => {
    expect(await readFrom('origin')).toEqual({
      result: 'hello',
      sent: ['files.slack.com token', 'files-origin.slack.com token'],
    });
  });

  test('is read from a presigned address without the token', async () => {
    expect(await readFrom('edge')).toEqual({
      result: 'hello',
      sent: ['files.slack.com token', 'files.slack-edge.com none'],
    });
  });

  test('is not for the bot only where Slack asks to sign in', async () => {
    const { result, sent } = await readFrom('sign-in');
    expect(result).toMatchObject({ kind: 'forbidden' });
    expect(sent).toEqual(['files.slack.com token']);
  });

  test('is refused where the host isn’t Slack’s', async () => {
    const { result, sent } = await readFrom('elsewhere');
    expect(result).toMatchObject({ kind: 'failed', problem: { code: 'file_elsewhere' } });
    expect(sent).toEqual(['files.slack.com token']);
  });
});
