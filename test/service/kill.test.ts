import { expect, test } from 'vitest';
import { runKillRounds } from './kill-rounds.ts';

test('a service that is killed loses nothing that it acknowledged', async ({ signal }) => {
  const rounds = await runKillRounds(1, signal);
  expect(rounds).toHaveLength(1);
  for (const { killedAt, ...round } of rounds) {
    expect(round).toEqual({ lost: [], lostText: [], unfinished: [], integrity: 'ok' });
    expect(killedAt.characters).toBeGreaterThan(0);
    expect(killedAt.statuses.some((status) => status !== 'success')).toBe(true);
  }
});
