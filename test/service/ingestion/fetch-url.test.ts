import { createServer, type RequestListener } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { buildConnector } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUrlFetcher } from '../../../src/service/ingestion/fetch-url.ts';
import { IngestionError } from '../../../src/service/ingestion/document.ts';
import { startProxy } from '../../fixtures/proxy.ts';
import { useProxy } from '../../fixtures/use-proxy.ts';

const toAscii = (address: string): string => address.replace(/[^ -~]/gu, encodeURIComponent);

const signal = new AbortController().signal;
const pages: Record<string, RequestListener> = {
  '/page': (_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
      .end('caf\xe9', 'latin1');
  },
  '/own/page': (_request, response) => response.end('own'),
  '/agent': (request, response) => response.end(request.headers['user-agent']),
  '/to-page': (_request, response) => response.writeHead(302, { location: '/page' }).end(),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/to-file': (_request, response) =>
    response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to': (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://a.example');
    response.writeHead(302, { location: toAscii(searchParams.get('url') ?? '') }).end();
  },
  '/endless': (_request, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    };
    response.on('drain', write);
    write();
  },
  '/bomb': (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000)));
  },
  '/packed': (_request, response) => {
    const twice = brotliCompressSync(gzipSync(deflateSync('packed thrice')));
    response.writeHead(200, { 'content-encoding': 'deflate, GZIP, br' }).end(twice);
  },
  '/packed-oddly': (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'constructor' }).end('x'),
  '/packed-often': (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip, '.repeat(100) }).end('x'),
  '/not-packed': (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain text'),
  '/not-brotli': (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'br' }).end('plain text'),
  '/no-http': (_request, response) => response.socket?.end('220 mail.example ESMTP\r\n'),
  '/declared': (_request, response) =>
    response.writeHead(200, { 'content-length': '5000000' }).end(),
  '/empty': (_request, response) => response.end(),
  '/silent': () => {},
  '/gone': (_request, response) => response.writeHead(404).end('no'),
  '/secret': (_request, response) => response.writeHead(403).end('no'),
  '/broken': (_request, response) => response.writeHead(503).end('no'),
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    response.socket?.end();
  },
  '/robots.txt': (_request, response) => response.end('User-agent: *\nDisallow: /forbidden'),
};

const server = createServer((request, response) => {
  const path = new URL(request.url ?? '', 'http://a.example').pathname;
  pages[path]?.(request, response);
});
let base: string;
let folder: string;
let path: string;

beforeAll(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'fetch-'));
  path = join(folder, 'page');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

describe('a page', () => {
  const fetcher = createUrlFetcher({ maxBytes: 1_000_000, allowPrivateAddresses: true });

  test('is written to a file, with its charset kept', async () => {
    const fetched = await fetcher.fetchToFile(`${base}/page`, path, signal);
    expect(fetched).toEqual({
      url: `${base}/page`,
      contentType: 'text/html; charset=iso-8859-1',
      bytes: 4,
    });
    expect(await readFile(path, 'latin1')).toBe('café');
  });

  test('is asked for by name', async () => {
    await fetcher.fetchToFile(`${base}/agent`, path, signal);
    expect(await readFile(path, 'utf8')).toMatch(/^Causeway\//u);
  });

  test('is unpacked', async () => {
    expect((await fetcher.fetchToFile(`${base}/packed`, path, signal)).bytes).toBe(13);
    expect(await readFile(path, 'utf8')).toBe('packed thrice');
  });

  test('may have moved', async () => {
    expect((await fetcher.fetchToFile(`${base}/to-page`, path, signal)).url).toBe(`${base}/page`);
  });

  test.each([
    ['/loop', 'redirects more than 5 times.'],
    [
      '/to-file',
      'file:///etc/passwd is not a web page: the address must begin with http:// or https://.',
    ],
    ['/endless', 'The page is longer than 977 kB. Add its parts one by one.'],
    ['/bomb', 'The page is longer than 977 kB. Add its parts one by one.'],
    ['/declared', 'The page is longer than 977 kB. Add its parts one by one.'],
    ['/packed-oddly', 'The page’s compression is not supported (constructor).'],
    ['/packed-often', 'The page’s compression is not supported (gzip, gzip, '],
    ['/not-packed', 'could not be read.'],
    ['/not-brotli', 'could not be read.'],
    ['/no-http', 'could not be read.'],
    ['/empty', 'The page is empty.'],
    ['/gone', '/gone answers 404 Not Found: there is no such page. Check the address.'],
    [
      '/secret',
      '/secret answers 403 Forbidden: the page is not public. Upload it as a file instead.',
    ],
    ['/broken', '/broken answers 503 Service Unavailable. Try again later.'],
    ['/cut', 'closed the connection early. Try again later.'],
    ['/forbidden/x', '(its robots.txt forbids it).'],
  ])('%s is refused', async (page, sentence) => {
    const fetched = fetcher.fetchToFile(base + page, path, signal);
    await expect(fetched).rejects.toThrow(IngestionError);
    await expect(fetched).rejects.toThrow(sentence);
  });

  test('that does not come in time is given up', async () => {
    const hurried = createUrlFetcher({
      maxBytes: 1000,
      allowPrivateAddresses: true,
      timeoutMs: 50,
    });
    await expect(hurried.fetchToFile(`${base}/silent`, path, signal)).rejects.toThrow(
      `${base}/silent did not arrive within 0.05 seconds. Try again later.`,
    );
  });

  test('is left when it is no longer wanted', async () => {
    const stop = new AbortController();
    const fetched = fetcher.fetchToFile(`${base}/silent`, path, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(fetched).rejects.toThrow('stopped');
  });

  test('of a host nobody answers for is refused in words', async () => {
    const closed = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    closed.listen(0, '127.0.0.1', resolve);
    await promise;
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await expect(fetcher.fetchToFile(`http://127.0.0.1:${port}/`, path, signal)).rejects.toThrow(
      `127.0.0.1:${port} refuses connections. Try again later.`,
    );
  });

  test.each([
    ['nonsense', '“nonsense” is not an address. Give one like https://example.com/page.'],
    [
      'ftp://a.example/x',
      'ftp://a.example/x is not a web page: the address must begin with http:// or https://.',
    ],
    ['http://a.example:25/', 'Port 25 is not for web pages. Check the address.'],
    [
      'http://me:secret@a.example/',
      'The address contains a user name or password. Leave them out.',
    ],
    [
      'https://www.youtube.com/watch?v=1',
      'YouTube videos can’t be read yet. Add the transcript as a file instead.',
    ],
  ])('%s is refused before anything is asked', async (address, sentence) => {
    await expect(fetcher.fetchToFile(address, path, signal)).rejects.toThrow(sentence);
  });
});

describe('an address that is not public', () => {
  /** Names answer as told; connections all end at the test's server, whatever address was checked. */
  const addresses: Record<string, string[]> = {
    'public.example': ['93.184.216.34'],
    'private.example': ['10.1.2.3'],
    'mixed.example': ['93.184.216.34', '127.0.0.1'],
    'mapped.example': ['::ffff:169.254.169.254'],
  };
  const dialled: string[] = [];
  const dial = buildConnector({ allowH2: false });
  const fetcher = createUrlFetcher({
    maxBytes: 1000,
    lookup: async (hostname) =>
      (addresses[hostname] ?? []).map((address) => ({ address, family: 4 })),
    connect: (options, callback) => {
      dialled.push(options.hostname);
      dial({ ...options, hostname: '127.0.0.1', port: new URL(base).port }, callback);
    },
  });

  test('is refused, while a public one is read at the address that was checked', async () => {
    const fetched = await fetcher.fetchToFile('http://public.example/page', path, signal);
    expect(fetched.bytes).toBe(4);
    expect(new Set(dialled)).toEqual(new Set(['93.184.216.34']));
  });

  const spellings = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://0/',
    'http://127。0。0。1/',
    'http://private.example/',
    'http://mixed.example/',
    'http://mapped.example/',
  ];
  test.each(spellings)('%s, named or redirected to', async (address) => {
    const before = dialled.length;
    const sentence = /is not a public address\. Only pages on the public internet can be added/u;
    await expect(fetcher.fetchToFile(address, path, signal)).rejects.toThrow(sentence);
    expect(dialled).toHaveLength(before);

    const redirect = `http://public.example/to?url=${encodeURIComponent(address)}`;
    await expect(fetcher.fetchToFile(redirect, path, signal)).rejects.toThrow(sentence);
  });

  test('is read where its pages are the process’s own, and nowhere beside them', async () => {
    const own = createUrlFetcher({ maxBytes: 1000, ownPages: `${base}/own/` });
    expect((await own.fetchToFile(`${base}/own/page`, path, signal)).bytes).toBe(3);
    for (const beside of ['/page', '/own', '/own/../page', '/own/%2e%2e/page']) {
      await expect(own.fetchToFile(`${base}${beside}`, path, signal)).rejects.toThrow(
        'is not a public address',
      );
    }
  });

  test('is distinguished from a name that does not exist', async () => {
    await expect(fetcher.fetchToFile('http://nowhere.example/', path, signal)).rejects.toThrow(
      'The host nowhere.example could not be found.',
    );
  });
});

describe('behind a proxy', () => {
  const lookup = async (hostname: string) => {
    const address = hostname === 'public.example' ? '93.184.216.34' : '10.1.2.3';
    return [{ address, family: 4 }];
  };

  test('a page is read at the address that was checked', async () => {
    await using proxy = await startProxy({ hosts: { 'public.example': base } });
    useProxy(proxy.url);
    const fetcher = createUrlFetcher({ maxBytes: 1000, lookup });
    const { bytes } = await fetcher.fetchToFile('http://public.example/page', path, signal);
    expect(bytes).toBe(4);
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT 93.184.216.34:80']));
    expect(proxy.reached('public.example')).toEqual(['GET /robots.txt', 'GET /page']);
  });

  test('a private address is refused before the proxy hears of it', async () => {
    await using proxy = await startProxy({ hosts: { 'public.example': base } });
    useProxy(proxy.url);
    const fetcher = createUrlFetcher({ maxBytes: 1000, lookup });
    const sentence = /is not a public address/u;
    for (const address of ['http://private.example/', 'http://[::1]/', 'http://127.0.0.1/']) {
      await expect(fetcher.fetchToFile(address, path, signal)).rejects.toThrow(sentence);
    }
    expect(proxy.asked).toEqual([]);
    const redirect = `http://public.example/to?url=${encodeURIComponent('http://private.example/')}`;
    await expect(fetcher.fetchToFile(redirect, path, signal)).rejects.toThrow(sentence);
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT 93.184.216.34:80']));
  });

  test('a proxy that refuses is named as the reason', async () => {
    await using proxy = await startProxy({ connect: 403 });
    useProxy(proxy.url);
    const fetcher = createUrlFetcher({ maxBytes: 1000, lookup });
    const failing = fetcher.fetchToFile('https://public.example/page', path, signal);
    await expect(failing).rejects.toThrow(
      'The proxy of the bot’s network does not connect to public.example.',
    );
    expect(proxy.asked).toEqual(['CONNECT 93.184.216.34:443']);
  });
});
