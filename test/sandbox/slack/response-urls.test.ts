import { expect, test } from 'vitest';
import { createClock } from '../clock.ts';
import { openSocket } from './open-socket.ts';
import { serveWorkspace } from './serve-workspace.ts';

async function runCommand(clock = createClock()) {
  const served = await serveWorkspace(clock);
  const { slack, ada, help } = served;
  const link = await openSocket(slack);
  await link.next();
  const running = slack.command({ user: ada, channel: help, command: '/ask' });
  const frame = await link.next();
  link.acknowledge(frame);
  await running;
  const url = String(frame.payload?.['response_url']);
  const respond = async (payload: object | string) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const response = await fetch(url, { method: 'POST', body });
    return `${response.status} ${await response.text()}`;
  };
  return { ...served, clock, url, respond };
}

test('five answers, for the user alone or for all, and no sixth', async () => {
  await using served = await runCommand();
  const { slack, ada, help, respond } = served;
  expect(await respond({ text: 'one' })).toBe('200 ok');
  expect(await respond({ text: 'two', response_type: 'in_channel' })).toBe('200 ok');
  for (const text of ['three', 'four', 'five']) expect(await respond({ text })).toBe('200 ok');
  expect(await respond({ text: 'six' })).toBe('404 used_url');
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual([
    'one',
    'three',
    'four',
    'five',
  ]);
  expect(slack.messages(help)).toMatchObject([{ text: 'two', user: slack.bot.user }]);
});

test('an address lives for 30 minutes', async () => {
  await using served = await runCommand();
  served.clock.advance(30 * 60_000);
  expect(await served.respond({ text: 'just in time' })).toBe('200 ok');
  served.clock.advance(1);
  expect(await served.respond({ text: 'late' })).toBe('404 expired_url');
});

test('what says nothing is refused and uses nothing up', async () => {
  await using served = await runCommand();
  const { respond, url } = served;
  for (let count = 0; count < 6; count += 1) expect(await respond({})).toBe('400 no_text');
  expect(await respond('{')).toBe('400 invalid_payload');
  expect(await respond({ text: 'x', response_type: 'shout' })).toBe('400 invalid_payload');
  expect(await respond({ text: 'x' })).toBe('200 ok');
  expect((await fetch(`${url}0`, { method: 'POST', body: '{}' })).status).toBe(404);
});

test('every answer to a command adds another, whatever it says of the first', async () => {
  await using served = await runCommand();
  const { slack, ada, help, respond } = served;
  expect(await respond({ text: 'one' })).toBe('200 ok');
  expect(await respond({ text: 'two', replace_original: true })).toBe('200 ok');
  expect(await respond({ delete_original: true })).toBe('200 ok');
  expect(await respond({ text: 'three', replace_original: true })).toBe('200 ok');
  expect(slack.ephemerals(ada, help).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
});

test('Markdown is refused, in a block and as a text', async () => {
  await using served = await runCommand();
  const { slack, ada, help, respond } = served;
  const blocks = [{ type: 'markdown', text: '**a**' }];
  expect(await respond({ text: 'a', blocks })).toBe('500 server_error');
  expect(await respond({ markdown_text: '**a**' })).toBe('400 invalid_payload');
  const section = { type: 'section', text: { type: 'mrkdwn', text: '*a*' } };
  expect(await respond({ text: 'a', blocks: Array.from({ length: 51 }, () => section) })).toMatch(
    /^400 invalid_bl/,
  );
  expect(await respond({ text: 'a', blocks: Array.from({ length: 50 }, () => section) })).toBe(
    '200 ok',
  );
  expect(slack.ephemerals(ada, help)).toHaveLength(1);
});
