import { expect, test } from 'vitest';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import { isLostLease, withLease } from '../../../src/bridge/conversation/leases.ts';
import { renderManifest } from '../../../src/bridge/slack/manifest.ts';
import { createLostLease } from '../../fixtures/lost-lease.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { exampleRunner } from './example-commands.ts';
import { startSlack } from './start-slack.ts';

const runner = exampleRunner(async function* () {
  yield* [];
});

/** A workspace with the app as the manifest installs it, and no more scopes. */
async function startRooms() {
  await using parts = new AsyncDisposableStack();
  const served = parts.use(await serveWorkspace());
  const { slack } = served;
  slack.install(JSON.parse(renderManifest(runner, { mode: 'socket' })));
  const started = parts.use(await startSlack(slack));
  const { rooms } = started.platform;
  const at = (channel: string): ThreadAddress => ({
    platform: 'slack',
    workspace: slack.team.id,
    channel,
    thread: '1700000000.000100',
  });
  const owned = parts.move();
  return {
    ...served,
    rooms,
    at,
    log: started.log,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test('a direct message and a group message prove themselves only, without a scope for them', async () => {
  await using workspace = await startRooms();
  const { slack, rooms, at, ada, grace, log } = workspace;
  const members = [ada, grace, slack.bot.user];
  const group = slack.openChannel({ kind: 'mpim', members });
  for (const { id } of [slack.direct(ada), group]) {
    const room = await rooms.of(at(id));
    expect(room).toEqual({ id, isPublic: false, ...(id !== group.id && { isDirect: true }) });
    expect(await rooms.has(at(id), room!, ada)).toBe(false);
  }
  expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('a channel that Slack does not describe has no room', async () => {
  await using workspace = await startRooms();
  const { slack, rooms, at, ada, grace, help, log } = workspace;
  const { id: secret } = slack.openChannel({
    kind: 'group',
    name: 'secret',
    members: [ada, grace],
  });
  expect(await rooms.of(at(secret))).toBeUndefined();
  expect(await rooms.has(at(secret), { id: secret, isPublic: false }, ada)).toBe(false);
  slack.faults.inject({ method: 'conversations.info', times: 1, error: 'missing_scope' });
  expect(await rooms.of(at(help))).toBeUndefined();
  slack.faults.inject({ method: 'users.conversations', times: 1, error: 'missing_scope' });
  expect(await rooms.has(at(secret), { id: secret, isPublic: false }, ada)).toBe(false);
  const warned = log.lines.filter(({ level }) => level === 'warn');
  expect(JSON.stringify(warned)).toContain('groups:read');
});

test('somebody’s private channels are read page by page', async () => {
  await using workspace = await startRooms();
  const { slack, rooms, at, ada } = workspace;
  const members = [ada, slack.bot.user];
  const ids = Array.from(
    { length: 1_001 },
    (_, index) => slack.openChannel({ kind: 'group', name: `secret-${index}`, members }).id,
  );
  const last = ids.at(-1) ?? '';
  expect(await rooms.has(at(last), { id: last, isPublic: false }, ada)).toBe(true);
});

test('who may read what is not told by a process that has lost the lease, so nothing follows from it', async () => {
  await using workspace = await startRooms();
  const { rooms, at, ada, help } = workspace;
  const lease = createLostLease('slack:T1');
  const asked: (() => Promise<unknown>)[] = [
    () => rooms.of(at(help)),
    () => rooms.has(at(help), { id: help, isPublic: false }, ada),
  ];
  for (const ask of asked) {
    await expect(withLease(lease, ask)).rejects.toSatisfy(isLostLease);
  }
});
