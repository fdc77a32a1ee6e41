import { describe, expect, test, vi } from 'vitest';
import type { Button } from '../../../src/bridge/conversation/thread.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { renderButtons } from '../../../src/bridge/slack/buttons.ts';
import type { SlackChange } from '../../../src/sandbox/slack/model.ts';
import { openSocket } from '../../sandbox/slack/open-socket.ts';
import { createClient, serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';
import { startSlack, type StartedSlack } from './start-slack.ts';
import { patience } from '../../fixtures/patience.ts';

const isCount = (count: number) => (change: SlackChange) =>
  change.kind === 'connections' && change.count === count;

const passages: Button = { action: 'passages', label: 'Passages', turn: 'turn-1' };

test('commands, modals and presses that Slack sends on both sockets are handled once', async () => {
  await using served = await serveWorkspace();
  const { slack, ada, help } = served;
  const ran: string[] = [];
  const commands = exampleRunner(async function* ({ command, action }) {
    ran.push([command, action].filter(Boolean).join(' '));
    yield 'Done.';
  });
  slack.install(JSON.parse(renderManifest(commands, { mode: 'socket' })));
  const started = await startSlack(slack, 'socket', { commands });
  if (slack.connections() < 2) await slack.waitFor(isCount(2));
  slack.repeat();
  const opened = slack.waitFor(({ kind }) => kind === 'modal');
  const command = { user: ada, channel: help, command: '/causeway' };
  expect(await slack.command({ ...command, text: 'source list' })).toBe(true);
  expect(await slack.command({ ...command, text: 'source qa' })).toBe(true);
  await opened;
  const blocks = renderButtons([passages], 'native');
  const { ts = '' } = await createClient(slack).chat.postMessage({
    channel: help,
    text: 'Because.',
    blocks,
  });
  const press = { user: ada, channel: help, ts, actionId: 'causeway_reply_passages' };
  expect(await slack.press(press)).toBe(true);
  expect(await slack.press(press)).toBe(true);
  // Both sockets are read to their end.
  await started[Symbol.asyncDispose]();
  expect(ran).toEqual(['source list']);
  expect(started.core.presses.all).toHaveLength(2);
  expect(started.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

describe('another process with the same app token', () => {
  const warnings = ({ log }: StartedSlack) =>
    log.lines.flatMap(({ level, message }) =>
      level === 'warn' && message.includes('Another process') ? [message] : [],
    );

  /** Hears something on each socket, so that the hello of each has been read. */
  async function hearOnBoth(
    { slack, ada, help }: Awaited<ReturnType<typeof serveWorkspace>>,
    started: StartedSlack,
  ) {
    for (const text of ['one', 'two', 'three', 'four']) {
      await slack.say({ user: ada, channel: help, text });
      await started.next();
    }
  }

  test('is noticed while it is connected', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const other = await openSocket(slack);
    await using started = await startSlack(slack);
    expect(warnings(started)).toEqual([expect.stringContaining('SLACK_APP_TOKEN')]);
    expect(started.platform.warning).toBe(warnings(started)[0]);
    if (slack.connections() < 3) await slack.waitFor(isCount(3));
    const gone = slack.waitFor(isCount(2));
    other.socket.terminate();
    await gone;
    const replaced = slack.waitFor(isCount(3));
    slack.disconnect('warning', 1);
    await replaced;
    await hearOnBoth(served, started);
    expect(started.platform.warning).toBeUndefined();
    expect(warnings(started)).toHaveLength(1);
  });

  test('is expected where several processes share the store', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const processes = () => 2;
    await using started = await startSlack(slack, 'socket', { processes });
    if (slack.connections() < 2) await slack.waitFor(isCount(2));
    await using other = await startSlack(slack, 'socket', { processes });
    if (slack.connections() < 4) await slack.waitFor(isCount(4));
    for (const text of ['one', 'two', 'three', 'four']) {
      await slack.say({ user: served.ada, channel: served.help, text });
    }
    await Promise.all([started, other].flatMap(({ next }) => [next(), next()]));
    expect([...warnings(started), ...warnings(other)]).toEqual([]);
  });

  test('that finds all ten sockets open says so, and connects once there is room', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    const others = await Promise.all(Array.from({ length: 9 }, () => openSocket(slack)));
    await using started = await startSlack(slack, 'socket', { processes: () => 5 });
    const refused = () =>
      started.log.lines.find(
        ({ fields }) => 'err' in fields && /ten sockets/.test(String(fields.err)),
      );
    await vi.waitFor(() => expect(refused()).toMatchObject({ level: 'warn' }), {
      ...patience,
      interval: 5,
    });
    expect(started.platform.isConnected).toBe(true);
    const left = slack.waitFor(isCount(9));
    others[0]?.socket.terminate();
    await left;
    if (slack.connections() < 10) await slack.waitFor(isCount(10));
    for (const { socket } of others) socket.terminate();
  });

  test('is not suspected while this one replaces its own connections', async () => {
    await using served = await serveWorkspace();
    const { slack } = served;
    await using started = await startSlack(slack);
    if (slack.connections() < 2) await slack.waitFor(isCount(2));
    for (const end of [() => slack.disconnect('refresh_requested'), () => slack.sever(1)]) {
      const opened = slack.waitFor((change) => change.kind === 'connections' && change.count > 2);
      end();
      await opened;
    }
    await hearOnBoth(served, started);
    expect(warnings(started)).toEqual([]);
    expect(started.platform.warning).toBeUndefined();
  });
});
