import { expect, test } from 'vitest';
import { startTestService } from '../fixture.ts';

const app = 'https://app.example.com';
const corsOrigins = [app, 'http://localhost:8080'];

const preflight = (origin: string): RequestInit => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  },
});

test('a page of a named origin may call the service', async () => {
  await using service = await startTestService({ corsOrigins });
  const path = 'http://service.test/api/v1/chatbot/create';
  const asked = await service.service.fetch(new Request(path, preflight(app)));
  expect(asked.status).toBe(204);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': app,
    'access-control-allow-methods': expect.stringMatching(/\bPOST\b.*\bDELETE\b/),
    'access-control-allow-headers': expect.stringMatching(/\bauthorization\b.*\bcontent-type\b/),
    'access-control-max-age': '600',
    vary: expect.stringContaining('Origin'),
  });
  expect(asked.headers.has('access-control-allow-credentials')).toBe(false);
});

test('it reads every answer, refusals and streams too', async () => {
  await using service = await startTestService({ corsOrigins });
  const session = await service.createSession(await service.createChatbot());
  const headers = { origin: 'http://localhost:8080', 'content-type': 'application/json' };
  const read = { headers };
  const post = (body: string) => ({ method: 'POST', headers, body });
  const answers: [string, RequestInit, number][] = [
    ['/api/v1/user', read, 200],
    ['/api/v1/user', { headers: { ...headers, authorization: 'Bearer nobodys' } }, 401],
    ['/api/v1/nothing', read, 404],
    ['/api/v1/chatbot/create', read, 405],
    ['/api/v1/chatbot/create', post('{'), 400],
    ['/api/v1/openapi.json', read, 200],
    [`/api/v1/session/${session}/message/stream`, post('{"query":"Why?"}'), 200],
  ];
  for (const [path, init, status] of answers) {
    const answer = await service.fetch(path, init);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': headers.origin,
      'access-control-expose-headers': expect.stringContaining('retry-after'),
      vary: expect.stringContaining('Origin'),
    });
  }
});

test.each(['https://evil.example', 'https://app.example.com.evil.example', 'null', ''])(
  'the origin %j is not let in',
  async (origin) => {
    await using service = await startTestService({ corsOrigins });
    const request = new Request('http://service.test/api/v1/user', preflight(origin));
    const asked = await service.service.fetch(request);
    expect(asked.headers.has('access-control-allow-origin')).toBe(false);
    const answer = await service.fetch('/api/v1/user', { headers: { origin } });
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    expect(answer.headers.get('vary')).toContain('Origin');
  },
);

test('with * every origin is allowed, and by default none', async () => {
  await using open = await startTestService({ corsOrigins: ['*'] });
  const any = await open.fetch('/api/v1/user', { headers: { origin: app } });
  expect(any.headers.get('access-control-allow-origin')).toBe('*');

  await using closed = await startTestService();
  const none = await closed.fetch('/api/v1/user', { headers: { origin: app } });
  expect(none.status).toBe(200);
  expect([...none.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([]);
  const path = 'http://service.test/api/v1/chatbot/create';
  const asked = await closed.service.fetch(new Request(path, preflight(app)));
  expect(asked.status).toBe(401);
  expect(asked.headers.has('access-control-allow-origin')).toBe(false);
});
