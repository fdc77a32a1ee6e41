import { expect, test } from 'vitest';
import { createGaps, type GapRecord } from '../../../src/bridge/conversation/gaps.ts';
import { asTurn, toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { openCommands, type OpenCommands } from './open-commands.ts';

/** A question that ended, in a channel's thread of its own. */
async function asked({ inbox }: OpenCommands, id: string, query: string, channel = 'C') {
  const place = { platform: 'fake', workspace: 'W', channel };
  const row = toReceivedRow({ ...place, id });
  const author = { id: 'U2', name: 'Grace' };
  const ended = { ...row, address: { ...place, thread: id }, author, query };
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
      '- [where is the canteen](https://chat.example/2) · 2× · no answer found · closest: Handbook',
      '- [Who pays?](https://chat.example/3) · rated “Not helpful” · “Not \\*me\\*.”',
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
  const values = store.keyv<GapRecord>('gap');
  const gaps = createGaps({ store: values, inbox, now: () => (now += 1), maxKept: 2 });
  for (const id of ['1', '2', '3']) await gaps.refused(await asked(opened, id, `Why ${id}?`));
  const kept = await gaps.list({ platform: 'fake', workspace: 'W' });
  expect(kept.map(({ query }) => query)).toEqual(['Why 2?', 'Why 3?']);
});
