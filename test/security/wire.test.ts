import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Server, startServer } from '../../src/app/server.ts';
import { annasKey } from '../service/fixture.ts';
import { useAttacked } from './attacked.ts';

const attacked = useAttacked();
let server: Server;
/** The paths of the requests that reached the service. */
const reached: string[] = [];
beforeAll(async () => {
  const service = {
    fetch(request: Request, connection: object) {
      reached.push(new URL(request.url).pathname);
      return attacked().service.service.fetch(request, connection);
    },
  };
  server = await startServer({ host: '127.0.0.1', port: 0 }, { service, listeners: new Map() });
});
afterAll(() => server[Symbol.asyncDispose]());

/** The response until the server closes the connection. */
async function send(bytes: string): Promise<string> {
  reached.length = 0;
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  return text(socket).catch(() => '');
}

const countAnswers = (answer: string) => answer.split(/HTTP\/1\.1 \d/).length - 1;

const key = `Authorization: Bearer ${annasKey}\r\n`;
const json = 'Content-Type: application/json\r\n';
const post = `POST /api/v1/chatbot/create HTTP/1.1\r\nHost: a\r\n${key}${json}`;
const get = `GET /api/v1/user HTTP/1.1\r\nHost: a\r\n${key}`;
/** A request that must stay a body, or never be read. */
const hidden = `GET /hidden HTTP/1.1\r\nHost: a\r\n${key}Connection: close\r\n\r\n`;
const body = '{"name":"A"}';
const chunked = `c\r\n${body}\r\n0\r\n\r\n`;

describe('a request whose end can be read in two ways', () => {
  test.each<[string, string]>([
    ['two lengths', `${post}Content-Length: 12\r\nContent-Length: 0\r\n\r\n${body}`],
    ['two equal lengths', `${post}Content-Length: 12\r\nContent-Length: 12\r\n\r\n${body}`],
    ['a list of lengths', `${post}Content-Length: 12, 12\r\n\r\n${body}`],
    [
      'a length and chunks',
      `${post}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    [
      'chunks and a length',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`,
    ],
    ['a negative length', `${post}Content-Length: -1\r\n\r\n${body}`],
    ['a length with a sign', `${post}Content-Length: +12\r\n\r\n${body}`],
    ['a length in hexadecimal', `${post}Content-Length: 0xc\r\n\r\n${body}`],
    ['a length with a space', `${post}Content-Length: 1 2\r\n\r\n${body}`],
    ['a length beyond all numbers', `${post}Content-Length: ${'9'.repeat(30)}\r\n\r\n${body}`],
    ['an empty length', `${post}Content-Length: \r\n\r\n${body}`],
    ['a space before the colon', `${post}Content-Length : 12\r\n\r\n${body}`],
    ['a folded length', `${post}Content-Length:\r\n 12\r\n\r\n${body}`],
    ['an unknown transfer coding', `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
    ['chunks that are not last', `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`],
    ['chunks twice', `${post}Transfer-Encoding: chunked, chunked\r\n\r\n${chunked}`],
    ['a coding with a vertical tab', `${post}Transfer-Encoding: \x0bchunked\r\n\r\n${chunked}`],
    ['a coding with a quote', `${post}Transfer-Encoding: "chunked"\r\n\r\n${chunked}`],
    [
      'a chunk of negative length',
      `${post}Transfer-Encoding: chunked\r\n\r\n-c\r\n${body}\r\n0\r\n\r\n`,
    ],
    ['a chunk with 0x', `${post}Transfer-Encoding: chunked\r\n\r\n0xc\r\n${body}\r\n0\r\n\r\n`],
    [
      'a chunk that overflows',
      `${post}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(20)}\r\n${body}`,
    ],
    [
      'a chunk longer than said',
      `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n${body}\r\n0\r\n\r\n`,
    ],
    [
      'a chunk that ends with a bare line feed',
      `${post}Transfer-Encoding: chunked\r\n\r\nc\n${body}\n0\n\n`,
    ],
    [
      'an extension of a chunk without end',
      `${post}Transfer-Encoding: chunked\r\n\r\nc;${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('%s is refused', async (_, request) => {
    const answer = await send(request + hidden);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).not.toMatch(/HTTP\/1\.1 [235]/);
    expect(reached).not.toContain('/hidden');
  });
});

describe('a malformed request', () => {
  test.each<[string, string]>([
    ['bare line feeds', `${get}Connection: close\r\n\r\n`.replaceAll('\r\n', '\n')],
    ['bare carriage returns', `${get}Connection: close\r\n\r\n`.replaceAll('\r\n', '\r')],
    ['a bare line feed within', `${get}X: a\nY: b\r\n\r\n`],
    ['a bare carriage return within', `${get}X: a\rY: b\r\n\r\n`],
    ['a zero byte in a header', `${get}X: a\0b\r\n\r\n`],
    ['a zero byte in a path', `GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a control character in a header', `${get}X: a\x01b\r\n\r\n`],
    ['a header without a name', `${get}: a\r\n\r\n`],
    ['a header without a colon', `${get}X\r\n\r\n`],
    ['a header that is folded first', `GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n`],
    ['no host', `GET /api/v1/user HTTP/1.1\r\n${key}\r\n`],
    [
      'two hosts',
      `GET /api/v1/user HTTP/1.1\r\nHost: a\r\nHost: b\r\n${key}Connection: close\r\n\r\n`,
    ],
    [
      'a host with a path',
      `GET /api/v1/user HTTP/1.1\r\nHost: a/b\r\n${key}Connection: close\r\n\r\n`,
    ],
    [
      'a host with a name',
      `GET /api/v1/user HTTP/1.1\r\nHost: a@b\r\n${key}Connection: close\r\n\r\n`,
    ],
    ['another version', `GET /api/v1/user HTTP/2.0\r\nHost: a\r\n\r\n`],
    ['no version', 'GET /api/v1/user\r\n\r\n'],
    ['another protocol', `GET /api/v1/user FTP/1.1\r\nHost: a\r\n\r\n`],
    ['an unknown method', `HACK /api/v1/user HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a method in small letters', `get /api/v1/user HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a space in the path', `GET /a b HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a handshake of TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'.padEnd(200, '\0')],
    ['a greeting of mail', 'EHLO example.com\r\n\r\n'],
    ['zeros', '\0'.repeat(1000)],
    ['a header of 20 KiB', `${get}X: ${'x'.repeat(20 * 1024)}\r\n\r\n`],
    ['many headers', `${get}${'X: y\r\n'.repeat(5000)}\r\n`],
    ['a path of 20 KiB', `GET /${'x'.repeat(20 * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('%s is refused', async (_, request) => {
    const answer = await send(request);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(countAnswers(answer)).toBe(1);
    expect(answer).not.toContain('"data"');
  });
});

describe('a request in an unusual form', () => {
  const close = `Connection: close\r\n\r\n`;
  test.each<[string, string, RegExp]>([
    [
      'to a proxy',
      `GET http://evil.example/api/v1/user HTTP/1.1\r\nHost: a\r\n${close}`,
      /^HTTP\/1\.1 401 /,
    ],
    [
      'to another scheme',
      `GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n${close}`,
      /^HTTP\/1\.1 4\d\d /,
    ],
    ['for all', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${close}`, /^HTTP\/1\.1 4\d\d /],
    [
      'that traces',
      `TRACE /api/v1/user HTTP/1.1\r\nHost: a\r\n${key}${close}`,
      /^HTTP\/1\.1 4\d\d /,
    ],
    ['that climbs', `GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n${close}`, /^HTTP\/1\.1 404 /],
    [
      'to another host by its path',
      `GET //evil.example/ HTTP/1.1\r\nHost: a\r\n${close}`,
      /^HTTP\/1\.1 404 /,
    ],
    ['that expects too much', `${get}Expect: 200-maybe\r\n${close}`, /^HTTP\/1\.1 417 /],
    ['of HTTP/1.0', `GET /api/v1/user HTTP/1.0\r\nHost: a\r\n${key}\r\n`, /^HTTP\/1\.1 200 /],
    [
      'with an unreadable address',
      `GET http://[ HTTP/1.1\r\nHost: a\r\n${close}`,
      /^HTTP\/1\.1 400 /,
    ],
  ])('%s', async (_, request, expected) => {
    const answer = await send(request);
    expect(answer).toMatch(expected);
    expect(answer).not.toContain('root:');
    expect(answer).not.toMatch(/^location: .*evil/im);
  });

  test('a tunnel is not opened', async () => {
    expect(await send('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n')).toBe(
      '',
    );
    expect(reached).toEqual([]);
  });

  test('a body that looks like a request is treated as a body', async () => {
    const answer = await send(`${post}Content-Length: ${hidden.length}\r\n${close}${hidden}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(countAnswers(answer)).toBe(1);
    expect(reached).toEqual(['/api/v1/chatbot/create']);
  });

  test('the body of a GET is not read as the next request', async () => {
    const answer = await send(`${get}Content-Length: ${hidden.length}\r\n${close}${hidden}`);
    expect(countAnswers(answer)).toBe(1);
    expect(reached).toEqual(['/api/v1/user']);
  });

  test('a trailer is not read as a header', async () => {
    const trailer = `c\r\n${body}\r\n0\r\nAuthorization: Bearer ${annasKey}\r\n\r\n`;
    const bare = `POST /api/v1/chatbot/create HTTP/1.1\r\nHost: a\r\n${json}Transfer-Encoding: chunked\r\n`;
    expect(await send(`${bare}${close}${trailer}`)).toMatch(/^HTTP\/1\.1 401 /);
  });
});
