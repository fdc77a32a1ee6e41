import { expect, test } from 'vitest';
import { useAttacked } from './attacked.ts';

const attacked = useAttacked();

const texts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  `' onmouseover='alert(1)`,
  '</style><script>alert(1)</script>',
  '<!--',
  '&lt;script&gt;',
  'javascript:alert(1)',
];

test.each(texts)('%s in an address is answered as JSON', async (text) => {
  const { service } = attacked();
  for (const path of [
    `/${encodeURI(text)}`,
    `/api/v1/${encodeURI(text)}`,
    `/?q=${encodeURI(text)}`,
  ]) {
    const response = await service.fetch(path);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.has('location')).toBe(false);
  }
});

test.each(texts)('%s in a transcript is plain text', async (query) => {
  const { service, annas } = attacked();
  await service.post(`/api/v1/session/${annas.session}/message/non-stream`, { query });
  const { headers, text } = await service.get(
    `/api/v1/session/${annas.session}/messages/plain-text`,
  );
  expect(text).toContain(query);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

const breaks: [string, string][] = [
  ['a line feed', 'a\n\ndata: [DONE]\n\nb'],
  ['a carriage return', 'a\r\rdata: [DONE]\r\rb'],
  ['both', 'a\r\n\r\nevent: error\r\ndata: x\r\n\r\nb'],
  ['a line separator', 'a\u2028\u2028data: x\u2029\u0085b'],
  ['an identifier', '\nid: 7\nretry: 1\n\n'],
  ['a comment', '\n: x\n\n'],
  ['an end', '[DONE]'],
  ['a byte order mark', '\ufeff\n\ndata: x'],
  ['an escape', '\\n\\ndata: x"}\\'],
];

test.each(breaks)('%s in a reply starts no other event', async (_, text) => {
  const { service } = attacked();
  const chatbot = await service.createChatbot({ rate_limit: [1, 360], rate_limit_message: text });
  const session = await service.createSession(chatbot);
  await service.post(`/api/v1/session/${session}/message/non-stream`, { query: 'Why?' });
  const response = await service.fetch(`/api/v1/session/${session}/message/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: '{"query":"Why?"}',
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = (await response.text()).split('\n\n');
  expect(events.splice(-2)).toEqual(['data: [DONE]', '']);
  const said = events.map((event) => {
    expect(event).toMatch(/^data: ".*"$/s);
    return JSON.parse(event.slice('data: '.length)) as string;
  });
  expect(said.join('')).toBe(text);
});
