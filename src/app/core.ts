import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import {
  createConversationChatbot,
  type ServiceLimits,
} from '../bridge/chatbot/conversation-chatbot.ts';
import type { CommandTools } from '../bridge/commands/command.ts';
import { commands } from '../bridge/commands/commands.ts';
import { createFileLimits } from '../bridge/commands/files.ts';
import { createFormats } from '../bridge/commands/formats.ts';
import { createRegisteredClient } from '../bridge/commands/registry/registry-client.ts';
import { createRegistry, type RegistryRecord } from '../bridge/commands/registry/registry.ts';
import { createCommandJournal } from '../bridge/commands/runner/command-journal.ts';
import { createCommandRunner } from '../bridge/commands/runner/command-runner.ts';
import { createRecoverCommand } from '../bridge/commands/runner/recover-commands.ts';
import type { KeptResult } from '../bridge/commands/runner/result-buttons.ts';
import type { ThreadAddress, Workspace } from '../bridge/conversation/address.ts';
import {
  type BindingRecord,
  type Bindings,
  createBindings,
} from '../bridge/conversation/bindings.ts';
import {
  type ConversationOptions,
  createConversation,
} from '../bridge/conversation/conversation.ts';
import { createGaps, type GapRecord } from '../bridge/conversation/gaps.ts';
import type { HandOverRecord } from '../bridge/conversation/hand-over/records.ts';
import type { Platform } from '../bridge/conversation/platform.ts';
import { createAdmission } from '../bridge/conversation/questions.ts';
import { createPacer } from '../bridge/conversation/reply/pacer.ts';
import { createSessions, type SessionRecord } from '../bridge/conversation/sessions.ts';
import {
  type ChannelSettings,
  createManagers,
  createSettings,
  type WorkspaceSettings,
} from '../bridge/conversation/settings.ts';
import type { TalkRecord } from '../bridge/conversation/talk.ts';
import {
  createTenancy,
  type OwnershipRecord,
  type ShareCodeRecord,
} from '../bridge/conversation/tenancy.ts';
import type { Store } from '../bridge/stores/open-store.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../shared/primitives/log.ts';
import { monotonicMs, sleep } from '../shared/primitives/time.ts';

/**
 * Assembles the core: the conversation, and the tools that other parts use on threads. `platforms`
 * can be filled later: it is read whenever a thread is looked up.
 */
export function createCore(
  options: Pick<
    ConversationOptions,
    | 'settings'
    | 'managers'
    | 'access'
    | 'tenancy'
    | 'notify'
    | 'transcribe'
    | 'typed'
    | 'renderHelp'
  > &
    Pick<ConversationOptions, 'recoverCommand' | 'isTooLate' | 'maxTurns' | 'leases'> &
    Pick<ConversationOptions, 'maxReplyCharacters' | 'reports' | 'log'> & {
      client: ChatbotClient;
      serviceLimits: ServiceLimits;
      store: Store;
      bindings: Pick<Bindings, 'candidatesFor' | 'chatbotFor' | 'mayAnswer' | 'note'>;
      platforms: readonly (Pick<Platform, 'name' | 'thread' | 'read'> &
        Partial<Pick<Platform, 'rooms'>>)[];
    },
) {
  const { client, serviceLimits, store, bindings, platforms, ...others } = options;
  const { log } = others;
  const { inbox, questions } = store;
  const chatbot = createConversationChatbot(client, serviceLimits);
  const findPlatform = (name: string) => platforms.find((platform) => platform.name === name);
  const tools = {
    chatbot,
    inbox,
    sessions: createSessions({
      store: store.keyv<SessionRecord>('session'),
      former: store.keyv<ThreadAddress>('former-session'),
      chatbot,
      bindings,
    }),
    gaps: createGaps({
      store: store.keyv<GapRecord>('gap-in'),
      former: store.keyv<GapRecord>('gap'),
      inbox,
      now: Date.now,
    }),
    admission: createAdmission({
      ...others,
      questions,
      told: store.keyv<true>('limit-told'),
      renderTime: (timestamp, { locale = 'en', ...reader }) =>
        createFormats({ locale, ...reader }).time(timestamp),
    }),
    openThread: (address: ThreadAddress) => findPlatform(address.platform)?.thread(address),
  };
  const conversation = createConversation({
    ...others,
    ...tools,
    questions,
    findPlatform,
    pacer: createPacer({ log }),
    maxReplyMs: serviceLimits.maxReplyMs,
    said: { store: store.keyv<TalkRecord>('talk'), saidIn: store.keyv<string>('said-in') },
    apart: store.keyv<number>('private-session'),
    handOver: {
      bindings,
      store: store.keyv<HandOverRecord>('hand-over'),
      toldAt: store.keyv<number>('hand-over-told'),
      settingsChanges: store.keyv<number>('hand-over-settings'),
    },
  });
  return { tools, conversation };
}

/** The settings of workspaces and channels: who owns them, which chatbot answers, and how. */
export function openWorkspaces(options: {
  config: Config;
  store: Store;
  /** The uuid of the chatbot that answers unless another is chosen. */
  chatbot: { uuid: string };
  client: Pick<ChatbotClient, 'createChatbot'>;
  log: Log;
}) {
  const { config, store, chatbot, client, log } = options;
  /** Strangers who install the app must not share a chatbot. Discord has always asked for a code instead. */
  const createFor = async ({ platform }: Workspace) =>
    platform === 'slack' && config.slack?.install
      ? (await client.createChatbot({ name: 'Causeway' })).uuid
      : undefined;
  const tenancy = createTenancy({
    workspaces: config.workspaces,
    owners: store.keyv<OwnershipRecord>('ownership'),
    codes: store.keyv<ShareCodeRecord>('share-code'),
    held: store.keyv<readonly string[]>('held-chatbots'),
    homes: store.keyv<readonly string[]>('home'),
    chosen: store.keyv<string>('direct-server'),
    createFor,
    exclusively: store.exclusively,
    log,
  });
  const bindings = createBindings({
    store: store.keyv<BindingRecord>('binding'),
    get fallback() {
      return chatbot.uuid;
    },
    tenancy,
  });
  const settings = createSettings({
    workspaces: store.keyv<WorkspaceSettings>('workspace-settings'),
    channels: store.keyv<Partial<ChannelSettings>>('channel-settings'),
    now: monotonicMs,
  });
  const managers = createManagers({ named: config.managers, settings, tenancy, log });
  return { tenancy, bindings, settings, managers };
}

/**
 * Assembles the commands: their runner, and what becomes of those that an earlier run was cut off
 * from.
 */
export function createCommands(
  options: Pick<
    CommandTools,
    'threads' | 'tenancy' | 'bindings' | 'settings' | 'managers' | 'access' | 'notify'
  > & {
    config: Config;
    client: ChatbotClient;
    store: Store;
    core: ReturnType<typeof createCore>;
    log: Log;
    /** Aborted when the process begins to stop. */
    closing: AbortSignal;
  },
) {
  const { config, client, store, core, log, closing, ...given } = options;
  const registry = createRegistry({
    store: store.keyv<RegistryRecord>('registry'),
    log,
    now: Date.now,
  });
  const tools: CommandTools = {
    ...given,
    client: createRegisteredClient({ client, registry, now: Date.now }),
    registry,
    fileLimits: createFileLimits({ maxBytes: config.chatbot.maxUploadBytes, now: monotonicMs }),
    gaps: core.tools.gaps,
    admission: core.tools.admission,
    forgetting: core.conversation.forgetting,
    sleep,
    now: Date.now,
    monotonicMs,
  };
  const { rows, message: receive } = core.conversation;
  const { inbox, openThread } = core.tools;
  const journal = createCommandJournal({ inbox, rows, closing, log });
  const shared = { names: config.commandNames, tools, journal, log };
  return {
    runner: createCommandRunner({
      ...shared,
      commands,
      results: store.keyv<KeptResult>('result-buttons'),
      forms: store.keyv<object>('form'),
    }),
    recoverCommand: createRecoverCommand({ ...shared, openThread, receive, signal: closing }),
  };
}
