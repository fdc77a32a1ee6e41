import { textsFor } from '../texts/texts.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Author } from '../conversation/platform.ts';
import type { Thread } from '../conversation/thread.ts';
import type { ThreadAddress } from '../conversation/address.ts';
import type { SessionPlace, SessionRecord, Sessions } from '../conversation/sessions.ts';
import { handOverId } from '../conversation/hand-over/records.ts';

/** What commands can find out about threads with sessions, and do with them. */
export interface ThreadControl {
  /** The session that a thread continues. */
  sessionIn(thread: ThreadAddress): Promise<string | undefined>;
  /** The chatbot of that session. */
  chatbotIn(thread: ThreadAddress): Promise<string | undefined>;
  /** Where each session is, or was, by its uuid. */
  placesOfSessions(): Promise<ReadonlyMap<string, SessionPlace>>;
  /**
   * The URL of a thread; undefined if there is none, or if the platform does not tell it.
   * @param unopened the message on which the thread would be opened
   */
  linkTo(thread: ThreadAddress, unopened?: string): Promise<string | undefined>;
  /** Makes a thread continue another session from now on. */
  continueWith(
    thread: ThreadAddress,
    session: Pick<SessionRecord, 'session' | 'chatbot' | 'takesKeys'>,
  ): Promise<void>;
  /** Forgets a session that was deleted; the next message in its thread starts a new one. */
  forget(session: string, place: SessionPlace | undefined): Promise<void>;
  /**
   * Stops the reply that is streaming in a thread. Resolves with a sentence that says why not if it
   * can't.
   */
  stop(thread: ThreadAddress, by: Author): Promise<string | undefined>;
  /**
   * Asks the thread's last question again. Resolves with a sentence that says why not if it can't.
   */
  retry(thread: ThreadAddress, by: Author): Promise<string | undefined>;
  /**
   * Asks a question again because a manager has taught its answer; its asker is told. Resolves with a
   * sentence that says why not if it can't.
   * @param taught tells what was taught from other answers: it is asked once for each
   */
  answerAnew(
    turn: { id: string; address: ThreadAddress },
    by: Author,
    taught: string,
  ): Promise<string | undefined>;
  /** Answers a question for one person, of which nothing is kept. */
  answerAlone: Conversation['answerAlone'];
  /** The name of the person who asked for a hand-over, while people have the thread. */
  handedOverBy(thread: ThreadAddress): Promise<string | undefined>;
  /**
   * Ends a thread's hand-over, so that the bot answers again. Resolves with a sentence that says
   * why not if it can't.
   */
  resume(thread: ThreadAddress, by: Author): Promise<string | undefined>;
  /** Says that a chatbot’s settings for hand-overs have changed: the next message goes by them. */
  handOverChanged(): void;
}

export function createThreadControl(
  sessions: Sessions,
  conversation: Pick<
    Conversation,
    'stopIn' | 'isAnsweringIn' | 'pressed' | 'handOver' | 'forgetSaid' | 'answerAlone'
  >,
  openThread: (thread: ThreadAddress) => Pick<Thread, 'link'> | undefined,
): ThreadControl {
  return {
    sessionIn: async (thread) => (await sessions.find(thread))?.session,
    chatbotIn: async (thread) => (await sessions.find(thread))?.chatbot,
    placesOfSessions: () => sessions.places(),
    async linkTo(thread, unopened) {
      try {
        return await openThread(thread)?.link?.(unopened);
      } catch {
        return undefined;
      }
    },
    async continueWith(thread, session) {
      await sessions.replace(thread, session);
      await conversation.forgetSaid(thread);
    },
    async forget(session, place) {
      await sessions.forget(session, place);
      if (place?.isCurrent) await conversation.forgetSaid(place.address);
    },
    stop: (thread, by) => conversation.stopIn(thread, by),
    async retry(thread, by) {
      const { stillAnswering, nothingAsked } = textsFor(by.locale).thread;
      // The session does not know the question yet.
      if (conversation.isAnsweringIn(thread)) return stillAnswering;
      const turn = (await sessions.find(thread))?.lastTurn;
      if (turn === undefined) return nothingAsked;
      const press = { action: 'retry', turn, by, place: thread } as const;
      return (await conversation.pressed(press)).answer;
    },
    async answerAnew({ id: turn, address: place }, by, taught) {
      const id = `${turn} ${taught}`;
      return (await conversation.pressed({ id, action: 'teach', turn, by, place })).answer;
    },
    answerAlone: (asked, signal) => conversation.answerAlone(asked, signal),
    async handedOverBy(thread) {
      return (await conversation.handOver.active(thread))?.askedBy.name;
    },
    resume: (thread, by) => conversation.handOver.resume(handOverId(thread), by),
    handOverChanged: () => conversation.handOver.settingsChanged(),
  };
}
