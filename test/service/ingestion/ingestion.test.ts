import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { p, toDocx } from '../../fixtures/documents/office.ts';
import { toPdf } from '../../fixtures/documents/pdf.ts';
import { createExtractor, type Extractor } from '../../../src/service/ingestion/extract.ts';
import { createDataDir, startTestService, type UploadFile } from '../fixture.ts';
import { startWebsite } from '../website.ts';

const long: UploadFile = {
  name: 'long.md',
  content: Array.from(
    { length: 400 },
    (_, index) => `## Chapter ${index}\n\nThe hero ${index} meets the dragon ${index}.\n`,
  ).join('\n'),
};

test('a service that closes in the middle goes on at its next start', async () => {
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      const seen = Promise.withResolvers<void>();
      await using extractor = createHeldExtractor(seen.promise);
      await using first = await startTestService({ dataDir, extractor });
      chatbot = await first.createChatbot();
      for (const name of ['a.md', 'b.md', 'c.md']) {
        await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, { ...long, name });
      }
      const { json } = await first.get(`/api/v1/chatbot/${chatbot}/data-sources`);
      expect(json.map(({ status }: { status: string }) => status)).not.toContain('success');
      seen.resolve();
    }
    await using second = await startTestService({ dataDir });
    await second.service.settled();
    const { json } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    expect(json).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'success' })));
    expect(new Set(json.map(({ tokens }: { tokens: number }) => tokens)).size).toBe(1);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('reads with a process of its own where none is given', async () => {
  await using service = await startTestService({ extractor: undefined });
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, long);
  await service.service.settled();
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(json).toMatchObject([{ status: 'success' }]);
});

test('answers from office documents, called by their own titles', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const letter = toDocx(p('The mill grinds wheat on Mondays.'), { title: 'The Mill' });
  const leaflet = toPdf([['The ferry leaves at noon.']], { title: 'Ferry' });
  await service.upload(path, { name: 'a.docx', content: Buffer.from(letter) });
  await service.upload(path, { name: 'b.pdf', content: Buffer.from(leaflet) });
  await service.service.settled();
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(json).toMatchObject([
    { title: 'The Mill', status: 'success', tokens: 8 },
    { title: 'Ferry', status: 'success' },
  ]);
  const session = await service.createSession(chatbot);
  const reply = await service.post(`/api/v1/session/${session}/message/non-stream`, {
    query: 'When does the ferry leave?',
  });
  expect(reply.json.response).toBe('The ferry leaves at noon. [1.1]');
});

/** Reads as the service does, and waits after the first passages until it may go on. */
function createHeldExtractor(goOn: Promise<void>) {
  const extractor = createExtractor();
  const begun = Promise.withResolvers<void>();
  return {
    ...extractor,
    begun: begun.promise,
    async *passages(...given: Parameters<Extractor['passages']>) {
      for await (const batch of extractor.passages(...given)) {
        yield batch;
        begun.resolve();
        await goOn;
      }
    },
  };
}

test('a source deleted in the middle leaves nothing behind', async () => {
  const deleted = Promise.withResolvers<void>();
  await using extractor = createHeldExtractor(deleted.promise);
  await using service = await startTestService({ extractor });
  const chatbot = await service.createChatbot();
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const { json } = await service.upload(path, long);
  await extractor.begun;
  await service.post(`/api/v1/data-source/${json.uuid}/delete`);
  deleted.resolve();
  await service.service.settled();
  expect((await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json).toEqual([]);
  const session = await service.createSession(chatbot);
  const reply = await service.post(`/api/v1/session/${session}/message/non-stream`, {
    query: 'Which hero meets the dragon 7?',
  });
  expect(reply.json.response).not.toContain('hero 7 meets');
});

test('the upkeep tries a source again whose result could not be stored', async () => {
  await using service = await startTestService();
  using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'));
  const chatbot = await service.createChatbot();
  // As on a full disk, which only lets small things be stored.
  database.exec(`CREATE TRIGGER full BEFORE UPDATE ON sources
    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
  const { json } = await service.upload(path, { name: 'a.md', content: 'The ferry leaves.' });
  await service.service.settled();
  const status = async () => (await service.get(`/api/v1/data-source/${json.uuid}`)).json.status;
  expect(await status()).toBe('await');
  database.exec('DROP TRIGGER full');
  await service.service.upkeep();
  await service.service.settled();
  expect(await status()).toBe('success');
});

test('answers requests while a long source is read', async () => {
  await using extractor = createHeldExtractor(Promise.resolve());
  await using service = await startTestService({ extractor });
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, long);
  await extractor.begun;
  const session = await service.createSession(chatbot);
  expect(session).toMatch(/^[0-9a-f]{32}$/);
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(json[0].status).toBe('embedding');
});

test('a link fetched again in the middle is read from its beginning', async () => {
  await using site = await startWebsite();
  await using service = await startTestService({ allowPrivateAddresses: true });
  const chatbot = await service.createChatbot();
  const asked = Promise.withResolvers<void>();
  const again = Promise.withResolvers<void>();
  site.beforeAnswer = () => {
    asked.resolve();
    return again.promise;
  };
  const { json } = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
    url: `${site.url}/page`,
  });
  await asked.promise;
  await service.post('/api/v1/data-sources/url/re-scrape', { uuids: [json.uuid] });
  again.resolve();
  await service.service.settled();
  const list = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  expect(list.json).toMatchObject([{ status: 'success', title: 'The Mill' }]);
});
