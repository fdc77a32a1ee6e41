import type { Texts } from '../texts/texts.ts';
import { channelKey, type ThreadAddress, type Workspace, workspaceKey } from './address.ts';
import type { TurnRecord } from './inbox/row.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { Author } from './platform.ts';
import type { LimitScope, QuestionLimits, Settings } from './settings.ts';
import type { Tenancy } from './tenancy.ts';
import type { Thread } from './thread.ts';

/** Why a question is not asked now: a limit is used up for a while, or bots have asked too often in a row. */
export type Spent = { scope: LimitScope; untilMs: number } | { scope: 'bots' };

/** Who asks where. */
interface Asker {
  address: ThreadAddress;
  author: Pick<Author, 'id' | 'bot'>;
}

/** Who asks where, and the workspace whose limits count. */
export interface Asking extends Asker {
  tenant: Workspace;
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

/** How a person reads times. */
type Reader = Pick<Author, 'locale' | 'timeZone'> & Pick<Thread, 'renderMoment'>;

/** Whether a question is asked, by how many there were. All but `explain` rejects when the store is down. */
export interface Admission {
  /** Counts a question, once however often it is asked. Resolves with what keeps it from being asked. */
  count(id: string, asker: Asker): Promise<Spent | undefined>;
  /** What would keep a question from being asked now. */
  check(asker: Asker): Promise<Spent | undefined>;
  /** Whether to tell the asker, who is told once until it is over. Bots are told nothing. */
  isNews(spent: Spent, asker: Asker): Promise<boolean>;
  /** Says what is used up, and when asking works again. */
  explain(spent: Spent, reader: Reader, texts: Texts): string;
}

export function createAdmission(options: {
  questions: Pick<Questions, 'count' | 'spent'>;
  settings: Pick<Settings, 'of'>;
  tenancy: Pick<Tenancy, 'tenantOf'>;
  /** Who was told of what. */
  told: KeyedStore<true>;
  renderTime(timestamp: string, reader: Reader): string;
}): Admission {
  const { questions, settings, tenancy, told, renderTime } = options;

  async function find({ address, author }: Asker) {
    const tenant = (await tenancy.tenantOf(address)) ?? address;
    const { limits = {} } = await settings.of(tenant);
    return [{ address, author, tenant }, limits] as const;
  }

  return {
    count: async (id, asker) => questions.count(id, ...(await find(asker))),
    check: async (asker) => questions.spent(...(await find(asker))),
    async isNews(spent, { address, author }) {
      if (spent.scope === 'bots' || author.bot) return false;
      const where = spent.scope === 'channel' ? channelKey(address) : workspaceKey(address);
      const key = `${where}:${author.id}:${spent.scope}`;
      const leftMs = Math.max(1, spent.untilMs - Date.now());
      const { before } = await told.update(key, () => true, leftMs);
      return before === undefined;
    },
    explain(spent, reader, { access }) {
      if (spent.scope === 'bots') return '';
      // Times are shown to the minute.
      const again = new Date(Math.ceil(spent.untilMs / 60_000) * 60_000);
      return access.spent[spent.scope](renderTime(again.toISOString(), reader));
    },
  };
}

/** A question was not asked; the message says to its asker why. */
export class NotAskedError extends Error {
  override readonly name = 'NotAskedError';
}
