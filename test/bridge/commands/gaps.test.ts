import { describe, expect, test } from 'vitest';
import { createFormats } from '../../../src/bridge/commands/formats.ts';
import { groupSimilar } from '../../../src/bridge/commands/gaps.ts';
import type { SourceWatch } from '../../../src/bridge/commands/source/source-watch.ts';
import { type WatchContext, watchRows } from '../../../src/bridge/commands/source/watch-rows.ts';
import { createGaps, type GapRecord } from '../../../src/bridge/conversation/gaps.ts';
import type { Author } from '../../../src/bridge/conversation/platform.ts';
import type { KeyedStore } from '../../../src/bridge/conversation/keyed-store.ts';
import { asTurn, toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { textsFor } from '../../../src/bridge/texts/texts.ts';
import { toPress } from '../../fixtures/press.ts';
import { openCommands, type OpenCommands } from './open-commands.ts';

const place = { platform: 'fake', workspace: 'W' };

/** A question that ended, in a channel's thread of its own. */
async function asked({ inbox }: OpenCommands, id: string, query: string, channel = 'C') {
  const row = toReceivedRow({ ...place, channel, id });
  const author = { id: 'U2', name: 'Grace' };
  const ended = { ...row, address: { ...place, channel, thread: id }, author, query };
  await inbox.insert({ ...ended, state: 'ended' });
  const turn = asTurn(ended);
  if (!turn) throw new Error('no turn');
  return turn;
}

test('managers see what found no helpful answer: words only where they may read them', async () => {
  let now = 0;
  await using opened = await openCommands({ now: () => (now += 1) });
  const { gaps, inbox, last } = opened;
  await gaps.refused(await asked(opened, '1', 'Where is the canteen?'), 'Handbook');
  await gaps.refused(await asked(opened, '2', 'where is the canteen'), 'Handbook');
  const rated = await asked(opened, '3', 'Who pays?');
  await inbox.update(rated.id, {
    feedback: { U2: 'unhelpful', U3: 'helpful' },
    remarks: { U2: 'Not *me*.', U3: 'I take it back.' },
  });
  await gaps.unhelpful(rated);
  await gaps.refused(await asked(opened, '4', 'Am I ill?', 'D1'));
  await gaps.refused(await asked(opened, '5', 'What does Ada earn?', 'P'));

  expect(await last('gaps')).toBe(
    [
      '**5 questions without a helpful answer**',
      '1. [where is the canteen](https://chat.example/2) · 2× · no answer found · closest: Handbook',
      '2. [Who pays?](https://chat.example/3) · rated “Not helpful” · “Not \\*me\\*.”',
      '- 2 more questions in conversations that you can’t read',
    ].join('\n'),
  );
  expect(await last('gaps', {}, { channel: 'P' })).toContain('What does Ada earn?');
  expect(await last('gaps', {}, { workspace: 'W2' })).toBe(
    '**0 questions without a helpful answer**',
  );
  const member = { requester: { id: 'U2', name: 'Grace', isManager: false } };
  expect(await last('gaps', {}, member)).toMatch(/^Only managers/);
});

test('a question that was deleted, or whose answer became helpful, is no gap', async () => {
  await using opened = await openCommands();
  const { gaps, inbox, last } = opened;
  const deleted = await asked(opened, '1', 'Never mind?');
  await gaps.refused(deleted);
  await inbox.update(deleted.id, { removed: true });
  const rated = await asked(opened, '2', 'Who pays?');
  await inbox.update(rated.id, { feedback: { U2: 'unhelpful' } });
  await gaps.unhelpful(rated);
  await inbox.update(rated.id, { feedback: { U2: 'helpful' } });
  expect(await last('gaps')).toBe('**0 questions without a helpful answer**');
});

test('only the newest are kept', async () => {
  let now = 0;
  await using opened = await openCommands();
  await using store = await openStore('memory:');
  const { inbox } = opened;
  const stores = { store: store.keyv<GapRecord>('gap-in'), former: store.keyv<GapRecord>('gap') };
  const gaps = createGaps({ ...stores, inbox, now: () => (now += 1), maxKept: 2 });
  for (const id of ['1', '2', '3']) await gaps.refused(await asked(opened, id, `Why ${id}?`));
  const kept = await gaps.list(place);
  expect(kept.map(({ query }) => query)).toEqual(['Why 2?', 'Why 3?']);
});

test('noting one reads no others, and the list of a workspace none of another one', async () => {
  const read: string[] = [];
  await using opened = await openCommands();
  await using store = await openStore('memory:');
  const { inbox } = opened;
  const values = store.keyv<GapRecord>('gap-in');
  const counted: KeyedStore<GapRecord> = {
    get: (key) => values.get(key),
    set: (key, value, ttl) => values.set(key, value, ttl),
    delete: (key) => values.delete(key),
    update: (key, change, ttl) => values.update(key, change, ttl),
    async *entries(prefix) {
      for await (const entry of values.entries(prefix)) {
        read.push(entry[1].thread);
        yield entry;
      }
    },
  };
  const former = store.keyv<GapRecord>('gap');
  const gaps = createGaps({ store: counted, former, inbox, now: Date.now });
  for (let id = 1; id <= 20; id += 1) await gaps.refused(await asked(opened, `${id}`, 'Why?'));
  expect(read).toEqual([]);
  const turn = await asked(opened, '21', 'Why?');
  for (const workspace of ['W2', 'W3', 'V'])
    await gaps.refused({ ...turn, address: { ...turn.address, workspace } });
  await gaps.list({ ...place, workspace: 'W2' });
  expect(read).toEqual(['fake:W2:C:21']);
});

test('what former versions have stored of a workspace is listed, answered and forgotten as well', async () => {
  await using opened = await openCommands();
  await using store = await openStore('memory:');
  const { inbox } = opened;
  const former = store.keyv<GapRecord>('gap');
  const gaps = createGaps({ store: store.keyv('gap-in'), former, inbox, now: () => 100 });
  const [first, second, third] = [
    await asked(opened, '1', 'Why 1?'),
    await asked(opened, '2', 'Why 2?'),
    await asked(opened, '3', 'Why 3?'),
  ];
  await former.set(first.id, { thread: 'fake:W:C:1', at: 2, refused: true });
  await former.set(second.id, { thread: 'fake:W:C:2', at: 1, refused: true });
  await former.set('elsewhere', { thread: 'fake:W2:C:2', at: 1, refused: true });
  await gaps.refused(third);
  await gaps.refused(first, 'Handbook');
  const queries = async () => (await gaps.list(place)).map(({ query }) => query);
  expect(await queries()).toEqual(['Why 2?', 'Why 1?', 'Why 3?']);
  expect(await gaps.take(second, 'Ada')).toBeUndefined();
  expect(await gaps.take(second, 'Grace')).toBe('Ada');
  expect(await queries()).toEqual(['Why 1?', 'Why 3?']);
  await gaps.forget([first, third]);
  await gaps.release(second);
  expect(await queries()).toEqual(['Why 2?']);
});

test('similar questions share a line and a button, with other wordings', async () => {
  let now = 0;
  await using opened = await openCommands({ now: () => (now += 1) });
  const { gaps, use } = opened;
  for (const [id, query] of [
    ['1', 'How do I reset my password?'],
    ['2', 'Who pays for lunch?'],
    ['3', 'reset the password, how?'],
    ['4', 'How do I reset my password'],
  ] as const) {
    await gaps.refused(await asked(opened, id, query));
  }
  const [shown] = await use('gaps');
  expect(shown?.markdown.split('\n').slice(1)).toEqual([
    '1. [How do I reset my password](https://chat.example/4) · 3× · also: reset the password, how? · no answer found',
    '2. [Who pays for lunch?](https://chat.example/2) · no answer found',
  ]);
  expect(shown?.buttons?.map(({ label }) => label)).toEqual(['Answer 1', 'Answer 2']);
});

test('the buttons of the list work in a direct message for an hour, as where it was asked for', async () => {
  let now = 0;
  await using opened = await openCommands({ now: () => now });
  const { gaps, use, runner, context } = opened;
  const turn = await asked(opened, '1', 'Where is the canteen?');
  await gaps.refused(turn);
  const [shown] = await use('gaps');
  const { id = '' } = shown?.buttons?.[0] ?? {};
  const [, gap, result = ''] = id.split('.');
  expect(gap).toBe(turn.id);

  const place = await runner.placeOf(result, 'U1');
  if (!place) throw new Error('no place');
  const isManager = false;
  const directly = (requester: Author) =>
    runner.contextAt(place, toPress(id, context({ workspace: 'dm', channel: 'D1', requester })));
  expect(await directly({ id: 'U1', name: 'Ada', isManager })).toMatchObject({
    workspace: 'W',
    channel: 'C',
    requester: { isManager: true },
    isElsewhere: true,
  });
  // Those are not, or no longer, in the workspace.
  expect(await directly({ id: 'U2', name: 'Grace', isManager })).toBeUndefined();
  expect(await runner.placeOf(result, 'U2')).toBeUndefined();
  now = 60 * 60 * 1000;
  expect(await runner.placeOf(result, 'U1')).toBeUndefined();
});

test('questions about different things share no line, and grouping takes no time to speak of', () => {
  const text = (value: string) => value;
  const different = ['Where is the canteen?', 'When is the party?', 'Where do I park?', 'Why?'];
  expect(groupSimilar(different, text)).toEqual(different.map((each) => [each]));
  expect(groupSimilar(['Wo ist die Kantine?', 'Kantine wo?'], text)).toHaveLength(1);
  const hostile = Array.from({ length: 1_000 }, (_, index) => `${'a b '.repeat(5_000)} c${index}`);
  expect(groupSimilar(hostile, text).flat()).toHaveLength(1_000);
});

describe('teaching an answer', () => {
  const answer = 'In building B.';
  const ready = /is ready[^]*I’m answering the question again/;

  async function open(options: Parameters<typeof openCommands>[0] = {}) {
    const opened = await openCommands(options);
    const turn = await asked(opened, '1', 'Where is the canteen?');
    await opened.gaps.refused(turn);
    const open = async () => (await opened.gaps.list(turn.address)).map(({ uuid }) => uuid);
    return { opened, turn, open, values: { gap: turn.id, answer } };
  }

  test('makes a source of question and answer, and has the question answered anew', async () => {
    const { opened, turn, open: list, values } = await open();
    await using _ = opened;
    expect(
      await opened.runner.prefill({
        command: 'source',
        action: 'answer',
        values: { gap: turn.id },
        context: opened.context(),
      }),
    ).toMatchObject({ question: 'Where is the canteen?' });
    expect(await opened.last('source answer', values)).toMatch(ready);
    const [source] = await opened.client.listDataSources(opened.chatbot);
    expect(source).toMatchObject({ type: 'qa', title: 'Where is the canteen?' });
    expect(opened.anew).toEqual([turn.id]);
    expect(await list()).toEqual([]);
    expect(opened.audit).toMatchObject([{ audit: 'source answer' }]);
    expect(await opened.last('source answer', values)).toMatch(
      /^\*\*gap\*\*: This question isn’t open/,
    );
  });

  test('is for one at a time: the second reads who was first, and what they wrote', async () => {
    const { opened, turn, values } = await open();
    await using _ = opened;
    const answers = await Promise.all([
      opened.last('source answer', values),
      opened.last('source answer', { ...values, answer: 'It has closed.' }),
    ]);
    expect(answers.filter((each) => ready.test(each))).toHaveLength(1);
    expect(await opened.client.listDataSources(opened.chatbot)).toHaveLength(1);
    expect(opened.anew).toEqual([turn.id]);
    expect(answers.join('\n')).toMatch(/Ada has answered this question or is about to|isn’t open/);
  });

  test('that the service refuses leaves the question open', async () => {
    const {
      opened,
      turn,
      open: list,
      values,
    } = await open({
      answer: (request) =>
        request.url.endsWith('/data-source/qa') ? new Response('no', { status: 400 }) : undefined,
    });
    await using _ = opened;
    expect(await opened.last('source answer', values)).toMatch(/didn’t accept that/);
    expect(opened.anew).toEqual([]);
    expect(await list()).toEqual([turn.id]);
  });

  test('waits until it is ready, however long the service is away meanwhile', async () => {
    let failures = 0;
    const {
      opened,
      turn,
      open: list,
      values,
    } = await open({
      answer(request) {
        if (!request.url.endsWith('/data-sources') || failures === 8) return undefined;
        failures += 1;
        return new Response('away', { status: 500 });
      },
    });
    await using _ = opened;
    expect(await opened.last('source answer', values)).toMatch(ready);
    expect(failures).toBe(8);
    expect(opened.anew).toEqual([turn.id]);
    expect(await list()).toEqual([]);
  });

  test('that does not become ready leaves the question open', async () => {
    let now = 0;
    const {
      opened,
      turn,
      open: list,
      values,
    } = await open({
      now: () => now,
      beforeSleep: () => void (now += 60 * 60_000),
      answer: (request) =>
        request.url.endsWith('/data-sources') ? new Response('away', { status: 500 }) : undefined,
    });
    await using _ = opened;
    await opened.use('source answer', values);
    expect(opened.notices.at(-1)?.markdown).toMatch(/waiting its turn/);
    expect(opened.anew).toEqual([]);
    expect(await list()).toEqual([turn.id]);
  });

  test('that nobody finished can be taught by somebody else after a while', async () => {
    let now = 0;
    const { opened, turn } = await open({ now: () => now });
    await using _ = opened;
    const { gaps } = opened;
    expect(await gaps.take(turn, 'Ada')).toBeUndefined();
    expect(await gaps.take(turn, 'Bert')).toBe('Ada');
    now += 16 * 60_000;
    expect(await gaps.take(turn, 'Bert')).toBeUndefined();
    await gaps.taught(turn);
    now += 16 * 60_000;
    expect(await gaps.take(turn, 'Cleo')).toBe('Bert');
    await gaps.refused(turn);
    expect(await gaps.take(turn, 'Cleo')).toBeUndefined();
  });

  test('is for managers who can read the question', async () => {
    const { opened, values } = await open();
    await using _ = opened;
    const member = { requester: { id: 'U2', name: 'Grace', isManager: false } };
    expect(await opened.last('source answer', values, member)).toMatch(/^Only managers/);
    const hidden = await asked(opened, '9', 'What does Ada earn?', 'P');
    await opened.gaps.refused(hidden);
    const given = { ...values, gap: hidden.id };
    expect(await opened.last('source answer', given)).toMatch(/you can’t read it/);
    expect(await opened.last('source answer', given, { channel: 'P' })).toMatch(ready);
  });

  test('that is cut off by a stop is continued by the next process: each question is asked once', async () => {
    const { opened } = await open();
    await using _ = opened;
    const { client, chatbot, gaps } = opened;
    await opened.last('source qa', { question: 'Where is the canteen?', answer });
    const sources = await client.listDataSources(chatbot);
    const rows = sources.map((source) => {
      const state = { kind: 'added', source, duplicate: false } as const;
      return { name: source.title, state };
    });
    const turns = [];
    for (const id of ['7', '8', '9']) turns.push(await asked(opened, id, 'Where is the canteen?'));
    for (const turn of turns) await gaps.refused(turn);
    const teaches = turns.map(({ id: turn, address }) => ({ turn, address }));
    const presses = new Map<string, string>();
    const left = async () => (await gaps.list(place)).map(({ uuid }) => uuid);

    /** Asks the questions anew, in a process that stops after some of them. */
    async function teach(watch: SourceWatch, stopsAfter: number) {
      const stopping = new AbortController();
      let [kept, isLeft] = [watch, false];
      const context = {
        ...opened.context(),
        client,
        gaps,
        texts: textsFor('en'),
        formats: createFormats(opened.context()),
        slash: (words: string) => `/${words}`,
        signal: stopping.signal,
        threads: {
          async answerAnew({ id }: { id: string }, _by: Author, taught: string) {
            presses.set(`${id} ${taught}`, id);
            if (presses.size === stopsAfter) stopping.abort();
          },
        },
        monotonicMs: () => 0,
        sleep: async () => {},
        tell: async () => {},
        keepWatch: async (given: SourceWatch) => void (kept = given),
        leaveWatch: () => void (isLeft = true),
      };
      await Array.fromAsync(watchRows(context as unknown as WatchContext, watch, { startedMs: 0 }));
      return { kept, isLeft };
    }

    const { kept, isLeft } = await teach({ chatbot, rows, teaches }, 2);
    expect([isLeft, [...presses.values()]]).toEqual([true, [turns[0]?.id, turns[1]?.id]]);
    expect(await left()).toContain(turns[2]?.id);
    expect((await teach(kept, Infinity)).isLeft).toBe(false);
    expect([...presses.values()]).toEqual(turns.map(({ id }) => id));
    expect(await left()).not.toContain(turns[2]?.id);
  });
});
