import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Operation, type OperationName, operations } from '../../src/shared/api/operations.ts';
import { goodBodies } from '../contracts/service/world.ts';
import { annasKey, createDataDir, startTestService, type TestService } from './fixture.ts';

/** One seed that is always the same, and one that is told here and never the same. */
const seeds = [20_261_121, Math.trunc(Math.random() * 2 ** 31)];

const failures: unknown[] = [];
let service: TestService;
let dataDir: string;
let things: Record<string, string> = {};

beforeAll(async () => {
  dataDir = await createDataDir();
  const ignore = () => {};
  const error = (fields: object) => failures.push(fields);
  const log = { debug: ignore, info: ignore, warn: ignore, error };
  const requestLimit = { requests: 1_000_000, seconds: 1 };
  service = await startTestService({ dataDir, log, requestLimit, maxUploadBytes: 20_000 });
  await createThings();
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
});

async function createThings(): Promise<void> {
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}`;
  const session = await service.createSession(chatbot);
  const tag = await service.post(`${path}/source-tag/create`, { name: 'T', color: '#000000' });
  const source = await service.post(`${path}/data-source/qa`, { question: 'Why?', answer: 'So.' });
  const agents = await service.get(`${path}/agents`);
  things = {
    chatbot,
    session,
    'source-tag': tag.json.uuid,
    'data-source': source.json.uuid,
    agent: agents.json[0].uuid,
  };
}

/** Whatever is sent: an answer, never of status 500, and JSON with a sentence unless it is 200. */
async function expectManners(path: string, init: RequestInit): Promise<void> {
  const request = toRequest(path, init);
  if (request === undefined) return;
  const response = await service.service.fetch(request);
  const text = await response.text();
  if (response.status === 200) {
    if (path.includes('delete')) await createThings();
    return;
  }
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect((JSON.parse(text) as { error: string }).error).toMatch(/^\S.{10,}\w/s);
  expect(failures).toEqual([]);
}

/** Undefined for what is no request at all, such as a header with a line break in it. */
function toRequest(path: string, init: RequestInit): Request | undefined {
  try {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${annasKey}`);
    return new Request(`http://service.test${path}`, { ...init, headers });
  } catch {
    return undefined;
  }
}

const names = Object.keys(operations) as OperationName[];
const anyName = fc.constantFrom(...names);
const nameWithBody = fc.constantFrom(...names.filter((name) => goodBodies[name] !== undefined));
const nameOfUpload = fc.constantFrom(
  ...names.filter((name) => (operations[name] as Operation).upload),
);

/** A path with the uuid of what is there, or with anything. */
function toPath(name: OperationName, uuid: string | undefined): string {
  return operations[name].path.replace(/([\w-]+)\/\{uuid\}/, (_, noun: string) => {
    const known = things[noun] ?? '0';
    return `${noun}/${uuid === undefined ? known : encodeURIComponent(uuid.toWellFormed())}`;
  });
}

// The unit 'binary' is the same, but takes more than a second to list all characters at first.
const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

const oddText = fc.oneof(
  fc.string(),
  fc.string({ unit: character }),
  fc.constantFrom('', ' ', '\u0000', '\ud800', '__proto__', '../..', '%', "';--", '#ffffff'),
);
const oddValue = fc.oneof(
  oddText,
  fc.jsonValue(),
  fc.double(),
  fc.constantFrom(null, [], {}, -1, 1e308, Number.MAX_SAFE_INTEGER, 'x'.repeat(3000)),
);

/** A good body with a few fields put in, and JSON of any other shape. */
const oddBody = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(oddText, oddValue, { maxKeys: 3 }) },
  { weight: 1, arbitrary: oddValue },
);
const knownField = fc.constantFrom(
  ...new Set(
    names.flatMap((name) => {
      const { body } = operations[name] as Operation;
      return body && 'shape' in body ? Object.keys(body.shape as object) : [];
    }),
  ),
);
const oddFields = fc.dictionary(knownField, oddValue, { maxKeys: 3 });

describe.each(seeds)('with seed %i', (seed) => {
  const options = { seed, timeout: 5000 };

  test('no body breaks the service', async () => {
    const property = fc.asyncProperty(
      nameWithBody,
      fc.boolean(),
      fc.oneof(oddBody, oddFields),
      async (name, isWhole, odd) => {
        const isObject = typeof odd === 'object' && odd !== null && !Array.isArray(odd);
        const good = {
          ...goodBodies[name],
          ...(name === 'addUrlSource' && { url: 'http://[::1]' }),
        };
        const body = JSON.stringify(isObject && !isWhole ? { ...good, ...odd } : odd);
        await expectManners(toPath(name, undefined), {
          method: operations[name].method,
          headers: { 'content-type': 'application/json' },
          body,
        });
      },
    );
    await fc.assert(property, { ...options, numRuns: 75 });
  });

  test('no bytes sent as a body break the service', async () => {
    const type = fc.constantFrom('application/json', 'text/plain', 'multipart/form-data', '');
    const text = oddText.map((each) => new TextEncoder().encode(each));
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), text);
    const property = fc.asyncProperty(
      nameWithBody,
      bytes,
      type,
      async (name, body, contentType) => {
        const headers = { 'content-type': contentType };
        const { method } = operations[name];
        await expectManners(toPath(name, undefined), { method, headers, body: Buffer.from(body) });
      },
    );
    await fc.assert(property, { ...options, numRuns: 75 });
  });

  test('no path, parameter or method breaks the service', async () => {
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS');
    const query = fc.dictionary(
      fc.oneof(fc.constantFrom('start_timestamp', 'end_timestamp'), oddText),
      fc.oneof(oddText, fc.constantFrom('2024-09-12T00:19:12.000Z', '9999-99-99T00:00:00.000Z')),
      { maxKeys: 2 },
    );
    const property = fc.asyncProperty(
      anyName,
      fc.option(oddText, { nil: undefined }),
      method,
      query,
      fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.webPath(), fc.constant('%ff')),
      async (name, uuid, method, parameters, rest) => {
        const search = Object.entries(parameters).map(([key, value]) =>
          [key, value].map((each) => encodeURIComponent(each.toWellFormed())).join('='),
        );
        await expectManners(`${toPath(name, uuid)}${rest}?${search.join('&')}`, { method });
      },
    );
    await fc.assert(property, { ...options, numRuns: 75 });
  });

  test('no header breaks the service', async () => {
    const header = fc.constantFrom(
      'authorization',
      'content-type',
      'content-length',
      'content-encoding',
      'accept',
      'x-request-id',
      'x-forwarded-for',
      'transfer-encoding',
      'expect',
    );
    const headers = fc.dictionary(header, fc.oneof(oddText, fc.constantFrom('0', '-1', '1e9')), {
      maxKeys: 3,
    });
    const property = fc.asyncProperty(anyName, headers, async (name, given) => {
      const { method } = operations[name];
      const body = method === 'POST' ? { body: JSON.stringify(goodBodies[name] ?? {}) } : {};
      await expectManners(toPath(name, '0'), { method, headers: given, ...body });
    });
    await fc.assert(property, { ...options, numRuns: 75 });
  });

  test('no form breaks the service', async () => {
    const field = fc.record({
      name: fc.oneof(fc.constantFrom('file', 'reference_source_link', 'meta_json'), oddText),
      fileName: fc.option(oddText, { nil: undefined }),
      type: fc.option(oddText, { nil: undefined }),
      content: fc.oneof(
        oddText,
        fc.constantFrom('{"reference_source_link":7}', 'x'.repeat(25_000)),
      ),
    });
    const cut = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1 }));
    const property = fc.asyncProperty(
      nameOfUpload,
      fc.array(field, { maxLength: 4 }),
      cut,
      async (name, fields, share) => {
        const form = Buffer.from(`${fields.map(toPart).join('')}--edge--\r\n`);
        await expectManners(toPath(name, undefined), {
          method: 'POST',
          headers: { 'content-type': 'multipart/form-data; boundary=edge' },
          body: form.subarray(0, Math.floor(form.length * (Number.isNaN(share) ? 0 : share))),
        });
      },
    );
    await fc.assert(property, { ...options, numRuns: 60 });
  });
});

function toPart(field: { name: string; fileName?: string; type?: string; content: string }) {
  const { name, fileName, type, content } = field;
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `--edge\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${contentType}\r\n${content}\r\n`;
}
