import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import type { Extractor } from '../../src/service/ingestion/extract.ts';
import { serviceMigrations, type ServiceTables } from '../../src/service/store/schema.ts';
import { createStore, type Store } from '../../src/service/store/store.ts';
import { type DatabasePlace, openDatabase } from '../../src/shared/stores/open-database.ts';
import { sharedExtractor } from '../fixtures/shared-extractor.ts';
import { createDataDir, handbook, startTestService, type TestService } from './fixture.ts';
import { startWebsite } from './website.ts';

/** What a process that was killed leaves behind. */
function edit(dataDir: string, sql: string, ...values: string[]): void {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  database.prepare(sql).run(...values);
  database.close();
}

test.each(['await', 'chunking', 'embedding'])(
  'goes on with a source that was left at %s',
  async (status) => {
    const dataDir = await createDataDir();
    try {
      let chatbot = '';
      {
        await using first = await startTestService({ dataDir });
        chatbot = await first.createChatbot();
        await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
        await first.service.settled();
      }
      edit(dataDir, 'UPDATE sources SET status = ?, tokens = 0', status);

      await using second = await startTestService({ dataDir });
      await second.service.settled();
      const { json } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
      expect(json).toMatchObject([{ status: 'success', title: 'Handbook of the Lighthouse' }]);
      expect(json[0].tokens).toBeGreaterThan(0);

      const session = await second.createSession(chatbot);
      const path = `/api/v1/session/${session}/message/non-stream`;
      const reply = await second.post(path, { query: 'When does the lighthouse open?' });
      expect(reply.json.response.match(/nine in the morning/g)).toHaveLength(1);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  },
);

test('reads and indexes again what another version has indexed, as far as it is stored', async () => {
  const dataDir = await createDataDir();
  try {
    await using site = await startWebsite();
    let chatbot = '';
    let session = '';
    {
      await using first = await startTestService({ dataDir, allowPrivateAddresses: true });
      chatbot = await first.createChatbot();
      session = await first.createSession(chatbot);
      const path = `/api/v1/chatbot/${chatbot}/data-source`;
      await first.upload(`${path}/upload`, handbook);
      const rules = 'The harbour lamps are lit at dusk.';
      await first.upload(`${path}/upload`, { name: 'rules.md', content: rules });
      await first.post(`${path}/url`, { url: `${site.url}/page` });
      const answer = 'Lorem ipsum dolor sit amet. '.repeat(700);
      await first.post(`${path}/qa`, { question: 'Who is the keeper of the lantern?', answer });
      await first.service.settled();
    }
    // The other build told no words apart.
    edit(dataDir, 'DELETE FROM postings');
    edit(dataDir, 'UPDATE source_versions SET index_version = 0');
    edit(dataDir, 'UPDATE sources SET modified_ms = 1000');
    // It read files in another way, and this one would be read no more.
    edit(dataDir, "UPDATE passages SET text = 'The handbook was torn.' WHERE text LIKE '%nine%'");
    edit(dataDir, "UPDATE source_files SET data = x'00' WHERE length(data) < 40");
    site.isDown = true;
    const ask = async (service: TestService, query: string) =>
      (await service.post(`/api/v1/session/${session}/message/non-stream`, { query })).json
        .response;
    const list = async (service: TestService, field: 'status' | 'modified_at') =>
      (await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json.map(
        (source: Record<string, unknown>) => source[field],
      );
    const four = (value: string) => Array.from({ length: 4 }, () => value);

    await using second = await startTestService({ dataDir });
    await second.service.settled();
    expect(await list(second, 'status')).toEqual(four('success'));
    expect(await list(second, 'modified_at')).toEqual(four('1970-01-01T00:00:01Z'));
    expect(await ask(second, 'When does the lighthouse open?')).toContain('nine in the morning');
    expect(await ask(second, 'When are the harbour lamps lit?')).toContain('at dusk');
    expect(await ask(second, 'What does the mill grind?')).toContain('wheat');
    expect(await ask(second, 'Who is the keeper of the lantern?')).toContain('Lorem');

    await using third = await startTestService({ dataDir });
    expect(await list(third, 'status')).toEqual(four('success'));
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

/** Opens a database whose exclusive work waits, and tells what is done in it. */
function createWatchedStore(until: Promise<void>) {
  const seen = { transactions: 0, maxRows: 0 };
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      seen.maxRows = Math.max(seen.maxRows, result.rows.length);
      return result;
    },
  };
  const open = async (place: DatabasePlace): Promise<Store> => {
    const database = await openDatabase<ServiceTables>(place, serviceMigrations);
    const watched: Pick<typeof database, 'queries' | 'transaction' | 'exclusively'> = {
      queries: database.queries.withPlugin(counter),
      transaction(work, scope) {
        seen.transactions += 1;
        return database.transaction((tx) => work(tx.withPlugin(counter)), scope);
      },
      async exclusively(name, ifBusy, work) {
        await until;
        return database.exclusively(name, ifBusy, work);
      },
    };
    return createStore(Object.assign(Object.create(database), watched));
  };
  return { open, seen };
}

test('a start does not wait for many sources that another version has indexed, which answer meanwhile', async () => {
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    let session = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      session = await first.createSession(chatbot);
      await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
      await first.service.settled();
    }
    const count = 450;
    const copies = `WITH RECURSIVE copies (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM copies LIMIT ${count - 1})`;
    edit(
      dataDir,
      `INSERT INTO sources (uuid, chatbot, type, title, title_is_given, file_name, file_size,
          content_type, tokens, status, meta, created_ms, modified_ms)
        ${copies} SELECT n, chatbot, type, title, title_is_given, file_name, file_size,
          content_type, tokens, status, meta, created_ms, modified_ms FROM sources, copies`,
    );
    edit(
      dataDir,
      `INSERT INTO source_versions (corpus, source, state, title, title_terms, file_name, type, lengths, index_version)
        ${copies} SELECT corpus, n, state, title, title_terms, file_name, type, x'', 0
          FROM source_versions, copies`,
    );
    edit(dataDir, 'UPDATE source_versions SET index_version = 0');
    const others = Promise.withResolvers<void>();
    const { open, seen } = createWatchedStore(others.promise);
    const readers = Promise.withResolvers<void>();
    const extractor: Extractor = {
      ...sharedExtractor,
      async *passages(...given) {
        await readers.promise;
        yield* sharedExtractor.passages(...given);
      },
    };
    const statuses = async (service: TestService) => {
      const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
      return Object.groupBy(json, ({ status }: { status: string }) => status);
    };
    const ask = async (service: TestService) => {
      const path = `/api/v1/session/${session}/message/non-stream`;
      const { json } = await service.post(path, { query: 'When does the lighthouse open?' });
      return json.response;
    };

    await using second = await startTestService({ dataDir, openStore: open, extractor });
    using ending = new DisposableStack();
    ending.defer(others.resolve);
    ending.defer(readers.resolve);
    expect((await statuses(second)).success).toHaveLength(count);
    expect(await ask(second)).toContain('nine in the morning');
    // A question reads what its chatbot has.
    seen.maxRows = 0;
    others.resolve();
    await expect.poll(async () => (await statuses(second)).embedding).toHaveLength(count);
    await second.service.upkeep();
    expect(seen.maxRows).toBeLessThanOrEqual(200);
    expect(seen.transactions).toBeLessThan(50);
    expect(await ask(second)).toContain('nine in the morning');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('says what to do where an upload’s file is gone', async () => {
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
      await first.service.settled();
    }
    edit(dataDir, 'DELETE FROM source_files');
    edit(dataDir, 'UPDATE sources SET status = ?', 'chunking');
    await using second = await startTestService({ dataDir });
    await second.service.settled();
    const { json } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    expect(json[0].status).toBe('fail');
    expect(JSON.parse(json[0].meta_json).error).toContain('upload it again');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('closes a reply that was left running, and keeps its text so far', async () => {
  const dataDir = await createDataDir();
  try {
    let session = '';
    {
      await using first = await startTestService({ dataDir });
      session = await first.createSession(await first.createChatbot());
      await first.post(`/api/v1/session/${session}/message/non-stream`, { query: 'Hello?' });
    }
    edit(dataDir, `UPDATE messages SET is_done = 0, finish_reason = '', response = ?`, 'The light');
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`/api/v1/session/${session}/messages`);
    expect(json[0]).toMatchObject({
      response: 'The light',
      finish_reason: '',
      error_message: 'The service stopped while it was answering.',
    });
    const interrupted = { interrupted: true, error_code: 'answer_stopped' };
    expect(JSON.parse(json[0].meta_json)).toMatchObject(interrupted);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('finds everything as it was', async () => {
  const dataDir = await createDataDir();
  try {
    const read = async (service: Awaited<ReturnType<typeof startTestService>>, uuid: string) => [
      (await service.get('/api/v1/chatbots')).json,
      (await service.get(`/api/v1/chatbot/${uuid}/agents`)).json,
      (await service.get(`/api/v1/chatbot/${uuid}/data-sources`)).json,
      (await service.get(`/api/v1/chatbot/${uuid}/sessions`)).json,
    ];
    let before: unknown;
    let chatbot = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
      await first.service.settled();
      await first.createSession(chatbot);
      before = await read(first, chatbot);
    }
    await using second = await startTestService({ dataDir });
    expect(await read(second, chatbot)).toEqual(before);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
