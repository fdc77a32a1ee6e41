import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bertsKey, startTestService, type TestService } from '../fixture.ts';

const handbook = readFileSync(
  new URL('../../../src/sandbox/page/samples/cafe-handbook.md', import.meta.url),
  'utf8',
);

async function upload(service: TestService, chatbot: string, name: string, content: string) {
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const { json } = await service.upload(path, { name, content });
  await service.service.settled();
  return json.uuid as string;
}

async function questionsOf(service: TestService, uuid: string): Promise<string[]> {
  return (await service.get(`/api/v1/data-source/${uuid}/questions`)).json.questions;
}

test('a source has up to three questions, each of which it answers', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const uuid = await upload(service, chatbot, 'handbook.md', handbook);
  const questions = await questionsOf(service, uuid);
  expect(questions).toEqual([
    'How do I open the café in the morning?',
    'What is the lighthouse blend?',
    'What should I know about “Opening hours”?',
  ]);
  for (const query of questions) {
    const session = await service.createSession(chatbot);
    await service.post(`/api/v1/session/${session}/message/non-stream`, { query });
    const { json } = await service.get(`/api/v1/session/${session}/messages`);
    const cited = Object.values<{ data_source_uuid: string }>(JSON.parse(json[0].cite_data_json));
    expect(cited[0]?.data_source_uuid).toBe(uuid);
  }
});

test('what no person would ask is not offered', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const text = [
    '# X Desktop Group (http://www.freedesktop.org)',
    'In determining whether a product is a consumer product, doubtful cases count.',
    'For a work that is the subject of this licence, all terms apply.',
    'Each contributor is the owner of their part.',
    '# Base directories',
    'A base directory is a folder for files of one kind.',
  ].join('\n\n');
  const uuid = await upload(service, chatbot, 'basedir.md', text);
  const questions = await questionsOf(service, uuid);
  expect(questions).toEqual([
    'What is a base directory?',
    'What should I know about “Base directories”?',
  ]);
  const source = (await service.get(`/api/v1/data-source/${uuid}`)).json;
  expect(source.title).toBe('Base directories');
});

test('what another source answers better is not offered', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const first = '# Rules\n\n## What is a tern?\n\nA tern is a slender bird of the sea.\n';
  await upload(service, chatbot, 'first.md', first);
  const uuid = await upload(service, chatbot, 'second.md', '# More\n\nA tern is a bird.\n');
  expect(await questionsOf(service, uuid)).not.toContain('What is a tern?');
});

test.each([
  [
    'prices.csv',
    'Product,Price\nFlat white,€3.80\nLemon cake,€4.50\n',
    /“(?:Flat white|Lemon cake)”/,
  ],
  [
    'regeln.md',
    '# Regeln\n\n## Pausen\n\nDie Pause ist um zehn und dauert nicht lange.\n',
    /^Was sollte ich über „Pausen“ wissen\?$/,
  ],
])('%s gets questions in its own language', async (name, content, expected) => {
  await using service = await startTestService();
  const uuid = await upload(service, await service.createChatbot(), name, content);
  const questions = await questionsOf(service, uuid);
  expect(questions.length).toBeGreaterThan(0);
  for (const question of questions) expect(question).toMatch(expected);
});

test('a source that says nothing of its subject, or is somebody else’s, has none', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const uuid = await upload(service, chatbot, 'notes.txt', 'It was so. They did not. This is it.');
  expect(await questionsOf(service, uuid)).toEqual([]);
  const path = `/api/v1/data-source/${uuid}/questions`;
  expect((await service.get(path, bertsKey)).status).toBe(404);
});
