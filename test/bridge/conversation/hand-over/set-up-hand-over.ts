import { afterEach, beforeEach, vi } from 'vitest';
import {
  type ConversationOptions,
  createConversation,
} from '../../../../src/bridge/conversation/conversation.ts';
import type { HandOverTools } from '../../../../src/bridge/conversation/hand-over/hand-over.ts';
import { createPacer } from '../../../../src/bridge/conversation/reply/pacer.ts';
import type { InboxKind } from '../../../../src/bridge/conversation/inbox/row.ts';
import type { Author, Edit, Notice } from '../../../../src/bridge/conversation/platform.ts';
import type { HandOverSettings } from '../../../../src/bridge/conversation/chatbot.ts';
import type { ThreadAddress } from '../../../../src/bridge/conversation/address.ts';
import {
  createSessions,
  type SessionRecord,
} from '../../../../src/bridge/conversation/sessions.ts';
import type { TalkRecord } from '../../../../src/bridge/conversation/talk.ts';
import { openStore, type Store } from '../../../../src/bridge/stores/open-store.ts';
import { openAccess } from '../../../fixtures/open-tenancy.ts';
import { createFakeChatbot } from '../../../fixtures/fake-chatbot.ts';
import {
  createFakeMessage,
  fakePlatform,
  createFakeThread,
} from '../../../fixtures/fake-thread.ts';
import { createFakeBindings } from '../../../fixtures/fake-bindings.ts';
import {
  handOverId,
  type HandOverRecord,
} from '../../../../src/bridge/conversation/hand-over/records.ts';

export const ada: Author = { id: 'U1', name: 'Ada', isManager: false };
export const grace: Author = { id: 'U2', name: 'Grace', isManager: false };
export const linus: Author = { id: 'U3', name: 'Linus', isManager: false };
const place = { platform: 'fake', workspace: 'W', channel: 'C' };
export const settings: HandOverSettings = {
  monitored: ['talk to a human'],
  says: { requested: 'Somebody will come.', started: 'Here we are.', ended: 'The bot is back.' },
  notifies: true,
};
export const untold = 'couldn’t tell anyone';
export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** For each test a store and a clock of its own. */
export function setUpHandOver() {
  let store: Store;
  const clock = { ms: 0 };
  beforeEach(async () => {
    store = await openStore('memory:');
    clock.ms = Date.parse('2026-09-12T10:00:00Z');
  });
  afterEach(async () => {
    vi.useRealTimers();
    await store[Symbol.asyncDispose]();
  });

  /** A conversation on the store; another one on it is the process started again. */
  function create(
    change: Partial<HandOverTools> = {},
    thread = createFakeThread(),
    more: Partial<ConversationOptions> = {},
  ) {
    const chatbot = createFakeChatbot();
    chatbot.handsOver = settings;
    const lines: { level: string; message: string }[] = [];
    const write = (level: string) => (_: object, message: string) => {
      lines.push({ level, message });
    };
    const log = {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    };
    const bindings = createFakeBindings();
    const sessions = createSessions({
      store: store.keyv<SessionRecord>('session'),
      former: store.keyv<ThreadAddress>('former-session'),
      chatbot,
      bindings,
    });
    const { inbox } = store;
    const notices: (Notice & { platform: string })[] = [];
    const tools = {
      ...openAccess(store),
      chatbot,
      sessions,
      inbox,
      pacer: createPacer(),
      openThread: () => thread,
      findPlatform: () => fakePlatform,
      said: { store: store.keyv<TalkRecord>('talk'), saidIn: store.keyv<string>('said-in') },
      apart: store.keyv<number>('private-session'),
      log,
    };
    const conversation = createConversation({
      ...tools,
      ...more,
      handOver: {
        store: store.keyv<HandOverRecord>('handover'),
        toldAt: store.keyv<number>('hand-over-told'),
        settingsChanges: store.keyv<number>('hand-over-settings'),
        bindings,
        contacts: { contactsFor: async () => ({ channel: 'help', people: ['U8', 'U9'] }) },
        notify: async (platform, notice) => void notices.push({ platform, ...notice }),
        typed: (_, words) => `/${words}`,
        now: () => clock.ms,
        monotonicMs: () => clock.ms,
        ...change,
      },
    });
    const done = async (kind: InboxKind) => {
      const isOpen = async () =>
        (await inbox.claimDue(Infinity)).rows.some((row) => row.kind === kind);
      while (await isOpen()) await new Promise(setImmediate);
    };
    let said = 0;
    return {
      ...tools,
      conversation,
      thread,
      notices,
      lines,
      /** Resolves once all that comes of it is done. */
      async say(author: Author, text: string, addressed: 'mention' | 'overheard' = 'overheard') {
        said += 1;
        const id = `${clock.ms}-${said}-${text}`;
        const message = createFakeMessage(thread, text, { id, author, addressed });
        await conversation.message(message);
        await conversation.handOver?.idle();
        return message;
      },
      async press(
        action: 'person' | 'resume' | 'retry',
        by: Author,
        turn = handOverId(thread.address),
      ) {
        const { answer } = await conversation.pressed({ action, turn, by, place: thread.address });
        const problem = await answer;
        await conversation.handOver?.idle();
        return problem;
      },
      /** Resolves once all that comes of it is done. */
      async edit(edit: Edit) {
        await conversation.edited(edit);
        await done('edit');
      },
      async remove({ id }: { id: string }) {
        await conversation.removed({ ...place, id });
        await done('removal');
      },
    };
  }

  return { create, clock, store: () => store };
}
