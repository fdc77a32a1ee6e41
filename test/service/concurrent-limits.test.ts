import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createOwners } from '../../src/service/keys.ts';
import { openYieldingStore } from '../fixtures/yielding-database.ts';
import { handbook, startTestService, type TestService } from './fixture.ts';

/*
 * What must never be exceeded or doubled, with operations that begin at once, on a store that lets
 * others go on after each query.
 */

const seeds = [1, 2, 3, 4, 5];

const start = (seed: number, options: Parameters<typeof startTestService>[0] = {}) =>
  startTestService({ openStore: (path) => openYieldingStore(path, seed), ...options });

const times = <Result>(count: number, run: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, at) => run(at)));

/** Reads or writes the database beside the service. */
function execute(service: TestService, sql: string) {
  using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { timeout: 5000 });
  return database.prepare(sql).all();
}

test.each(seeds)('the rate limit of a session (%i)', async (seed) => {
  await using service = await start(seed);
  const chatbot = await service.createChatbot({ rate_limit: [3, 240], rate_limit_message: 'No.' });
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
  expect(execute(service, 'SELECT status FROM sources')).toEqual([{ status: 'success' }]);
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
  const sources = execute(service, 'SELECT uuid FROM sources');
  expect(sources.length).toBe(answers.slice(1).some(({ status }) => status === 200) ? 1 : 0);
});

/** What there can be only so much of; `fill` leaves room for two more. */
const limited = [
  {
    noun: 'agents',
    fill: `INSERT INTO agents SELECT NULL, 'a' || value, uuid, '', 'background', 0, 0, '{}', 0, 0
      FROM chatbots, json_each(?) LIMIT 97`,
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
    fill: `INSERT INTO tags SELECT NULL, 't' || value, uuid, '', '', 0, 0
      FROM chatbots, json_each(?) LIMIT 998`,
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
    fill: `INSERT INTO sources
      SELECT NULL, 's' || value, uuid, 'qa', NULL, '', 1, '', 0, '', 0, 'success', '{}', 0, 0
      FROM chatbots, json_each(?) LIMIT 9998`,
    count: 'SELECT count(*) AS count FROM sources',
    max: 10_000,
    add: (service: TestService, chatbot: string) =>
      service.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, { question: 'Q?', answer: 'A.' }),
  },
  {
    noun: 'chatbots',
    fill: `INSERT INTO chatbots
      SELECT NULL, 'c' || value, owner, '', 1, 1, '', 0, 'private', 0, 0, 0
      FROM chatbots, json_each(?) LIMIT 9997`,
    count: 'SELECT count(*) AS count FROM chatbots',
    max: 10_000,
    add: (service: TestService) => service.post('/api/v1/chatbot/create', { name: 'One more' }),
  },
  {
    noun: 'session documents',
    fill: `INSERT INTO session_documents SELECT NULL, 'd' || value, owner, NULL, '', '{}', 9e12
      FROM chatbots, json_each(?) LIMIT 998`,
    count: 'SELECT count(*) AS count FROM session_documents',
    max: 1000,
    add: (service: TestService) => service.upload('/api/v1/session-document/upload', handbook),
  },
];

test.each(limited)('there are never too many $noun', async ({ fill, count, max, add }) => {
  await using service = await start(7);
  const chatbot = await service.createChatbot();
  if (fill) {
    using database = new DatabaseSync(join(service.dataDir, 'service.sqlite'), { timeout: 5000 });
    database.prepare(fill).run(JSON.stringify([...Array.from({ length: 10_000 }).keys()]));
  }
  const [before] = execute(service, count);
  const answers = await times(6, () => add(service, chatbot));
  const room = max - Number(before?.['count']);
  expect(room).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(room);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(6 - room);
  expect(execute(service, count)).toEqual([{ count: max }]);
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
    expect(readStored(service)).toBeLessThan(maxOwnerBytes);
    const ready = execute(service, "SELECT uuid FROM sources WHERE status = 'success'");
    expect(ready).not.toEqual([]);
  },
);

/** What an owner stores with a chatbot, and what a source adds to it once it is ready. */
async function sizeOfSource(answer: string) {
  await using service = await startTestService();
  const path = `/api/v1/chatbot/${await service.createChatbot()}/data-source/qa`;
  const empty = readStored(service);
  await service.post(path, { question: 'When?', answer });
  await service.service.settled();
  return { empty, ready: readStored(service) - empty };
}

function readStored(service: TestService): number {
  const [owner] = execute(service, 'SELECT max(bytes) AS bytes FROM owners');
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
  const [files] = execute(service, 'SELECT sum(octet_length(data)) AS bytes FROM source_files');
  expect(Number(files?.['bytes'])).toBeLessThan(maxOwnerBytes);
});

test.each(seeds)('an owner who is named several times at once is one (%i)', async (seed) => {
  await using store = await openYieldingStore(':memory:', seed);
  const owners = createOwners(store.owners, () => 0);
  const ids = await times(5, () => owners.named('new'));
  expect(new Set(ids).size).toBe(1);
  expect(await store.owners.list()).toHaveLength(1);
});
