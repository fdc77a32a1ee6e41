import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import {
  type ChatbotClient,
  createChatbotClient,
} from '../../../src/bridge/chatbot/chatbot-client.ts';
import { createCommandJournal } from '../../../src/bridge/commands/runner/command-journal.ts';
import type { KeptResult } from '../../../src/bridge/commands/runner/result-buttons.ts';
import { createCommandRunner } from '../../../src/bridge/commands/runner/command-runner.ts';
import type {
  CommandNames,
  Invocation,
  Result,
  CommandRunner,
} from '../../../src/bridge/commands/invocation.ts';
import { commands } from '../../../src/bridge/commands/commands.ts';
import type { CommandContext, Names } from '../../../src/bridge/commands/command.ts';
import { createFileLimits } from '../../../src/bridge/commands/files.ts';
import { createRegisteredClient } from '../../../src/bridge/commands/registry/registry-client.ts';
import {
  createRegistry,
  type RegistryRecord,
} from '../../../src/bridge/commands/registry/registry.ts';
import {
  type BindingRecord,
  type Bindings,
  createBindings,
} from '../../../src/bridge/conversation/bindings.ts';
import { textsFor } from '../../../src/bridge/texts/texts.ts';
import { createAccess } from '../../../src/bridge/conversation/access.ts';
import {
  createManagers,
  type ChannelSettings,
  createSettings,
  type Settings,
  type WorkspaceSettings,
} from '../../../src/bridge/conversation/settings.ts';
import { createGaps, type GapRecord, type Gaps } from '../../../src/bridge/conversation/gaps.ts';
import type { Inbox } from '../../../src/bridge/conversation/inbox/inbox.ts';
import type { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import type { Sleep } from '../../../src/shared/primitives/time.ts';
import type { Log } from '../../../src/shared/primitives/log.ts';
import type { Notice, Rooms } from '../../../src/bridge/conversation/platform.ts';
import type { ThreadAddress } from '../../../src/bridge/conversation/address.ts';
import type { SessionPlace } from '../../../src/bridge/conversation/sessions.ts';
import type { ThreadControl } from '../../../src/bridge/commands/thread-control.ts';
import { createChanges } from '../../../src/sandbox/changes.ts';
import type { ServiceOptions } from '../../../src/service/service.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { annasKey, startTestService, type TestService } from '../../service/fixture.ts';
import { openTenancy } from '../../fixtures/open-tenancy.ts';
import { commandNames } from '../../fixtures/command-names.ts';
import { toPress } from '../../fixtures/press.ts';
import { openScheduler } from '../../fixtures/open-scheduler.ts';

/** The commands before a chatbot on the built-in service, as someone in a channel uses them. */
export interface OpenCommands extends AsyncDisposable {
  runner: CommandRunner;
  /** The commands that have a row now. */
  underWay(): Promise<InboxRow[]>;
  client: ChatbotClient;
  /** The chatbot that answers if none was chosen. */
  chatbot: string;
  /** `METHOD /path` of every request that the service answered. */
  requests: string[];
  /** What was written to the audit log. */
  audit: Record<string, unknown>[];
  /** What was put to the chatbot for everyone to see. */
  asked: string[];
  /** Sessions by the ids of their threads, which are in #general. */
  sessions: Map<string, string>;
  /** The places of sessions that are elsewhere, or that their threads no longer continue. */
  places: Map<string, SessionPlace>;
  /** Who asked for a person, by the threads that are with people. */
  handedOver: Map<string, string>;
  /** The questions that were asked again because their answer was taught. */
  anew: string[];
  bindings: Bindings;
  settings: Settings;
  gaps: Gaps;
  inbox: Inbox;
  /** The same settings as a process has them that begins now. */
  elsewhere(): Settings;
  /** What was told outside of threads. */
  notices: Notice[];
  /** The lines of all that was told, once there are so many. */
  toldLines(count: number): Promise<string[]>;
  /** Uses a command as typed here, such as `source list`, and gives all that it showed. */
  use(
    words: string,
    values?: Invocation['values'],
    change?: Partial<CommandContext>,
  ): Promise<Result[]>;
  /** As `use`, the last text alone. */
  last(
    words: string,
    values?: Invocation['values'],
    change?: Partial<CommandContext>,
  ): Promise<string>;
  /** Presses the button with this label below a result. */
  press(
    result: Result | undefined,
    label: string,
    change?: Partial<CommandContext>,
  ): Promise<Result[]>;
  context(change?: Partial<CommandContext>): CommandContext;
}

export const thread: ThreadAddress = {
  platform: 'fake',
  workspace: 'W',
  channel: 'C',
  thread: 'T',
};

export async function openCommands(
  options: {
    names?: Partial<CommandNames>;
    /** Its own, in memory, by default. */
    storeUrl?: string;
    managers?: string[];
    now?: () => number;
    maxFileBytes?: number;
    /** Answers in place of the service, where it answers at all. */
    answer?: (request: Request) => Response | undefined;
    /** Called in place of each wait, with its milliseconds. */
    beforeSleep?: (ms: number) => void;
    /** Where running commands are stored, given the store's own inbox. */
    inboxOf?: (inbox: Inbox) => Inbox;
    /** In place of the wait for a store that takes long. */
    storing?: Sleep;
    /** Aborted when the process begins to stop. */
    closing?: AbortSignal;
    service?: Partial<ServiceOptions>;
    /** The home's workspaces; `W` and `W2` by default. */
    workspaces?: string[];
    /** Called with each notice; throws to refuse it. */
    beforeNotice?: (notice: Notice) => void;
  } = {},
): Promise<OpenCommands> {
  await using parts = new AsyncDisposableStack();
  const service = parts.use(
    await startTestService({ allowPrivateAddresses: true, ...options.service }),
  );
  const requests: string[] = [];
  const baseUrl = await serve(service, { requests, answer: options.answer }, parts);
  const client = parts.use(createChatbotClient({ baseUrl, apiKey: annasKey }));
  const chatbot = await service.createChatbot({ name: 'Guide' });
  const store = parts.use(await openStore(options.storeUrl ?? 'memory:'));
  const audit: Record<string, unknown>[] = [];
  const sessions = new Map<string, string>();
  const places = new Map<string, SessionPlace>();
  const handedOver = new Map<string, string>();
  const anew: string[] = [];
  const asked: string[] = [];
  const { now = Date.now, beforeNotice } = options;
  const log = createAuditLog(audit);
  const openSettings = () =>
    createSettings({
      workspaces: store.keyv<WorkspaceSettings>('workspace-settings'),
      channels: store.keyv<Partial<ChannelSettings>>('channel-settings'),
      now,
    });
  const settings = openSettings();
  const tenancy = openTenancy(store, { workspaces: options.workspaces ?? ['W', 'W2'], log });
  const managers = createManagers({ named: options.managers ?? [], settings, tenancy, log });
  const notices: Notice[] = [];
  const noticed = createChanges<Notice>();
  const linesTold = () => notices.flatMap(({ markdown }) => markdown.split('\n'));
  const registry = createRegistry({ store: store.keyv<RegistryRecord>('registry'), log, now });
  const { closing = new AbortController().signal, storing: sleep } = options;
  const inbox = options.inboxOf?.(store.inbox) ?? store.inbox;
  const rows = openScheduler({ inbox, closing, log });
  const journal = createCommandJournal({ inbox, rows, closing, log, sleep });
  const bindings = createBindings({
    store: store.keyv<BindingRecord>('binding'),
    fallback: chatbot,
    tenancy,
  });
  const gaps = createGaps({
    store: store.keyv<GapRecord>('gap-in'),
    former: store.keyv<GapRecord>('gap'),
    inbox: store.inbox,
    now,
  });
  const runner = createCommandRunner({
    commands,
    names: commandNames(options.names),
    tools: {
      client: createRegisteredClient({ client, registry, now }),
      registry,
      fileLimits: createFileLimits({ maxBytes: options.maxFileBytes ?? 25 * 1024 * 1024, now }),
      bindings,
      gaps,
      threads: createThreads(sessions, places, handedOver, anew),
      settings,
      managers,
      access: createAccess({ tenancy, settings, managers, findRooms: () => rooms, now }),
      admission: { check: async () => undefined, explain: () => '' },
      forgetting: {
        count: async () => 0,
        forget() {
          throw new Error('There is nothing to forget.');
        },
      },
      tenancy,
      async notify(_, notice) {
        beforeNotice?.(notice);
        notices.push(notice);
        noticed.announce(notice);
      },
      sleep: async (ms, signal) => {
        if (options.beforeSleep) {
          options.beforeSleep(ms);
          await immediate();
          return signal?.throwIfAborted();
        }
        // However long a busy machine takes over a source, it has ended when it is asked about.
        await service.service.settled();
        await immediate(undefined, { signal });
      },
      now,
      monotonicMs: now,
    },
    journal,
    results: store.keyv<KeptResult>('result-buttons'),
    forms: store.keyv<object>('form'),
    log,
  });

  const context = (change: Partial<CommandContext> = {}): CommandContext => ({
    requester: { id: 'U1', name: 'Ada', isManager: true },
    platform: 'fake',
    workspace: 'W',
    channel: 'C',
    locale: 'en-US',
    names: fakeNames,
    channelAccess: async () => 'everything',
    async ask(question) {
      asked.push(question);
      return 'thread';
    },
    signal: new AbortController().signal,
    ...change,
  });

  async function use(
    words: string,
    values: Invocation['values'] = {},
    change: Partial<CommandContext> = {},
  ): Promise<Result[]> {
    const [command = '', action] = words.split(' ');
    return Array.fromAsync(
      runner.run({
        command,
        ...(action !== undefined && { action }),
        values,
        context: context(change),
      }),
    );
  }

  const running = parts.move();
  return {
    runner,
    async underWay() {
      const { rows: due } = await store.inbox.claimDue(Infinity);
      return due.filter(({ kind }) => kind === 'command');
    },
    client,
    chatbot,
    requests,
    audit,
    asked,
    sessions,
    places,
    handedOver,
    anew,
    bindings,
    settings,
    gaps,
    inbox: store.inbox,
    elsewhere: openSettings,
    notices,
    async toldLines(count) {
      const isTold = () => linesTold().length >= count;
      if (!isTold()) await noticed.waitFor(isTold);
      return linesTold();
    },
    context,
    use,
    last: async (...given) => (await use(...given)).at(-1)?.markdown ?? '',
    async press(result, label, change) {
      const button = result?.buttons?.find((each) => each.label.startsWith(label));
      if (!button) throw new Error(`no button ${label} below: ${result?.markdown}`);
      const { results } = await runner.press(toPress(button.id, context(change), button.label));
      return Array.fromAsync(results);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const named = new Map([
  ['C', '#general'],
  ['C2', '#audit'],
  ['U1', 'Ada'],
  ['U2', 'Bert'],
  ['U3', 'Cleo'],
  ...Array.from({ length: 9 }, (_, index) => [`U9${index}`, `Number ${index}`] as const),
  ['S1', '@support'],
  ['S2', '@editors'],
]);

const fakeNames: Names = {
  nameOf: async (kind, id) => (id.startsWith(marks[kind]) ? named.get(id) : undefined),
  groups: async () =>
    [...named].filter(([id]) => id.startsWith('S')).map(([id, name]) => ({ id, name })),
};

const marks = { channel: 'C', person: 'U', group: 'S' };

async function serve(
  { service }: TestService,
  hosting: {
    requests: string[];
    answer: ((request: Request) => Response | undefined) | undefined;
  },
  parts: AsyncDisposableStack,
): Promise<string> {
  const { requests, answer } = hosting;
  const listener = getRequestListener((request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    return answer?.(request) ?? service.fetch(request);
  });
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Channels are public, but for direct messages, whose ids begin with D, and private ones, with P. */
const rooms: Rooms = {
  of: async ({ channel }) => ({
    id: channel,
    isPublic: channel.startsWith('C'),
    ...(channel.startsWith('D') && { isDirect: true }),
  }),
  has: async () => false,
  // Ada is still there.
  standing: async (_, person) => (person === 'U1' ? { isManager: true } : undefined),
  sharedWith: async (_, workspaces) => workspaces.map((id) => ({ id, name: `Server ${id}` })),
};

/** Threads by their id, each with the session that it continues. */
function createThreads(
  sessions: Map<string, string>,
  places: Map<string, SessionPlace>,
  handedOver: Map<string, string>,
  anew: string[],
): ThreadControl {
  return {
    sessionIn: async (address) => sessions.get(address.thread),
    placesOfSessions: async () =>
      new Map([
        ...places,
        ...[...sessions].map(([id, session]): [string, SessionPlace] => [
          session,
          { address: { ...thread, thread: id }, isCurrent: true },
        ]),
      ]),
    linkTo: async (address) => `https://chat.example/${address.thread}`,
    async continueWith(address, { session }) {
      const before = sessions.get(address.thread);
      if (before) places.set(before, { address, isCurrent: false });
      sessions.set(address.thread, session);
    },
    async forget(session) {
      places.delete(session);
      for (const [id, uuid] of sessions) if (uuid === session) sessions.delete(id);
    },
    chatbotIn: async () => undefined,
    stop: async () => 'Nothing to stop.',
    retry: async () => undefined,
    handedOverBy: async (address) => handedOver.get(address.thread),
    async resume(address, { isManager, locale }) {
      if (!isManager) return 'Only a manager can.';
      return handedOver.delete(address.thread)
        ? undefined
        : textsFor(locale).handOver.notHandedOver;
    },
    handOverChanged() {},
    async answerAnew({ id }) {
      anew.push(id);
      return undefined;
    },
    async *answerAlone({ query }) {
      yield { markdown: 'Let', isWhole: false };
      yield { markdown: `Let me see: ${query}`, isWhole: true, isAnswered: true };
    },
  };
}

function createAuditLog(audit: Record<string, unknown>[]): Log {
  const nothing = () => undefined;
  return {
    debug: nothing,
    warn: nothing,
    error: nothing,
    info(fields) {
      if ('audit' in fields) audit.push({ ...fields });
    },
  };
}
