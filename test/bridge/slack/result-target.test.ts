import { webApi } from '@slack/bolt';
import { expect, test } from 'vitest';
import { english } from '../../../src/bridge/texts/texts.ts';
import { createChannelTarget } from '../../../src/bridge/slack/result-target.ts';

test('concurrent commands share the rate limit of edits', () => {
  let count = 1;
  const place = createChannelTarget({
    client: new webApi.WebClient('xoxb-test'),
    channel: 'C1',
    user: 'U1',
    texts: english,
    underWay: () => count,
  });
  expect(place.minIntervalMs()).toBe(3_000);
  count = 4;
  expect(place.minIntervalMs()).toBe(12_000);
});
