import { expect, test } from 'vitest';
import { createMetrics } from '../../src/app/metrics.ts';

test('the metrics tell how much is left to do, how old the oldest is, and what was set aside', async () => {
  const metrics = createMetrics();
  const read = async (name: string) =>
    (await (await metrics.render()).text())
      .split('\n')
      .filter((line) => line.startsWith(`causeway_${name}`));
  expect(await read('inbox_open')).toEqual(['causeway_inbox_open 0']);
  expect(await read('inbox_oldest_seconds')).toEqual(['causeway_inbox_oldest_seconds 0']);
  const now = Date.now();
  metrics.observe({
    backlog: async () => [
      { state: 'accepted', open: 2, oldest: now - 60_000 },
      { state: 'ending', open: 1, oldest: now - 3_600_000 },
    ],
  });
  metrics.setAside?.('slack');
  expect(await read('inbox_open')).toEqual(['causeway_inbox_open 3']);
  expect(await read('inbox_oldest_seconds')).toEqual([
    expect.stringMatching(/^causeway_inbox_oldest_seconds 360\d(\.\d+)?$/),
  ]);
  expect(await read('turns_open')).toEqual([
    'causeway_turns_open{state="accepted"} 2',
    'causeway_turns_open{state="ending"} 1',
  ]);
  expect(await read('answers_set_aside_total')).toEqual([
    'causeway_answers_set_aside_total{platform="slack"} 1',
  ]);
  metrics.observe({ backlog: () => Promise.reject(new Error('The store is away.')) });
  for (const name of ['inbox_open', 'inbox_oldest_seconds', 'turns_open']) {
    expect(await read(name)).toEqual([]);
  }
});
