import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Asking } from '../../../src/bridge/conversation/questions.ts';
import type { QuestionLimits } from '../../../src/bridge/conversation/settings.ts';
import { toReceivedRow, type TurnRecord } from '../../../src/bridge/conversation/inbox/row.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { createQuestionStore } from '../../../src/bridge/stores/question-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import { databases, openUntilEnd } from '../../fixtures/databases.ts';

const hourMs = 60 * 60 * 1000;
const startMs = Date.parse('2026-11-24T08:00:00Z');

function asking(change: { person?: string; channel?: string; thread?: string; bot?: string[] }) {
  const { person = 'ada', channel = 'C', thread = 'T', bot } = change;
  const tenant = { platform: 'fake', workspace: 'W' };
  const address = { ...tenant, channel, thread };
  return { address, tenant, author: { id: person, ...(bot && { bot }) } } satisfies Asking;
}

const turn = (id: string, change: Partial<TurnRecord> = {}): TurnRecord => ({
  ...toReceivedRow({ platform: 'fake', workspace: 'W', channel: 'C', id }),
  id,
  address: asking({}).address,
  author: { id: 'ada', name: 'Ada' },
  query: 'Why?',
  ...change,
});

describe.each(databases)('questions on $name', ({ createPlaces }) => {
  let storeUrl: string;
  let store: Store;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: startMs });
    storeUrl = (await createPlaces()).storeUrl;
    store = await openStore(storeUrl);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await store[Symbol.asyncDispose]();
  });

  const count = (id: string, change = {}, limits: QuestionLimits = {}) =>
    store.questions.count(id, asking(change), limits);

  test('are counted once, and end for a day at each limit', async () => {
    const limits = { person: 2, channel: 3, workspace: 4 };
    expect(await count('1', {}, limits)).toBeUndefined();
    vi.setSystemTime(startMs + hourMs);
    expect(await count('2', {}, limits)).toBeUndefined();
    expect(await count('2', {}, limits)).toBeUndefined();
    const untilMs = startMs + 24 * hourMs;
    expect(await count('3', {}, limits)).toEqual({ scope: 'person', untilMs });
    expect(await count('4', { person: 'grace' }, limits)).toBeUndefined();
    const channel = { scope: 'channel', untilMs };
    expect(await count('5', { person: 'linus' }, limits)).toEqual(channel);
    const elsewhere = { person: 'linus', channel: 'C2' };
    expect(await count('6', elsewhere, limits)).toBeUndefined();
    expect(await count('7', elsewhere, limits)).toMatchObject({ scope: 'workspace' });
    // The first one counts no longer, the second one for another hour.
    vi.setSystemTime(untilMs);
    expect(await count('8', {}, limits)).toBeUndefined();
    expect(await count('9', {}, limits)).toEqual({ scope: 'person', untilMs: untilMs + hourMs });
  });

  test('of two processes at once are no more than the limit', async () => {
    await using other = await openStore(storeUrl);
    const limits = { person: 5 };
    const spent = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        (at % 2 ? other : store).questions.count(`${at}`, asking({}), limits),
      ),
    );
    expect(spent.filter((each) => each === undefined)).toHaveLength(5);
  });

  test('of bots are three in a row in a thread, and thirty an hour in a channel', async () => {
    const bot = { person: 'B', bot: ['B'] };
    for (const id of ['1', '2', '3']) expect(await count(id, bot)).toBeUndefined();
    expect(await count('4', bot)).toEqual({ scope: 'bots' });
    vi.setSystemTime(startMs + 1);
    expect(await count('5', {})).toBeUndefined();
    expect(await count('6', bot)).toBeUndefined();
    for (let at = 10; at < 36; at += 1) {
      expect(await count(`${at}`, { ...bot, thread: `T${at}` })).toBeUndefined();
    }
    expect(await count('36', { ...bot, thread: 'T36' })).toEqual({ scope: 'bots' });
    vi.setSystemTime(startMs + hourMs + 1);
    expect(await count('37', { ...bot, thread: 'T37' })).toBeUndefined();
  });

  test('are found until they are forgotten, and count for the rest of the day all the same', async () => {
    const { questions } = store;
    await count('1');
    await questions.keep(turn('1', { session: 's1', answer: 'm1', posted: ['p1'] }));
    await questions.keep(turn('1', { attempt: 1, session: 's1', posted: ['p2'], editNote: 'p3' }));
    await questions.keep(turn('2', { author: { id: 'grace', name: 'Grace' }, session: 's1' }));
    const kept = await questions.of('ada');
    expect(kept).toMatchObject([
      { id: '1', attempt: 0, session: 's1', message: 'm1', posts: ['p1'] },
      { id: '1', attempt: 1, session: 's1', posts: ['p2', 'p3'] },
    ]);
    for (const each of kept) await questions.forget(each);
    expect(await questions.of('ada')).toEqual([]);
    expect(await count('3', {}, { person: 1 })).toMatchObject({ scope: 'person' });
    // Nothing is left of them a day later.
    vi.setSystemTime(startMs + 25 * hourMs);
    await store.keepUp(new AbortController().signal);
    expect(await count('4', {}, { person: 1 })).toBeUndefined();
  });

  test('expire when the service deletes their session', async () => {
    await using kept = await openStore(storeUrl, { retentionMs: 48 * hourMs });
    const { signal } = new AbortController();
    await kept.questions.keep(turn('1', { session: 's1' }));
    vi.setSystemTime(startMs + 40 * hourMs);
    // The session is used by somebody else.
    const author = { id: 'grace', name: 'Grace' };
    await kept.questions.keep(turn('2', { author, session: 's1' }));
    vi.setSystemTime(startMs + 80 * hourMs);
    await kept.keepUp(signal);
    expect(await kept.questions.of('ada')).toHaveLength(1);
    vi.setSystemTime(startMs + 89 * hourMs);
    await kept.keepUp(signal);
    expect(await kept.questions.of('ada')).toEqual([]);
  });

  test('that were kept for ever expire once a retention is set, with their session', async () => {
    const { signal } = new AbortController();
    for (let at = 0; at < 501; at += 1) await store.questions.keep(turn(`${at}`, { session: 's' }));
    await store.questions.keep(turn('7', { attempt: 1, session: 's1' }));
    vi.setSystemTime(startMs + 100 * hourMs);
    await store.keepUp(signal);
    expect(await store.questions.of('ada')).toHaveLength(502);
    await using kept = await openStore(storeUrl, { retentionMs: 101 * hourMs });
    await kept.keepUp(signal);
    // The session is used again.
    await kept.questions.keep(turn('8', { attempt: 1, session: 's1' }));
    // A process without it still writes.
    vi.setSystemTime(startMs + 101 * hourMs);
    await store.questions.keep(turn('9', { attempt: 1, session: 's2' }));
    vi.setSystemTime(startMs + 102 * hourMs);
    await kept.keepUp(signal);
    expect(await kept.questions.of('ada')).toMatchObject([
      { id: '7', attempt: 1 },
      { id: '8', attempt: 1 },
      { id: '9', attempt: 1 },
    ]);
    vi.setSystemTime(startMs + 300 * hourMs);
    await kept.keepUp(signal);
    expect(await kept.questions.of('ada')).toEqual([]);
  });

  test('that are only counted, as private ones, are deleted after their day', async () => {
    const { signal } = new AbortController();
    await count('1');
    vi.setSystemTime(startMs + 25 * hourMs);
    await store.keepUp(signal);
    // Were it still there, it would count in its day.
    vi.setSystemTime(startMs + hourMs);
    expect(await count('2', {}, { person: 1 })).toBeUndefined();
    await store.questions.keep(turn('2', { session: 's1' }));
    vi.setSystemTime(startMs + 100 * 24 * hourMs);
    await store.keepUp(signal);
    expect(await store.questions.of('ada')).toHaveLength(1);
  });
});

test.each([undefined, 48 * hourMs])(
  'expired ones are found without reading the others, kept for %j ms',
  async (retentionMs) => {
    const { queries, transaction } = await openUntilEnd<BridgeTables>(':memory:', bridgeMigrations);
    const asked: RootOperationNode[] = [];
    const noted: KyselyPlugin = {
      transformQuery: ({ node }) => (asked.push(node), node),
      transformResult: async ({ result }) => result,
    };
    const database = { queries: queries.withPlugin(noted), transaction };
    await createQuestionStore(database, { retentionMs }).sweep(new AbortController().signal);
    const plans = await Promise.all(
      asked.map(async (node) => {
        const query = queries.getExecutor().compileQuery(node, createQueryId());
        const explained = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [
          ...query.parameters,
        ]);
        const { rows } = await queries.executeQuery<{ detail: string }>(explained);
        return rows.map(({ detail }) => detail).join('\n');
      }),
    );
    expect(plans.join('\n')).toContain('questions_expires');
    expect(plans.join('\n')).not.toContain('SCAN');
  },
);
