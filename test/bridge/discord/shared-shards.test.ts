import { GatewayCloseCodes } from 'discord.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask } from '../../../src/bridge/commands/ask.ts';
import { createConversation } from '../../../src/bridge/conversation/conversation.ts';
import { LostLeaseError } from '../../../src/bridge/conversation/leases.ts';
import type { DiscordOptions } from '../../../src/bridge/discord/discord-platform.ts';
import { createLeaseKeeper } from '../../../src/bridge/stores/lease-keeper.ts';
import { LeaseStore } from '../../../src/bridge/stores/lease-store.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { bridgeMigrations, type BridgeTables } from '../../../src/bridge/stores/schema.ts';
import { openNotifications } from '../../../src/shared/stores/notifications.ts';
import { createConversationTools } from '../../fixtures/conversation-tools.ts';
import { openUntilEnd, postgres } from '../../fixtures/databases.ts';
import { silentLog } from '../../fixtures/log.ts';
import { thinkUntilAborted } from '../conversation/set-up-conversation.ts';
import { createRunner } from './open-server.ts';
import { openServers } from './open-servers.ts';
import { patience } from '../../fixtures/patience.ts';

const times = { beatMs: 120, ttlMs: 1_000, marginMs: 200 };
const until = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { ...patience, interval: 20 });

/** Goes on as though the time between two sessions of a shard had passed. */
function passSpacing(): void {
  vi.setSystemTime(Date.now() + 6_000);
  onTestFinished(() => void vi.useRealTimers());
}

/** Bridges on one store of Postgres, with two servers, each on a shard of its own. */
async function openBridges() {
  const servers = await openServers();
  onTestFinished(() => servers[Symbol.asyncDispose]());
  const places = await postgres.createPlaces();

  async function start(options: Partial<DiscordOptions> = {}) {
    const store = await openStore(places.storeUrl, { maxConnections: 4 });
    onTestFinished(() => store[Symbol.asyncDispose]());
    const database = await openUntilEnd<BridgeTables>(places.bridge, bridgeMigrations);
    const notifications = openNotifications(places.storeUrl, silentLog);
    onTestFinished(() => notifications[Symbol.asyncDispose]());
    let isPaused = false;
    /** A process that is cut off from the store says nothing. */
    const transaction: typeof database.transaction = (work, scope) =>
      isPaused ? Promise.reject(new Error('paused')) : database.transaction(work, scope);
    const leaseStore = new LeaseStore({
      transaction,
      get queries() {
        if (isPaused) throw new Error('paused');
        return database.queries;
      },
    });
    const leases = await createLeaseKeeper(leaseStore, { notifications, log: silentLog, times });
    onTestFinished(() => leases[Symbol.asyncDispose]());
    const watermarks = store.keyv<string>('watermark');
    const writes: { key: string; error?: unknown }[] = [];
    const storeWatermark = async (key: string, value: string) => {
      try {
        await watermarks.set(key, value);
        writes.push({ key });
      } catch (error) {
        writes.push({ key, error });
        throw error;
      }
    };
    const { platform } = servers.prepare({
      leases,
      sessionTimes: store.keyv<number>('discord-session-time'),
      exclusively: store.exclusively,
      catchUp: {
        watermarks: {
          get: (key) => watermarks.get(key),
          set: storeWatermark,
          delete: (key) => watermarks.delete(key),
          update: (key, change, ttl) => watermarks.update(key, change, ttl),
          entries: () => watermarks.entries(),
        },
        directChannels: store.keyv<string>('direct-channel'),
        maxAgeMs: 60 * 60 * 1000,
      },
      commands: createRunner([ask]),
      ...options,
    });
    const tools = createConversationTools(store, { workspaces: servers.ids });
    const { chatbot } = tools;
    const conversation = createConversation({
      ...tools,
      findPlatform: () => platform,
      openThread: (address) => platform.thread(address),
      leases,
    });
    onTestFinished(() => conversation.close(0));
    await conversation.recover();
    await platform.start(conversation);
    conversation.connected('discord');
    const stop = async () => {
      await conversation.close(0);
      await platform[Symbol.asyncDispose]();
    };
    return {
      platform,
      leases,
      chatbot,
      conversation,
      /** The watermarks that it stored, or could not. */
      writes,
      shards: () => leases.held().filter((scope) => scope.startsWith('discord:')),
      connect: () => platform.start(conversation),
      pause: (paused: boolean) => void (isPaused = paused),
      /** Ends as its machine does: it gives nothing away. */
      die: () => ((isPaused = true), stop()),
      async leave() {
        await stop();
        await leases[Symbol.asyncDispose]();
      },
    };
  }

  /** How often a question was answered, in the thread opened on it. */
  const answersTo = (id: string, text: string) =>
    servers.discord.channel(id)
      ? servers.discord.messages(id).filter(({ content }) => content.includes(`You said: ${text}`))
          .length
      : 0;
  return { ...servers, mention: servers.mention, start, answersTo };
}

type Bridges = Awaited<ReturnType<typeof openBridges>>;
type Bridge = Awaited<ReturnType<Bridges['start']>>;

/** Two bridges that have a shard each. */
async function openTwo(options: Partial<DiscordOptions> = {}) {
  const bridges = await openBridges();
  const one = await bridges.start(options);
  passSpacing();
  const other = await bridges.start(options);
  await until(() => {
    expect([one, other].map((each) => each.shards().length)).toEqual([1, 1]);
    expect([one, other].map((each) => each.platform.isConnected)).toEqual([true, true]);
  });
  await until(() => expect(bridges.discord.gateway.connections).toBe(2));
  return { bridges, one, other };
}

async function askAll({ servers, say, mention }: Bridges, text: string) {
  const asked: { id: string; text: string }[] = [];
  for (const [index, { general }] of servers.entries()) {
    const own = `${text} ${index}?`;
    asked.push({ id: (await say(general, `${mention} ${own}`)).id, text: own });
  }
  return asked;
}

const queriesOf = ({ chatbot }: Bridge) => chatbot.queries.length;

async function expectAnswered({ answersTo }: Bridges, asked: { id: string; text: string }[]) {
  await until(() => expect(asked.map(({ id, text }) => answersTo(id, text))).toEqual([1, 1]));
}

describe.runIf(postgres.isInstalled)('processes that share the shards', () => {
  test('a direct message finds the servers of its author, whichever process has their shards', async () => {
    const { bridges, one, other } = await openTwo();
    const { discord, servers, ids } = bridges;
    const ada = discord.users().find(({ username }) => username === 'ada')?.id ?? '';
    const linus = discord.users().find(({ username }) => username === 'linus')?.id ?? '';
    const named = [
      { id: servers[0].id, name: 'Zero' },
      { id: servers[1].id, name: 'One' },
    ];
    for (const { platform } of [one, other]) {
      const { rooms } = platform;
      expect(await rooms.sharedWith?.(ada, ids)).toEqual(expect.arrayContaining(named));
      expect(await rooms.sharedWith?.(linus, ids)).toEqual([]);
      const standings = ids.map(async (id) => rooms.standing?.(id, ada));
      expect(await Promise.all(standings)).toEqual([{ isManager: true }, { isManager: true }]);
      expect(await rooms.standing?.(servers[1].id, linus)).toBeUndefined();
    }
  });

  test('each connects those it holds, and gives them away at once when it ends', async () => {
    const { bridges, one, other } = await openTwo();
    expect([...one.shards(), ...other.shards()].toSorted()).toEqual(['discord:0/2', 'discord:1/2']);
    await expectAnswered(bridges, await askAll(bridges, 'Which'));
    expect([one, other].map(queriesOf)).toEqual([1, 1]);
    // The commands are registered once.
    expect(bridges.calls.filter((call) => call.startsWith('PUT '))).toHaveLength(1);
    passSpacing();
    await one.leave();
    await until(() => expect(other.shards()).toHaveLength(2));
    expect(other.leases.count).toBe(1);
    await until(() => expect(bridges.discord.gateway.connections).toBe(2));
    await until(() => expect(other.platform.isConnected).toBe(true));
    await expectAnswered(bridges, await askAll(bridges, 'Later'));
    expect(queriesOf(other)).toBe(3);
  });

  test('all have the number of shards that the first was told, and divide the requests of a second', async () => {
    const bridges = await openBridges();
    const one = await bridges.start();
    const [{ id: workspace, general }] = bridges.servers;
    const address = { platform: 'discord', workspace, channel: general, thread: general };
    const shareOf = ({ platform }: Bridge) => platform.thread(address).budgets.post.within?.writes;
    const share = () => shareOf(one);
    expect(share()).toBe(45);
    bridges.discord.rules.shards = 4;
    const other = await bridges.start();
    await until(() => expect(share()).toBe(22));
    await until(() => expect([one, other].map((each) => each.shards().length)).toEqual([1, 1]));
    expect([...one.shards(), ...other.shards()].every((scope) => scope.endsWith('/2'))).toBe(true);
    // There is no shard for this one.
    const third = await bridges.start();
    await until(() => expect(one.leases.count).toBe(3));
    expect([share(), shareOf(third)]).toEqual([22, 3]);
    await third.leave();
    await other.leave();
    await until(() => expect(share()).toBe(45));
  });

  test('what somebody forgets in one is stopped and deleted in both', async () => {
    const { bridges, one, other } = await openTwo();
    const { servers, say, mention, discord } = bridges;
    for (const { chatbot } of [one, other]) chatbot.answer = thinkUntilAborted;
    const asked = await Promise.all(servers.map(({ general }) => say(general, `${mention} Why?`)));
    const texts = ({ id }: { id: string }) => discord.messages(id).map(({ content }) => content);
    const isThinking = (id: { id: string }) => texts(id).some((text) => text.startsWith('Let me'));
    await until(() => expect(asked.filter((each) => discord.channel(each.id))).toHaveLength(2));
    await until(() => expect(asked.every(isThinking)).toBe(true));
    const { id, username: name } = asked[0]!.author;
    const person = { id, name, platform: 'discord', workspace: servers[0].id };
    const { signal } = new AbortController();
    const steps = one.conversation.forgetting.forget(person, signal);
    let step = await steps.next();
    while (!step.done) step = await steps.next();
    expect(step.value).toMatchObject({ questions: 2, posts: 2, left: { running: 0, posts: 0 } });
    expect(asked.some(isThinking)).toBe(false);
    expect(await other.conversation.forgetting.count(person)).toBe(0);
  });

  test('when one dies, the other answers what was asked meanwhile, once', async () => {
    const { bridges, one, other } = await openTwo();
    await expectAnswered(bridges, await askAll(bridges, 'Before'));
    passSpacing();
    await one.die();
    const asked = await askAll(bridges, 'Meanwhile');
    await until(() => expect(other.shards()).toHaveLength(2));
    await expectAnswered(bridges, asked);
    await until(() => expect(other.platform.isConnected).toBe(true));
    await expectAnswered(bridges, await askAll(bridges, 'Later'));
    expect([one, other].map(queriesOf)).toEqual([1, 5]);
  });

  test('a shard that was lost is closed, and its former holder stores no watermark', async () => {
    const { bridges, one, other } = await openTwo();
    await expectAnswered(bridges, await askAll(bridges, 'Before'));
    one.pause(true);
    passSpacing();
    await until(() => expect(other.shards()).toHaveLength(2));
    await until(() => expect(bridges.discord.gateway.connections).toBe(3));
    one.writes.length = 0;
    await expectAnswered(bridges, await askAll(bridges, 'Both hear'));
    await until(() => expect(one.writes).not.toEqual([]));
    expect(one.writes.every(({ error }) => error instanceof LostLeaseError)).toBe(true);

    one.pause(false);
    await until(() => expect(bridges.discord.gateway.connections).toBeLessThan(3));
    passSpacing();
    await until(() => {
      expect([one, other].map((each) => each.shards().length)).toEqual([1, 1]);
      expect([one, other].map((each) => each.platform.isConnected)).toEqual([true, true]);
      expect(bridges.discord.gateway.connections).toBe(2);
    });
    await expectAnswered(bridges, await askAll(bridges, 'Later'));
  });

  test('when Discord wants more, one process says how many, and the others follow', async () => {
    const { bridges, one, other } = await openTwo();
    bridges.discord.rules.shards = 4;
    const shard = Number(one.shards()[0]?.at('discord:'.length));
    bridges.discord.gateway.disconnect(GatewayCloseCodes.ShardingRequired, shard);
    await one.platform.fatalError;
    passSpacing();
    await one.connect();
    await until(() => {
      expect([one, other].map((each) => each.shards().length)).toEqual([2, 2]);
      expect([one, other].map((each) => each.platform.isConnected)).toEqual([true, true]);
    });
    expect(bridges.discord.gateway.connections).toBe(4);
    const all = [...one.shards(), ...other.shards()];
    expect(all.toSorted()).toEqual([0, 1, 2, 3].map((each) => `discord:${each}/4`));
    await expectAnswered(bridges, await askAll(bridges, 'Later'));
  });

  test('those of one bucket begin their sessions one after another', async () => {
    const bridges = await openBridges();
    Object.assign(bridges.discord.rules, { maxConcurrency: 1, identifyMs: 5_000 });
    const refused: unknown[] = [];
    bridges.discord.changes.subscribe((change) => {
      if (change.kind === 'refused') refused.push(change);
    });
    const [one, other] = await Promise.all([bridges.start(), bridges.start()]);
    await until(() =>
      expect([one, other].map((each) => each.platform.isConnected)).toEqual([true, true]),
    );
    expect(refused).toEqual([]);
  });
});
