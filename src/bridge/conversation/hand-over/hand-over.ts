import { inSteps, monotonicMs as processMs } from '../../../shared/primitives/time.ts';
import { createQueue } from '../../../shared/primitives/queue.ts';
import { textsFor } from '../../texts/texts.ts';
import { personButtons, resumeButtons } from '../buttons.ts';
import type { TypedCommand } from '../help.ts';
import { createSplitter } from '../markdown/split-markdown.ts';
import type { Access } from '../access.ts';
import type { Author, IncomingMessage, Notice } from '../platform.ts';
import type { Bindings } from '../bindings.ts';
import { type Button, type MessageContent, type Thread, retryWrite } from '../thread.ts';
import type { Chatbot, HandOverSettings } from '../chatbot.ts';
import type { KeyedStore } from '../keyed-store.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { ThreadAddress } from '../address.ts';
import type { Sessions } from '../sessions.ts';
import { toPerson, turnId, type TurnRecord } from '../inbox/row.ts';
import type { Talk } from '../talk.ts';
import type { TurnQueue } from '../turns/turn-queue.ts';
import { createNotifyContacts, type PersonRequest } from './notify-contacts.ts';
import {
  type Announcement,
  changeRecord,
  handOverId,
  type HandOverRecord,
  isInNeed,
  isWithPeople,
  keptMs,
  whyNotEnd,
} from './records.ts';
import {
  asksForPerson,
  type Contacts,
  createKnownSettings,
  isAnybodyNotified,
  whyNotHere,
} from './settings.ts';

/** Hands threads over to people, and back to the bot. */
export interface HandOver {
  /** The last hand-over of a thread, kept until the next question after it is answered. */
  find(thread: ThreadAddress): Promise<HandOverRecord | undefined>;
  /** The hand-over of a thread that people have. */
  active(thread: ThreadAddress): Promise<HandOverRecord | undefined>;
  /** The thread of a hand-over, by its id. */
  located(id: string): Promise<Pick<HandOverRecord, 'address'> | undefined>;
  /**
   * Handles a message that the bot does not answer: said among people, or asking for one. False for
   * any other.
   */
  handle(message: IncomingMessage): Promise<boolean>;
  /** Hands a thread over. Resolves with a sentence that says why not if it can't. */
  request(request: PersonRequest): Promise<string | undefined>;
  /**
   * Tells the contacts of the hand-over that a question found no answer. The bot keeps answering in its
   * thread. Nothing waits for it.
   */
  call(turn: TurnRecord, thread: Thread): void;
  /** Ends a hand-over, by its id. Resolves with a sentence that says why not if it can't. */
  resume(id: string, by: Author): Promise<string | undefined>;
  /** The button below a turn's reply that asks for a person, if the chatbot offers that. */
  buttonsFor(turn: TurnRecord): Promise<Button[]>;
  /** The settings of chatbots have changed, so they are read again. */
  settingsChanged(): void;
  /** Deletes a thread's hand-over, unless people have the thread again. */
  forget(thread: ThreadAddress): Promise<void>;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
}

/** What hand-overs need in addition to the conversation's options. */
export interface HandOverTools {
  store: KeyedStore<HandOverRecord>;
  /** When people were last notified, by thread. */
  toldAt: KeyedStore<number>;
  /** Written when chatbots' settings change, so that every process reads them again. */
  settingsChanges: KeyedStore<number>;
  bindings: Pick<Bindings, 'chatbotFor'>;
  /** Milliseconds since the epoch, for what is stored. */
  now?: () => number;
  /** Milliseconds that pass however the clock is set, for waits. */
  monotonicMs?: () => number;
}

interface HandOverOptions extends HandOverTools {
  chatbot: Pick<Chatbot, 'handOver'>;
  typed: TypedCommand;
  access: Pick<Access, 'roomOf'>;
  settings: Contacts;
  /**
   * Posts a notice outside any thread.
   * @throws {PlatformError}
   */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  sessions: Pick<Sessions, 'find'>;
  talk: Pick<Talk, 'follow' | 'note'>;
  openThread(address: ThreadAddress): Thread | undefined;
  queue: Pick<TurnQueue, 'abortIn'>;
  /** Aborted at shutdown: ends waits for a busy platform. */
  signal: AbortSignal;
  log: Log;
}

/** The value has no meaning: only the write matters. */
const toldOfChangesMs = 60_000;

/** Min interval between hints that the bot keeps quiet during a hand-over. */
const hintEveryMs = 10 * 60 * 1000;

export function createHandOver(options: HandOverOptions): HandOver {
  const {
    store,
    settings: contacts,
    signal,
    log,
    now = Date.now,
    monotonicMs = processMs,
  } = options;
  const known = createKnownSettings({ ...options, now: monotonicMs });
  options.settingsChanges.onChange?.(() => known.forget());
  /** What is done with a hand-over, by its id, one after another. */
  const order = createQueue();
  const notifyContacts = createNotifyContacts({ ...options, contacts, now });
  const notifying = createQueue();

  /** The settings of the session's chatbot, or else of the one that would answer in the thread. */
  async function settingsIn(thread: ThreadAddress): Promise<HandOverSettings | undefined> {
    const session = await options.sessions.find(thread);
    return known.of(session?.chatbot ?? (await options.bindings.chatbotFor(thread)));
  }

  async function take(message: IncomingMessage): Promise<boolean> {
    const { thread, author: by, text: query } = message;
    const { address } = thread;
    const askedIn = turnId(address, message.id);
    const record = await store.get(handOverId(address));
    if (record && isWithPeople(record, now())) {
      // A crash may have come before the announcement.
      const isUntold = record.askedIn === askedIn && !record.announcement;
      const settings = isUntold ? await settingsIn(address) : undefined;
      if (settings) await announce({ thread, by, query }, settings, record);
      else await note(record, message);
      return true;
    }
    if (record && !record.ended) {
      await changeRecord(store, handOverId(address), { ended: true });
      await say(thread, textsFor(by.locale).handOver.lapsed);
    }
    const settings = by.bot ? undefined : await settingsIn(address);
    if (!settings || !asksForPerson(query, settings.monitored)) return false;
    const refusal = await whyNotHere(address, settings, contacts, textsFor(by.locale));
    if (refusal) await say(thread, refusal);
    else await begin({ thread, by, query, askedIn }, settings);
    return true;
  }

  async function begin(request: PersonRequest, settings: HandOverSettings): Promise<void> {
    const { thread, by, onBehalfOf, askedIn } = request;
    const { address } = thread;
    const askedBy = toPerson(by);
    const record = { address, askedBy, askedAt: now(), onBehalfOf, askedIn };
    await store.update(handOverId(address), () => record, keptMs);
    await options.talk.follow(address);
    log.info({ thread: address, by: by.id }, 'a thread was handed over to people');
    // Running turns of the thread are for people now.
    options.queue.abortIn(address, { kind: 'person', name: askedBy.name });
    await announce(request, settings, record);
  }

  /**
   * Says in the thread that people were asked for, and notifies them. If nobody can be told, nobody
   * is promised.
   */
  async function announce(
    request: PersonRequest,
    settings: HandOverSettings,
    record: HandOverRecord,
  ): Promise<void> {
    const { thread, by } = request;
    const id = handOverId(thread.address);
    const texts = textsFor(by.locale);
    const { requested, requestedUntold } = texts.handOver;
    const isTold = await isAnybodyNotified(thread.address, settings, { contacts, log });
    try {
      const text = isTold
        ? settings.says.requested || requested
        : requestedUntold(notifyCommand(thread.address));
      const buttons = resumeButtons(id, texts);
      const announcement = await say(thread, text, buttons, `${id}.${record.askedAt}`);
      await changeRecord(store, id, { announcement });
    } finally {
      if (isTold) beginNotifying(request, id);
    }
  }

  /** Notifying may be slow, and the thread does not wait for it. */
  function beginNotifying(request: PersonRequest, id: string): void {
    const { address } = request.thread;
    const why = 'a thread could not be told that nobody was notified';
    notifying
      .run(id, () => notify(request, id))
      .catch((error: unknown) => log.error({ err: error, thread: address }, why));
  }

  /** Tells the asker if nobody was notified, unless somebody has joined or the hand-over has ended. */
  async function notify(request: PersonRequest, id: string): Promise<void> {
    const told = await notifyContacts(request);
    if (told === 'now') return;
    await order.run(id, async () => {
      const record = await store.get(id);
      if (!record || !isWithPeople(record, now()) || record.takenBy) return;
      const { thread, by } = request;
      const { toldBefore, nobodyTold } = textsFor(by.locale).handOver;
      const why = told === 'before' ? toldBefore : nobodyTold(notifyCommand(thread.address));
      await say(thread, why);
    });
  }

  function notifyCommand({ platform }: ThreadAddress): string {
    return `\`${options.typed(platform, 'handover on')}\``;
  }

  /**
   * Posts a text, in several messages if it is long. A thread must not go silent without explanation,
   * so rate limits are waited for. The key is that of the last message (`Thread.post`).
   * @throws {PlatformError}
   */
  async function say(
    thread: Thread,
    markdown: string,
    buttons: readonly Button[] = [],
    key?: string,
  ): Promise<Announcement> {
    const pieces = await inSteps(createSplitter(thread.limits)(markdown));
    const last = pieces.pop() ?? markdown;
    const post = (content: MessageContent, keyOfIt?: string) =>
      retryWrite(() => thread.post(content, keyOfIt), { passing: ['rate_limited'], signal });
    for (const piece of pieces) await post({ markdown: piece });
    const { id } = await post({ markdown: last, buttons }, key);
    return { id, markdown: last };
  }

  /** Records what was said among people. */
  async function note(record: HandOverRecord, message: IncomingMessage): Promise<void> {
    const { thread, author, addressed } = message;
    const { handOver } = textsFor(record.askedBy.locale);
    // A bot neither takes over nor gets a hint: two bots could answer each other for ever.
    const takesOver = record.takenBy === undefined && !author.bot && !isInNeed(record, author);
    const hintedAt = record.hintedAt ?? -Infinity;
    const mayHint = addressed !== 'overheard' && !takesOver && !author.bot;
    const hints = mayHint && now() >= hintedAt + hintEveryMs;
    await options.talk.note(message);
    await changeRecord(store, handOverId(thread.address), {
      saidAt: now(),
      ...(takesOver && { takenBy: toPerson(author) }),
      ...(hints && { hintedAt: now() }),
    });
    if (takesOver) {
      const settings = await settingsIn(thread.address);
      await say(thread, settings?.says.started || handOver.started);
    }
    if (hints) await say(thread, textsFor(author.locale).handOver.hint);
  }

  async function end(id: string, by: Author): Promise<string | undefined> {
    const record = await store.get(id);
    if (!record || record.ended) return textsFor(by.locale).handOver.notHandedOver;
    const refusal = whyNotEnd(record, by);
    if (refusal) return refusal;
    await changeRecord(store, id, { ended: true });
    log.info({ thread: record.address, by: by.id }, 'people handed a thread back to the bot');
    const thread = options.openThread(record.address);
    if (!thread) return undefined;
    const settings = await settingsIn(record.address);
    await say(thread, settings?.says.ended || textsFor(record.askedBy.locale).handOver.ended);
    if (record.announcement) await takeButtonsAway(thread, record.announcement);
    return undefined;
  }

  /** Removes the button that ended a hand-over; if that fails, the button does no harm. */
  async function takeButtonsAway(thread: Thread, { id, markdown }: Announcement): Promise<void> {
    try {
      await thread.message(id).edit({ markdown });
    } catch (error) {
      log.debug({ err: error, thread: thread.address }, 'a button could not be removed');
    }
  }

  return {
    find: (thread) => store.get(handOverId(thread)),
    async active(thread) {
      const record = await store.get(handOverId(thread));
      return record && isWithPeople(record, now()) ? record : undefined;
    },
    located: (id) => store.get(id),
    handle: (message) => order.run(handOverId(message.thread.address), () => take(message)),
    async request(request) {
      const { address } = request.thread;
      return order.run(handOverId(address), async () => {
        const texts = textsFor(request.by.locale);
        const record = await store.get(handOverId(address));
        if (record && isWithPeople(record, now())) return texts.handOver.alreadyRequested;
        const settings = await settingsIn(address);
        if (!settings) return texts.handOver.notOffered;
        const refusal = await whyNotHere(address, settings, contacts, texts);
        if (refusal) return refusal;
        await begin(request, settings);
        return undefined;
      });
    },
    call({ author, query, address }, thread) {
      const by = { ...author, isManager: false };
      void notifying.run(handOverId(address), async () => {
        // Those who are notified may not be in the room.
        const isOpen = (await options.access.roomOf(address))?.isPublic;
        await notifyContacts({ thread, by, query: isOpen ? query : '', isUnanswered: true });
      });
    },
    resume: (id, by) => order.run(id, () => end(id, by)),
    async buttonsFor({ id, address: thread, author }) {
      const texts = textsFor(author.locale);
      try {
        const settings = await settingsIn(thread);
        const isOffered = settings && !(await whyNotHere(thread, settings, contacts, texts));
        return isOffered ? personButtons(id, texts) : [];
      } catch (error) {
        log.warn(
          { err: error, thread },
          'the button for a person was left out: the settings could not be read',
        );
        return [];
      }
    },
    settingsChanged() {
      known.forget();
      options.settingsChanges.set('all', now(), toldOfChangesMs).catch((error: unknown) => {
        log.warn({ err: error }, 'other processes see changed settings of agents a minute later');
      });
    },
    async forget(thread) {
      const id = handOverId(thread);
      // Most threads have none, and a read waits for nobody.
      if (!(await store.get(id))) return;
      const unlessActive = (record?: HandOverRecord) =>
        record && isWithPeople(record, now()) ? record : undefined;
      await store.update(id, unlessActive, keptMs);
    },
    async idle() {
      await order.idle();
      await notifying.idle();
    },
  };
}
