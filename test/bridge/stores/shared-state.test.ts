import { randomBytes } from 'node:crypto';
import type { Installation } from '@slack/oauth';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHandOver } from '../../../src/bridge/conversation/hand-over/hand-over.ts';
import type { HandOverRecord } from '../../../src/bridge/conversation/hand-over/records.ts';
import {
  type ChannelSettings,
  createSettings,
  type WorkspaceSettings,
} from '../../../src/bridge/conversation/settings.ts';
import {
  createInstallations,
  type InstallationRecord,
} from '../../../src/bridge/slack/installations.ts';
import type { TurnRecord } from '../../../src/bridge/conversation/inbox/row.ts';
import { openStore, type Store } from '../../../src/bridge/stores/open-store.ts';
import { createSeal } from '../../../src/shared/primitives/seal.ts';
import { openNotifications } from '../../../src/shared/stores/notifications.ts';
import { postgres } from '../../fixtures/databases.ts';
import { createFakeBindings } from '../../fixtures/fake-bindings.ts';
import { createFakeChatbot } from '../../fixtures/fake-chatbot.ts';
import { silentLog } from '../../fixtures/log.ts';
import { fakeSettings, openTenancy } from '../../fixtures/open-tenancy.ts';
import { runOnServer } from '../../fixtures/postgres-server.ts';
import { patience } from '../../fixtures/patience.ts';

const place = { platform: 'slack', workspace: 'T1', channel: 'C1' };

const installation: Installation = {
  team: { id: 'T1', name: 'Acme' },
  enterprise: undefined,
  user: { token: undefined, scopes: undefined, id: 'U1' },
  bot: { token: 'xoxb-1', scopes: ['chat:write'], id: 'B1', userId: 'UBOT' },
  isEnterpriseInstall: false,
  authVersion: 'v2',
};

/** Ends the connections on which processes hear each other. */
async function dropConnections(storeUrl: string): Promise<void> {
  const { pathname } = new URL(storeUrl);
  await runOnServer(
    storeUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'causeway notifications' AND datname = '${pathname.slice(1)}'`,
  );
}

describe.runIf(postgres.isInstalled)('what processes on one store keep in memory', () => {
  /** A process's store that hears the others, until the test ends. */
  async function openProcesses(): Promise<{ stores: [Store, Store]; drop(): Promise<void> }> {
    const { storeUrl } = await postgres.createPlaces();
    const open = async () => {
      const store = await openStore(storeUrl, { maxConnections: 3 });
      onTestFinished(() => store[Symbol.asyncDispose]());
      const notifications = openNotifications(storeUrl, silentLog);
      onTestFinished(() => notifications[Symbol.asyncDispose]());
      const heard = Promise.withResolvers<void>();
      notifications.listen((word) => word === undefined && heard.resolve());
      store.share(notifications);
      await heard.promise;
      return store;
    };
    return { stores: [await open(), await open()], drop: () => dropConnections(storeUrl) };
  }

  const openSettings = (store: Store) =>
    createSettings({
      workspaces: store.keyv<WorkspaceSettings>('workspace-settings'),
      channels: store.keyv<Partial<ChannelSettings>>('channel-settings'),
      // Nothing goes stale by itself.
      now: () => 0,
    });

  const until = (check: () => Promise<void> | void) =>
    vi.waitFor(check, { ...patience, interval: 10 });

  test('a setting that one changes is seen by the other at once', async () => {
    const { stores } = await openProcesses();
    const [one, other] = [openSettings(stores[0]), openSettings(stores[1])];
    expect((await other.in(place)).following).toBe('threads');
    await one.changeIn(place, () => ({ following: 'everything' }));
    await until(async () => expect((await other.in(place)).following).toBe('everything'));
  });

  test('a change is seen although its word was lost with the connection', async () => {
    const { stores, drop } = await openProcesses();
    const [one, other] = [openSettings(stores[0]), openSettings(stores[1])];
    expect((await other.in(place)).following).toBe('threads');
    await drop();
    await one.changeIn(place, () => ({ following: 'everything' }));
    await until(async () => expect((await other.in(place)).following).toBe('everything'));
  });

  test('agents’ settings are read again when another process changes them', async () => {
    const { stores } = await openProcesses();
    const [one, other] = stores.map((store) => {
      const chatbot = createFakeChatbot();
      const handOver = createHandOver({
        store: store.keyv<HandOverRecord>('hand-over'),
        talk: { async follow() {}, async note() {} },
        access: { roomOf: async () => undefined },
        toldAt: store.keyv<number>('hand-over-told'),
        settingsChanges: store.keyv<number>('hand-over-settings'),
        bindings: createFakeBindings(),
        settings: fakeSettings({}),
        async notify() {},
        typed: (_, words) => words,
        monotonicMs: () => 0,
        chatbot,
        sessions: { find: async () => undefined },
        openThread: () => undefined,
        queue: { abortIn() {} },
        signal: new AbortController().signal,
        log: silentLog,
      });
      const author = { id: 'U1', name: 'Ada', isManager: false };
      const turn = {
        id: 'turn',
        address: { ...place, thread: '1' },
        author,
      } as unknown as TurnRecord;
      return { chatbot, handOver, buttons: () => handOver.buttonsFor(turn) };
    });
    if (!one || !other) throw new Error('There are two.');
    expect(await other.buttons()).toEqual([]);
    const says = { requested: '', started: '', ended: '' };
    other.chatbot.handsOver = { monitored: [], says, notifies: false };
    one.handOver.settingsChanged();
    await until(async () => expect(await other.buttons()).toHaveLength(1));
  });

  test('an installation of Slack is known, changed and deleted everywhere', async () => {
    const { stores } = await openProcesses();
    const seal = createSeal(randomBytes(32));
    const open = (store: Store) =>
      createInstallations({
        store: store.keyv<InstallationRecord>('slack-installation'),
        seal,
        log: silentLog,
      });
    const [one, other] = [open(stores[0]), open(stores[1])];
    await other.load();
    await one.onInstall.storeInstallation(installation);
    // The first event may come before any word of it.
    await other.find('T1');
    expect(other.serving('T1')?.team?.name).toBe('Acme');
    await one.change('T:T1', (record) => ({ ...record, removedAt: 1 }));
    await until(() => expect(other.serving('T1')).toBeUndefined());
    await one.deleteRemoved('T:T1');
    await until(() => expect(other.all()).toEqual([]));
  });

  test('a process that no shard tells where the bot is learns it from the other', async () => {
    const { stores } = await openProcesses();
    const open = (store: Store) => openTenancy(store, { workspaces: [] });
    const [one, other] = [open(stores[0]), open(stores[1])];
    const isHome = other.isHome({ platform: 'discord', workspace: 'G1' });
    await one.joined('discord', ['G1'], true);
    expect(await isHome).toBe(true);
  });
});
