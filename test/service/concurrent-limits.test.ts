import { describe, expect, test } from 'vitest';
import type { ServiceOptions } from '../../src/service/service.ts';
import { type DatabasePlace } from '../../src/shared/stores/open-database.ts';
import { databases, queryBeside } from '../fixtures/databases.ts';
import { createOwners } from '../../src/service/keys.ts';
import { openYieldingStore } from '../fixtures/yielding-database.ts';
import { handbook, startTestService, type TestService } from './fixture.ts';

/*
 * What must never be exceeded or doubled, with operations that begin at once, on a store that lets
 * others go on after each query.
 */

const times = <Result>(count: number, run: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, at) => run(at)));

/** Reads or writes the database beside the service. */
const execute = ({ place }: TestService, statement: string) => queryBeside(place, statement);

/** Without triggers: in Postgres, a row that one statement updates 10,000 times takes seconds. */
function fillTable(service: TestService, statement: string) {
  const isPostgres = typeof service.place !== 'string';
  const alone = isPostgres ? 'SET session_replication_role = replica; ' : '';
  return execute(service, alone + statement);
}

describe.each(databases)('on $name', ({ createPlaces, seeds }) => {
  async function start(seed: number, options: Partial<ServiceOptions> = {}): Promise<TestService> {
    const place = options.place ?? (await createPlaces()).service;
    const openStore = (at: DatabasePlace) => openYieldingStore(at, seed);
    return startTestService({ openStore, ...options, place });
  }

  const openStore = async (seed: number) => openYieldingStore((await createPlaces()).service, seed);

  test.each(seeds)('the rate limit of a session (%i)', async (seed) => {
    await using service = await start(seed);
    const chatbot = await service.createChatbot({
      rate_limit: [3, 240],
      rate_limit_message: 'No.',
    });
    const session = await service.createSession(chatbot);
    const path = `/api/v1/session/${session}/message/non-stream`;
    const answers = await times(8, () =>
      service.post(path, { query: 'Now?', pre_canned_response: 'Yes.' }),
    );
    const said = answers.map(({ json }) => String(json.response)).toSorted();
    expect(said).toEqual(['No.', 'No.', 'No.', 'No.', 'No.', 'Yes.', 'Yes.', 'Yes.']);
  });

  test.each(seeds)('a file that is added several times at once (%i)', async (seed) => {
    await using service = await start(seed);
    const chatbot = await service.createChatbot();
    const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    const answers = await times(5, () => service.upload(path, handbook));
    expect(
      answers
        .map(({ status }) => String(status))
        .toSorted()
        .join(),
    ).toBe('200,409,409,409,409');
    expect(new Set(answers.map(({ json }) => json.uuid)).size).toBe(1);
    await service.service.settled();
    expect(await execute(service, 'SELECT status FROM sources')).toEqual([{ status: 'success' }]);
  });

  test.each(seeds)('a file that is added while the same one is deleted (%i)', async (seed) => {
    await using service = await start(seed);
    const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/upload`;
    const { json } = await service.upload(path, handbook);
    const answers = await Promise.all([
      service.post(`/api/v1/data-source/${json.uuid}/delete`),
      ...[1, 2, 3].map(() => service.upload(path, handbook)),
    ]);
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    await service.service.settled();
    const sources = await execute(service, 'SELECT uuid FROM sources');
    expect(sources.length).toBe(answers.slice(1).some(({ status }) => status === 200) ? 1 : 0);
  });

  /** The numbers up to 9,999, as a table. */
  const numbers = `(WITH RECURSIVE numbers (value) AS
  (SELECT 0 UNION ALL SELECT value + 1 FROM numbers WHERE value < 9999) SELECT value FROM numbers) AS numbers`;

  /** What there can be only so much of; `fill` leaves room for two more. */
  const limited = [
    {
      noun: 'agents',
      fill: `INSERT INTO agents (uuid, chatbot, name, type, enabled, use_all_sources, settings, created_ms, modified_ms)
      SELECT 'a' || value, uuid, '', 'background', 0, 0, '{}', 0, 0
      FROM chatbots, ${numbers} LIMIT 97`,
      count: 'SELECT count(*) AS count FROM agents',
      max: 100,
      add: (service: TestService, chatbot: string) =>
        service.post(`/api/v1/chatbot/${chatbot}/agent/create`, {
          name: 'One more',
          type: 'background',
        }),
    },
    {
      noun: 'spam defenses',
      fill: undefined,
      count: "SELECT 1 + count(*) AS count FROM agents WHERE type = 'spam-defense'",
      max: 2,
      add: (service: TestService, chatbot: string) =>
        service.post(`/api/v1/chatbot/${chatbot}/agent/create`, {
          name: 'Defense',
          type: 'spam-defense',
        }),
    },
    {
      noun: 'tags',
      fill: `INSERT INTO tags (uuid, chatbot, name, color, created_ms, modified_ms)
      SELECT 't' || value, uuid, '', '', 0, 0
      FROM chatbots, ${numbers} LIMIT 998`,
      count: 'SELECT count(*) AS count FROM tags',
      max: 1000,
      add: (service: TestService, chatbot: string) =>
        service.post(`/api/v1/chatbot/${chatbot}/source-tag/create`, {
          name: 'One more',
          color: '#112233',
        }),
    },
    {
      noun: 'sources',
      fill: `INSERT INTO sources (uuid, chatbot, type, identity, title, title_is_given, file_name, file_size, content_type, tokens, status, meta, created_ms, modified_ms)
      SELECT 's' || value, uuid, 'qa', NULL, '', 1, '', 0, '', 0, 'success', '{}', 0, 0
      FROM chatbots, ${numbers} LIMIT 9998`,
      count: 'SELECT count(*) AS count FROM sources',
      max: 10_000,
      add: (service: TestService, chatbot: string) =>
        service.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, { question: 'Q?', answer: 'A.' }),
    },
    {
      noun: 'chatbots',
      fill: `INSERT INTO chatbots (uuid, owner, name, rate_messages, rate_seconds, rate_limit_message, show_citations, visibility, created_ms, modified_ms)
      SELECT 'c' || value, owner, '', 1, 1, '', 0, 'private', 0, 0
      FROM chatbots, ${numbers} LIMIT 9997`,
      count: 'SELECT count(*) AS count FROM chatbots',
      max: 10_000,
      add: (service: TestService) => service.post('/api/v1/chatbot/create', { name: 'One more' }),
    },
    {
      noun: 'session documents',
      fill: `INSERT INTO session_documents (uuid, owner, session, file_name, document, created_ms)
      SELECT 'd' || value, owner, NULL, '', '{}', 9000000000000
      FROM chatbots, ${numbers} LIMIT 998`,
      count: 'SELECT count(*) AS count FROM session_documents',
      max: 1000,
      add: (service: TestService) => service.upload('/api/v1/session-document/upload', handbook),
    },
  ];

  test.each(limited)('there are never too many $noun', async ({ fill, count, max, add }) => {
    await using service = await start(7);
    const chatbot = await service.createChatbot();
    if (fill) await fillTable(service, fill);
    const [before] = await execute(service, count);
    const answers = await times(6, () => add(service, chatbot));
    const room = max - Number(before?.['count']);
    expect(room).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(room);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(6 - room);
    expect(await execute(service, count)).toEqual([{ count: max }]);
  });

  test.each(seeds)(
    'what an owner stores, by sources that become ready at once (%i)',
    async (seed) => {
      const answer = 'The mill on the hill grinds wheat from Monday to Friday. '.repeat(100);
      const size = await sizeOfSource(answer);
      // The last one that fits as text has no room for its passages.
      const maxOwnerBytes = size.empty + size.ready * 2.5;
      await using service = await start(seed, { maxOwnerBytes });
      const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/qa`;
      await times(3, () => service.post(path, { question: 'When?', answer }));
      await service.service.settled();
      expect(await readStored(service)).toBeLessThan(maxOwnerBytes);
      const ready = await execute(service, "SELECT uuid FROM sources WHERE status = 'success'");
      expect(ready).not.toEqual([]);
    },
  );

  /** What an owner stores with a chatbot, and what a source adds to it once it is ready. */
  async function sizeOfSource(answer: string) {
    await using service = await start(1);
    const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/qa`;
    const empty = await readStored(service);
    await service.post(path, { question: 'When?', answer });
    await service.service.settled();
    return { empty, ready: (await readStored(service)) - empty };
  }

  async function readStored(service: TestService): Promise<number> {
    const [owner] = await execute(service, 'SELECT max(bytes) AS bytes FROM owners');
    return Number(owner?.['bytes']);
  }

  test.each(seeds)('what an owner stores, by files that are added at once (%i)', async (seed) => {
    const maxOwnerBytes = 200_000;
    await using service = await start(seed, { maxOwnerBytes });
    const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/upload`;
    const added = await times(6, (at) =>
      service.upload(path, { name: `${at}.txt`, content: `${at} `.repeat(40_000) }),
    );
    expect(new Set(added.map(({ status }) => status))).toEqual(new Set([200, 422]));
    const [files] = await execute(
      service,
      'SELECT sum(octet_length(data)) AS bytes FROM source_files',
    );
    expect(Number(files?.['bytes'])).toBeLessThan(maxOwnerBytes);
  });

  test.each(seeds)('an owner who is named several times at once is one (%i)', async (seed) => {
    await using store = await openStore(seed);
    const owners = createOwners(store.owners, () => 0);
    const ids = await times(5, () => owners.named('new'));
    expect(new Set(ids).size).toBe(1);
    expect(await store.owners.list()).toHaveLength(1);
  });
});
