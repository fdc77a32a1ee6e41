import { expect, test } from 'vitest';
import { openBridge } from './scripted-bridge.ts';

const words = Array.from({ length: 6_000 }, (_, number) => `w${number}`);

test('a reply that outgrows a Slack stream continues in the next one, and nothing is lost', async () => {
  await using bridge = await openBridge('Slack');
  const { service, seat } = bridge;
  const arrived = service.asked();
  const thread = await seat.sayDirectly('Tell me all.');
  const asked = await arrived;
  asked.write(words.slice(0, 1_000).join(' '));
  await seat.replies(thread, 1, /w900/);
  asked.write(`\n\n${words.slice(1_000, 4_000).join(' ')}`);
  await seat.replies(thread, 2, /w3\d\d\d/);
  asked.write(`\n\n${words.slice(4_000).join(' ')}`);
  asked.end();
  const replies = await seat.replies(thread, 4, /w5999/);
  const shown = replies.flatMap(({ text }) => text.match(/w\d+/g) ?? []);
  expect(shown).toEqual(words);
});
