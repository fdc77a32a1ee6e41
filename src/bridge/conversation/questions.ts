import type { ThreadAddress, Workspace } from './address.ts';
import type { TurnRecord } from './inbox/row.ts';
import type { Author } from './platform.ts';

/** What a number of questions within a day is limited by. */
export const limitScopes = ['person', 'channel', 'workspace'] as const;
export type LimitScope = (typeof limitScopes)[number];

/** How many questions may be asked within 24 hours: by each person, in each channel, in the workspace. */
export type QuestionLimits = Partial<Record<LimitScope, number>>;

/** Why a question is not asked now: a limit is used up for a while, or bots have asked too often in a row. */
export type Spent = { scope: LimitScope; untilMs: number } | { scope: 'bots' };

/** Who asks where. */
export interface Asking {
  address: ThreadAddress;
  /** The workspace whose limits count. */
  tenant: Workspace;
  author: Pick<Author, 'id' | 'bot'>;
}

/** A person, and where their id is theirs. */
export interface Person {
  id: string;
  platform: string;
  workspace?: string;
}

/** A question that was asked, or asked again, and where its answer is. */
export interface KeptQuestion {
  /** That of its turn. */
  id: string;
  attempt: number;
  address: ThreadAddress;
  askedMs: number;
  session?: string;
  /** The service's id of its message. */
  message?: string;
  /** The ids of the bot's messages. */
  posts: string[];
}

/** What a turn says of where its answer is. */
export function toKept(turn: TurnRecord): KeptQuestion {
  const { id, attempt, address, askedAt, createdAt, session, answer, posted, editNote } = turn;
  const own = [turn.isOurs ? turn.messageId : [], posted, editNote ?? []].flat(2);
  const kept = { id, attempt, address, askedMs: askedAt ?? createdAt, posts: own };
  return { ...kept, ...(session && { session }), ...(answer && { message: answer }) };
}

/**
 * Which questions were asked by whom, without their words: counted for a day, and kept as long as the
 * service keeps them, so that they can be deleted there. Every method rejects when the store is down.
 */
export interface Questions {
  /**
   * Counts a question, once however often it is asked, in one step with the check. Resolves with what
   * keeps it from being asked.
   */
  count(id: string, asking: Asking, limits: QuestionLimits): Promise<Spent | undefined>;
  /** What would keep a question from being asked now. */
  spent(asking: Asking, limits: QuestionLimits): Promise<Spent | undefined>;
  /** Keeps where the answer to a question is. */
  keep(turn: TurnRecord): Promise<void>;
  /** What is kept of everybody with an id, in the order in which it was asked. */
  of(person: string): Promise<KeptQuestion[]>;
  /** Forgets where the answer is. That it was asked counts for the rest of its day. */
  forget(question: KeptQuestion): Promise<void>;
}
