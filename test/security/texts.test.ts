import { beforeAll, describe, expect, test } from 'vitest';
import { useAttacked } from './attacked.ts';

const attacked = useAttacked();

/** Texts that must be treated as plain text. */
const texts: Record<string, string> = {
  'a quote and a statement': `'); DROP TABLE chatbots; --`,
  'a union': `' UNION SELECT key, hash FROM keys --`,
  'a condition': `" OR "1"="1`,
  'a comment': 'x/*',
  'parameters of SQL': '? ?1 :uuid $uuid @uuid',
  'a wildcard': '%_[^a]*',
  'an end of a string': 'a\\',
  'a search of FTS5': '"open" NEAR(a b, 5) OR title : ^x* AND NOT (',
  'a zero byte': 'before\u0000after',
  'line breaks': 'a\r\nSet-Cookie: a=b\r\n\r\nb',
  'letters that turn around': 'a\u202egnp.exe\u2066',
  'half of a letter': 'a\ud800b\udfffc',
  'a property of every object': '__proto__',
  'a constructor': 'constructor.prototype',
  'a page': '<script>alert(1)</script><img src=x onerror=alert(1)>',
  'a template': '{{constructor}} ${process.env} #{x} <%= x %> %s %n',
  'a command': '$(touch /tmp/x) `id` ; | && ~',
  'an address': 'file:///etc/passwd',
  XML: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  'an event': 'a\n\ndata: [DONE]\n\nevent: b',
  'many marks over one letter': `Z${'\u0301'.repeat(90)}`,
  'signs of another plane': '𝕬🏴‍☠️\u{10ffff}',
  'a byte order mark': 'a\ufeffb\ufffe\uffff',
};

type Write = (text: string) => Promise<unknown>;

/** Every field that takes free text: writes a text and reads it back. */
const fields: Record<string, Write> = {
  'a chatbot’s name': (name) => write('chatbot', '/update', { name }, 'name'),
  'a chatbot’s rate_limit_message': (text) =>
    write('chatbot', '/update', { rate_limit_message: text }, 'meta.rate_limit_message'),
  'an agent’s name': (name) => write('agent', '/update', { name }, 'name'),
  'an agent’s description': (text) =>
    write('agent', '/update', { description: text }, 'description'),
  'an agent’s prompt': (text) => write('agent', '/update', { prompt: text }, 'prompt'),
  'a variable': (text) => {
    const variables = [{ name: text, description: text, type: 'string', example: text }];
    return write('agent', '/update', { variables }, 'variables.0.example');
  },
  'a source’s title': (title) => write('data-source', '/update', { title }, 'title'),
  'a tag’s name': (name) => write('source-tag', '/update', { name }, 'name'),
  'a question and its answer': (text) => {
    const body = { question: text, answer: text };
    return write('chatbot', '/data-source/qa', body, 'title');
  },
  'a value of a session': (text) =>
    write('chatbot', '/session/create', { initial_variables: { a: text } }, 'initial_variables.a'),
  'a query': async (query) => {
    const { service, annas } = attacked();
    const sent = await service.post(`/api/v1/session/${annas.session}/message/non-stream`, {
      query,
    });
    expect(sent.status).toBe(200);
    return (await service.get(`/api/v1/session/${annas.session}/messages?limit=1&order=desc`))
      .json[0].query;
  },
};

async function write(
  thing: 'chatbot' | 'agent' | 'data-source' | 'source-tag',
  path: string,
  body: object,
  field: string,
): Promise<unknown> {
  const { service, annas } = attacked();
  const answer = await service.post(`/api/v1/${thing}/${annas[thing]}${path}`, body);
  expect(answer.status).toBe(200);
  return field.split('.').reduce((value, name) => value[name], answer.json);
}

let tables: unknown;
const countAll = async () => {
  const { service, berts } = attacked();
  const lists = ['agents', 'data-sources', 'source-tags', 'sessions'];
  return Promise.all(
    lists.map(async (list) => {
      const { json } = await service.get(`/api/v1/chatbot/${berts.chatbot}/${list}`, 'berts-key');
      return json;
    }),
  );
};
beforeAll(async () => {
  tables = await countAll();
});

describe.each(Object.entries(fields))('%s', (_, field) => {
  test.each(Object.entries(texts))('may be %s', async (__, text) => {
    expect(await field(text)).toBe(text.toWellFormed().trim());
  });
});

test('after all these requests, nothing else has changed', async () => {
  expect(await countAll()).toEqual(tables);
});
