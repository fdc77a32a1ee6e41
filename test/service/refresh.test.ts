import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createExtractor, type Extractor } from '../../src/service/ingestion/extract.ts';
import { createDataDir, handbook, startTestService, type TestService } from './fixture.ts';
import { startWebsite, type Website } from './website.ts';

const ryePage = '<title>The New Mill</title><p>The mill on the hill grinds rye, and no more.</p>';

const allowPrivateAddresses = true;

/** A chatbot that has learned the page of a website. */
async function learnPage(service: TestService, site: Website) {
  const chatbot = await service.createChatbot();
  const { json } = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
    url: `${site.url}/page`,
  });
  await service.service.settled();
  return { chatbot, uuids: [json.uuid], session: await service.createSession(chatbot) };
}

async function ask(service: TestService, session: string, query = 'What does the mill grind?') {
  const path = `/api/v1/session/${session}/message/non-stream`;
  return String((await service.post(path, { query })).json.response);
}

async function read(service: TestService, chatbot: string) {
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  return { ...json[0], meta: JSON.parse(json[0].meta_json) };
}

async function dataDirOfTest(): Promise<string> {
  const dataDir = await createDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true }));
  return dataDir;
}

/** Reads as the service does. Once held, it waits after the first passages until it may go on. */
function createHeldExtractor(): Extractor & { hold(): { begun: Promise<void>; goOn(): void } } {
  const extractor = createExtractor();
  let held: { begun(): void; goOn: Promise<void> } | undefined;
  return {
    ...extractor,
    hold() {
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      held = { begun: begun.resolve, goOn: goOn.promise };
      return { begun: begun.promise, goOn: goOn.resolve };
    },
    async *passages(file, signal) {
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      for await (const batch of extractor.passages(file, signal)) {
        yield batch;
        held?.begun();
        await (held && Promise.race([held.goOn, aborted]));
      }
    },
  };
}

test.each([
  ['the site is down', { isDown: true }, /answers 503/u],
  ['the page is damaged', { page: '%PDF-1.4 and then nothing' }, /PDF is damaged/u],
  ['the page is empty', { page: '<p></p>' }, /no text/u],
])('a refresh while %s keeps the text that was there', async (_, change, reason) => {
  let time = Date.UTC(2026, 8, 1);
  await using site = await startWebsite();
  await using service = await startTestService({ allowPrivateAddresses, now: () => time });
  const { chatbot, uuids, session } = await learnPage(service, site);
  const before = await read(service, chatbot);

  time = Date.UTC(2026, 8, 12);
  Object.assign(site, change);
  await service.post('/api/v1/data-sources/url/re-scrape', { uuids });
  expect((await read(service, chatbot)).meta.text_from).toBe('2026-09-01T00:00:00Z');
  await service.service.settled();
  const { tokens, title, file_size } = before;
  expect(await read(service, chatbot)).toMatchObject({
    status: 'fail',
    tokens,
    title,
    file_size,
    meta: { text_from: '2026-09-01T00:00:00Z', error: expect.stringMatching(reason) },
  });
  expect(await ask(service, session)).toContain('grinds wheat');

  Object.assign(site, { isDown: false, page: ryePage });
  await service.post('/api/data-sources/restart', { uuids });
  await service.service.settled();
  expect(await read(service, chatbot)).toMatchObject({
    status: 'success',
    title: 'The New Mill',
    meta_json: '{}',
    file_size: Buffer.byteLength(ryePage),
  });
  expect(await ask(service, session)).toMatch(/^(?=.*grinds rye)(?!.*wheat)/su);
});

test('the text that was there answers until the new one is whole', async () => {
  await using site = await startWebsite();
  await using extractor = createHeldExtractor();
  await using service = await startTestService({ allowPrivateAddresses, extractor });
  const { chatbot, uuids, session } = await learnPage(service, site);

  site.page = ryePage;
  const { begun, goOn } = extractor.hold();
  await service.post('/api/v1/data-sources/url/re-scrape', { uuids });
  await begun;
  expect(await ask(service, session)).toMatch(/^(?=.*wheat)(?!.*rye)/su);
  expect((await read(service, chatbot)).title).toBe('The Mill');
  const rename = `/api/v1/data-source/${uuids[0]}/update`;
  expect((await service.post(rename, { title: 'Miller' })).status).toBe(200);
  goOn();
  await service.service.settled();
  expect(await ask(service, session)).toMatch(/^(?=.*rye)(?!.*wheat)/su);
  expect(await read(service, chatbot)).toMatchObject({ title: 'Miller', status: 'success' });
});

test('a refresh that is cancelled or killed leaves the text that was there', async () => {
  await using site = await startWebsite();
  const dataDir = await dataDirOfTest();
  const killed = await dataDirOfTest();
  let learned: Awaited<ReturnType<typeof learnPage>>;
  {
    await using extractor = createHeldExtractor();
    await using first = await startTestService({ allowPrivateAddresses, extractor, dataDir });
    learned = await learnPage(first, site);
    site.page = ryePage;
    const { begun } = extractor.hold();
    await first.post('/api/v1/data-sources/url/re-scrape', { uuids: learned.uuids });
    await begun;
    // What is on disk in this moment is what a killed process leaves.
    await cp(dataDir, killed, { recursive: true });
  }
  site.isDown = true;
  for (const left of [dataDir, killed]) {
    await using service = await startTestService({ allowPrivateAddresses, dataDir: left });
    await service.service.settled();
    expect(await ask(service, learned.session)).toMatch(/^(?=.*wheat)(?!.*rye)/su);
    expect(await read(service, learned.chatbot)).toMatchObject({ status: 'fail' });
    await service.service.upkeep();
    expect(countPassages(left)).toBe(1);
  }
});

test('an upload or Q&A that is read again keeps its text until then', async () => {
  const dataDir = await dataDirOfTest();
  let chatbot = '';
  let session = '';
  {
    await using first = await startTestService({ dataDir });
    chatbot = await first.createChatbot();
    session = await first.createSession(chatbot);
    const path = `/api/v1/chatbot/${chatbot}/data-source`;
    await first.upload(`${path}/upload`, handbook);
    await first.post(`${path}/qa`, { question: 'Who lights the lamp?', answer: 'Ada lights it.' });
    await first.service.settled();
  }
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  database.exec(`UPDATE sources SET status = 'await'; DELETE FROM source_files`);
  database.close();
  await using second = await startTestService({ dataDir });
  await second.service.settled();
  expect(await read(second, chatbot)).toMatchObject({
    status: 'fail',
    meta: { error: expect.stringContaining('upload it again'), text_from: expect.any(String) },
  });
  expect(await ask(second, session, 'When does the lighthouse open?')).toContain('nine in the m');
  expect(await ask(second, session, 'Who lights the lamp?')).toContain('Ada lights it');
});

function countPassages(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true });
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM passages').get()?.['count']);
  } finally {
    database.close();
  }
}
