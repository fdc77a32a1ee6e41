import { afterEach, beforeEach, vi } from 'vitest';
import {
  type ConversationOptions,
  createConversation,
} from '../../../../src/bridge/conversation/conversation.ts';
import type { HandOverTools } from '../../../../src/bridge/conversation/hand-over/hand-over.ts';
import type { InboxKind } from '../../../../src/bridge/conversation/inbox/row.ts';
import type { Author, Edit, Notice } from '../../../../src/bridge/conversation/platform.ts';
import type { HandOverSettings } from '../../../../src/bridge/conversation/chatbot.ts';
import type { WorkspaceSettings } from '../../../../src/bridge/conversation/settings.ts';
import { openStore, type Store } from '../../../../src/bridge/stores/open-store.ts';
import { createConversationTools } from '../../../fixtures/conversation-tools.ts';
import { createMemoryLog } from '../../../fixtures/memory-log.ts';
import { fakeSettings } from '../../../fixtures/open-tenancy.ts';
import {
  createFakeMessage,
  fakePlatform,
  createFakeThread,
} from '../../../fixtures/fake-thread.ts';
import { handOverId } from '../../../../src/bridge/conversation/hand-over/records.ts';

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

/** Settings of which only these are notified. */
export function contactsAre(contacts: WorkspaceSettings['contacts']) {
  return fakeSettings({}, { contacts });
}

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
    change: Partial<HandOverTools & Pick<ConversationOptions, 'settings' | 'notify'>> = {},
    thread = createFakeThread(),
    more: Partial<ConversationOptions> = {},
  ) {
    const log = createMemoryLog();
    const { inbox } = store;
    const notices: (Notice & { platform: string })[] = [];
    const known = createConversationTools(store);
    known.chatbot.handsOver = settings;
    const tools = {
      ...known,
      openThread: () => thread,
      findPlatform: () => fakePlatform,
      settings: contactsAre({ channel: 'help', people: ['U8', 'U9'] }),
      notify: async (platform: string, notice: Notice) =>
        void notices.push({ platform, ...notice }),
      log,
    };
    const { settings: chosen = tools.settings, notify = tools.notify, ...changed } = change;
    const conversation = createConversation({
      ...tools,
      settings: chosen,
      notify,
      ...more,
      handOver: {
        ...tools.handOver,
        now: () => clock.ms,
        monotonicMs: () => clock.ms,
        ...changed,
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
      lines: log.lines,
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
