import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createCommands, createCore, openWorkspaces } from '../../src/app/core.ts';
import { forgetWorkspace } from '../../src/app/forget-workspace.ts';
import { createChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import type { CommandContext, Names } from '../../src/bridge/commands/command.ts';
import type { CommandRunner, Result } from '../../src/bridge/commands/invocation.ts';
import type { RawValues } from '../../src/bridge/commands/option.ts';
import { createThreadControl } from '../../src/bridge/commands/thread-control.ts';
import { createAccess } from '../../src/bridge/conversation/access.ts';
import {
  addressKey,
  type ThreadAddress,
  workspaceKey,
} from '../../src/bridge/conversation/address.ts';
import type { Author, Notice, Rooms } from '../../src/bridge/conversation/platform.ts';
import type { Button, ButtonAction } from '../../src/bridge/conversation/thread.ts';
import { openStore } from '../../src/bridge/stores/open-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { usualOptions } from '../fixtures/conversation-tools.ts';
import { createFakeThread, type FakeThread } from '../fixtures/fake-thread.ts';
import { silentLog } from '../fixtures/log.ts';
import { annasKey, startTestService } from '../service/fixture.ts';
import { toPress } from '../fixtures/press.ts';

/** Three Slack workspaces, the first of which is the home, and two Discord servers. */
export const tenants = [
  { platform: 'slack', workspace: 'T0HOME' },
  { platform: 'slack', workspace: 'T0SECOND' },
  { platform: 'slack', workspace: 'T0THIRD' },
  { platform: 'discord', workspace: '100001' },
  { platform: 'discord', workspace: '100002' },
] as const;

export type Tenant = (typeof tenants)[number];

/** Everybody has the same ids in each workspace, so nothing is told apart by them. */
export const people = {
  manager: { id: 'U1', name: 'Ada', isManager: true, locale: 'en-US' },
  member: { id: 'U2', name: 'Bert', isManager: false, locale: 'en-US' },
} satisfies Record<string, Author>;

const unanswered = new Set<string>(['received', 'accepted', 'asking', 'showing', 'ending']);

/** One process with all tenants. */
export interface Tenants extends AsyncDisposable {
  runner: CommandRunner;
  /** Uses a command in a channel or thread; resolves with all that it showed. */
  use(tenant: Tenant, person: Author, used: Used): Promise<Result[]>;
  press(tenant: Tenant, person: Author, id: string, thread?: string): Promise<Result[]>;
  suggest(tenant: Tenant, person: Author, asked: Used & { option: string }): Promise<string[]>;
  /** Says something in a thread. Resolves once it is answered. */
  say(
    tenant: Tenant,
    person: Author,
    said: { id: string; thread: string; text: string },
  ): Promise<void>;
  /** Presses a button below a reply. Resolves once what it asks is answered. */
  pressReply(
    tenant: Tenant,
    by: Author,
    pressed: { action: ButtonAction; turn: string; thread: string },
  ): Promise<string>;
  /** The threads of a workspace that have messages. */
  threads(tenant: Tenant): FakeThread[];
  /** The buttons below the replies in a workspace. */
  replyButtons(tenant: Tenant): (Button & { thread: string })[];
  /** What was told outside of threads in a workspace. */
  notices(tenant: Tenant): string[];
  /** Deletes all that is kept of a workspace. */
  forget(tenant: Tenant): Promise<void>;
  /**
   * What the store keeps that names a workspace or, once it is forgotten, a chatbot of its own, by
   * namespace.
   */
  kept(tenant: Tenant): Promise<string[]>;
  /** The ids of everything at the service that belongs to a workspace. */
  ids(tenant: Tenant): Promise<string[]>;
}

interface Used {
  command: string;
  action?: string;
  values: RawValues;
  thread?: string;
}

const install = {
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret',
  SLACK_STATE_SECRET: 'a-long-state-secret',
  SECRETS_KEY: '5a'.repeat(32),
  SLACK_APP_TOKEN: 'xapp-1',
};

const namespaces = [
  'session',
  'former-session',
  'gap',
  'gap-in',
  'hand-over',
  'talk',
  'said-in',
  'ownership',
  'held-chatbots',
  'binding',
  'workspace-settings',
  'channel-settings',
  'registry',
];

const openRooms: Rooms = {
  of: async ({ channel }) => ({ id: channel, isPublic: true }),
  has: async () => false,
};

const names: Names = { nameOf: async (_, id) => `the ${id}`, groups: async () => [] };

export async function openTenants(): Promise<Tenants> {
  await using parts = new AsyncDisposableStack();
  const { service } = parts.use(await startTestService());
  const answer = getRequestListener((request) => service.fetch(request));
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = parts.use(createChatbotClient({ baseUrl, apiKey: annasKey }));
  const store = parts.use(await openStore('memory:'));
  const config = readConfig({ ...install, WORKSPACES: tenants[0].workspace });
  const { uuid: chatbot } = await client.createChatbot({ name: 'Home' });
  const log = silentLog;
  const opened = openWorkspaces({ config, store, chatbot: { uuid: chatbot }, client, log });
  const { tenancy } = opened;
  const threads = new Map<string, FakeThread>();
  const told = new Map<string, string[]>();
  /** The chatbots of the tenants that were forgotten. */
  const forgotten = new Map<Tenant, string[]>();

  function threadAt(address: ThreadAddress): FakeThread {
    const key = addressKey(address);
    const known = threads.get(key);
    if (known) return known;
    const budgets = {
      post: { key: `${key} post`, writes: 1_000, windowMs: 1 },
      edit: { key: `${key} edit`, writes: 1_000, windowMs: 1 },
    };
    const thread = Object.assign(createFakeThread({ address }), { budgets });
    threads.set(key, thread);
    return thread;
  }

  const platforms = ['slack', 'discord'].map((name) => ({
    name,
    thread: threadAt,
    read: async () => undefined,
  }));
  async function notify(platform: string, { workspace, markdown }: Notice): Promise<void> {
    const key = workspaceKey({ platform, workspace });
    told.set(key, [...(told.get(key) ?? []), markdown]);
  }
  const access = createAccess({
    ...opened,
    findRooms: () => openRooms,
    now: () => performance.now(),
  });
  const core = createCore({
    ...usualOptions,
    client,
    serviceLimits: { timeoutMs: 20_000, maxReplyMs: 60_000 },
    store,
    ...opened,
    access,
    notify,
    platforms,
    log,
  });
  const { conversation } = core;
  const closing = new AbortController();
  const threadControl = createThreadControl(core.tools.sessions, conversation, threadAt);
  const { runner } = createCommands({
    config,
    client,
    store,
    core,
    threads: threadControl,
    ...opened,
    access,
    notify,
    log,
    closing: closing.signal,
  });
  await conversation.recover();
  for (const platform of ['slack', 'discord']) {
    const ids = tenants.filter((each) => each.platform === platform).map((each) => each.workspace);
    await conversation.joined(platform, ids, true);
    conversation.connected(platform);
  }
  // On Discord, nobody gets a chatbot by joining.
  for (const tenant of tenants.filter(({ platform }) => platform === 'discord')) {
    await tenancy.made(tenant, (await client.createChatbot({ name: 'Causeway' })).uuid);
  }
  parts.defer(async () => {
    closing.abort();
    await conversation.close(0);
  });

  const addressOf = (tenant: Tenant, thread: string) => ({ ...tenant, channel: 'C1', thread });
  let questions = 0;

  function contextOf(tenant: Tenant, person: Author, thread?: string): CommandContext {
    return {
      requester: person,
      ...tenant,
      channel: 'C1',
      ...(thread && { thread: addressOf(tenant, thread) }),
      locale: 'en-US',
      names,
      channelAccess: async () => 'everything',
      async ask(text) {
        questions += 1;
        await say(tenant, person, { id: `asked-${questions}`, thread: thread ?? 'asked', text });
        return 'thread';
      },
      signal: closing.signal,
    };
  }

  async function say(
    tenant: Tenant,
    author: Author,
    { id, thread, text }: { id: string; thread: string; text: string },
  ): Promise<void> {
    const to = threadAt(addressOf(tenant, thread));
    await conversation.message({ id, author, text, addressed: 'mention', thread: to });
  }

  const inTenant = (tenant: Tenant) =>
    [...threads.values()].filter(({ address }) => workspaceKey(address) === workspaceKey(tenant));

  /** What a command or a press has asked again is answered. */
  async function answered(): Promise<void> {
    const isOpen = async () =>
      (await store.inbox.openIn()).some(({ state }) => unanswered.has(state));
    while (await isOpen()) await new Promise(setImmediate);
  }

  const running = parts.move();
  return {
    runner,
    async use(tenant, person, { thread, ...used }) {
      const context = contextOf(tenant, person, thread);
      const results = await Array.fromAsync(runner.run({ ...used, context }));
      await answered();
      return results;
    },
    async press(tenant, person, id, thread) {
      const { results } = await runner.press(toPress(id, contextOf(tenant, person, thread)));
      const shown = await Array.fromAsync(results);
      await answered();
      return shown;
    },
    async suggest(tenant, person, { command, action, option, thread }) {
      const context = contextOf(tenant, person, thread);
      const found = await runner.complete({ command, action, option, typed: '', context });
      return found.map(({ label }) => label);
    },
    say,
    async pressReply(tenant, by, { action, turn, thread }) {
      const place = addressOf(tenant, thread);
      const { answer } = await conversation.pressed({ action, turn, by, place });
      const said = (await answer) ?? '';
      await answered();
      return said;
    },
    threads: inTenant,
    replyButtons: (tenant) =>
      inTenant(tenant).flatMap((thread) =>
        thread.shownButtons().map((button) => ({ ...button, thread: thread.address.thread })),
      ),
    notices: (tenant) => told.get(workspaceKey(tenant)) ?? [],
    async forget(tenant) {
      forgotten.set(tenant, await tenancy.chatbotsOf(tenant));
      await forgetWorkspace(tenant, { store, client, tenancy });
    },
    async kept(tenant) {
      const found: string[] = [];
      for (const namespace of namespaces) {
        // For a day, the store knows that a deleted chatbot is nobody's.
        const chatbots = namespace === 'ownership' ? [] : (forgotten.get(tenant) ?? []);
        const names = [tenant.workspace, ...chatbots];
        for await (const entry of store.keyv(namespace).entries()) {
          const text = JSON.stringify(entry);
          if (names.some((name) => text.includes(name))) found.push(namespace);
        }
      }
      for (const { address } of inTenant(tenant)) {
        if (await store.inbox.hasTurnIn(address)) found.push('inbox');
      }
      return found;
    },
    async ids(tenant) {
      const found: string[] = [];
      const chatbots = await tenancy.chatbotsOf(tenant);
      for (const uuid of chatbots) {
        const lists = await Promise.all([
          client.listDataSources(uuid),
          client.listSourceTags(uuid),
          client.listAgents(uuid),
          client.listSessions(uuid),
        ]);
        found.push(uuid, ...lists.flat().map((each) => each.uuid));
      }
      return found;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
