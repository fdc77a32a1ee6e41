import { retry } from '../../shared/primitives/retry.ts';
import { sleep } from '../../shared/primitives/time.ts';
import type { Chatbot } from './chatbot.ts';
import { isRefusal } from './errors.ts';
import type { Gaps } from './gaps.ts';
import { type Inbox, unfinished } from './inbox/inbox.ts';
import { asTurn, type TurnRecord, turnId } from './inbox/row.ts';
import type { Receiver } from './platform.ts';
import { type KeptQuestion, type Person, type Questions, toKept } from './questions.ts';
import type { Sessions } from './sessions.ts';
import type { Talk } from './talk.ts';
import { retryWrite, type Thread } from './thread.ts';
import type { ThreadAddress } from './address.ts';

/** Deletes what a person asked, and what came of it. */
export interface Forgetting {
  /** How many questions of a person are known. Rejects when the store is down. */
  count(person: Person): Promise<number>;
  /**
   * Stops and deletes them: at the service, the bot's messages, and what is stored. Yields how far it is.
   * May be repeated: what could not be deleted is tried again. Rejects when the store is down.
   */
  forget(person: Person & { name: string }, signal: AbortSignal): AsyncGenerator<Steps, Forgotten>;
}

/** How many of all questions are deleted. */
export interface Steps {
  done: number;
  all: number;
}

/** What was deleted, and what was not. */
export interface Forgotten {
  questions: number;
  answers: number;
  posts: number;
  left: {
    /** Answers that could not be stopped in time. */
    running: number;
    /** Answers that the service can't delete, and those that it is not known by which they are. */
    unsupported: number;
    unknown: number;
    /** Answers at a service that failed, and messages and titles that the platform refused to delete. */
    failed: number;
    posts: number;
    whyFailed?: unknown;
    whyPosts?: unknown;
  };
}

interface ForgettingOptions {
  chatbot: Pick<Chatbot, 'listReplies' | 'deleteReplies'>;
  inbox: Inbox;
  questions: Pick<Questions, 'of' | 'forget'>;
  sessions: Pick<Sessions, 'find' | 'forget' | 'remember'>;
  talk: Pick<Talk, 'forgetPerson'>;
  gaps: Pick<Gaps, 'forget'>;
  /** Stops the answer to a message, wherever it is written. */
  removed: Receiver['removed'];
  openThread(address: ThreadAddress): Thread | undefined;
  /** Whether a person has the same id in all workspaces of a platform. */
  isGlobal(platform: string): boolean;
}

/** Stopping takes a moment, also in another process. */
const stopTries = 40;
const stopWaitMs = 250;
/** A service or platform that is busy is waited for so often. */
const maxTries = 3;
const retryMs = 1_000;

export function createForgetting(options: ForgettingOptions): Forgetting {
  const { chatbot, inbox, questions, sessions, talk, gaps, openThread } = options;

  /** The questions of a person, by how often each was asked, and the rows that are still there. */
  async function find(given: Person) {
    const person = options.isGlobal(given.platform) ? { ...given, workspace: undefined } : given;
    const isThere = ({ platform, workspace }: TurnRecord) =>
      platform === person.platform && (person.workspace ?? workspace) === workspace;
    const rows = (await inbox.naming([JSON.stringify(person.id)]))
      .flatMap((row) => asTurn(row) ?? [])
      .filter((row) => row.author.id === person.id && row.state !== 'command' && isThere(row));
    const all = new Map<string, KeptQuestion>();
    for (const each of [...(await questions.of(person)), ...rows.map(toKept)]) {
      const key = `${each.id}.${each.attempt}`;
      const posts = [...new Set([...(all.get(key)?.posts ?? []), ...each.posts])];
      all.set(key, { ...all.get(key), ...each, posts });
    }
    const asked = new Map(rows.map((row) => [row.id, row]));
    const isAnswered = ({ session, posts }: KeptQuestion) =>
      session !== undefined || posts.length > 0;
    return { rows, asked, kept: [...all.values()].filter(isAnswered) };
  }

  /** Resolves with the turns that have not ended. */
  async function stop(turns: readonly TurnRecord[], signal: AbortSignal) {
    let running = turns.filter(({ state }) => unfinished.includes(state));
    for (const { messageId: id, ...place } of running) await options.removed({ ...place, id });
    for (let tries = 0; running.length > 0 && tries < stopTries; tries += 1) {
      await sleep(stopWaitMs, signal);
      const now = await Promise.all(running.map(({ id }) => inbox.get(id)));
      running = now.flatMap((row) => asTurn(row) ?? []);
      running = running.filter(({ state }) => unfinished.includes(state));
    }
    return new Set(running.map(({ id }) => id));
  }

  /** Deletes the answers of a session at the service; those of others stay. */
  async function deleteReplies(
    session: string,
    theirs: readonly KeptQuestion[],
    {
      asked,
      left,
      signal,
    }: { asked: Map<string, TurnRecord>; left: Forgotten['left']; signal: AbortSignal },
  ): Promise<number> {
    const again = <Result>(task: () => Promise<Result>) =>
      retry(task, {
        waitMs: (_, tries) => (tries < maxTries ? retryMs : undefined),
        sleep,
        signal,
      });
    const replies = await again(() => chatbot.listReplies(session, signal));
    const known = new Set<string>();
    for (const each of theirs) {
      const id = each.message ?? findReply(replies, asked.get(each.id));
      if (id !== undefined) known.add(id);
      else if (!asked.has(each.id)) left.unknown += 1;
    }
    const ids = replies.flatMap(({ id }) => (known.has(id) ? id : []));
    const isAll = ids.length === replies.length;
    if (isAll) left.unknown = 0;
    const remaining = await again(() => chatbot.deleteReplies(session, { ids, isAll }, signal));
    const address = theirs[0]?.address;
    const current = address && (await sessions.find(address));
    const isCurrent = current?.session === session;
    if (address && isAll && remaining === 0) await sessions.forget(session, { address, isCurrent });
    else if (address && isCurrent && current.lastTurn !== undefined)
      await sessions.remember(address, { session, turn: current.lastTurn, message: undefined });
    left.unsupported += remaining;
    return ids.length - remaining;
  }

  /** Removes the bot's messages about a question. Resolves with how many; what fails is counted. */
  async function removePosts(
    { id, address, posts }: KeptQuestion,
    to: Forgotten,
    signal: AbortSignal,
  ) {
    const thread = openThread(address);
    const opened = turnId(address, address.thread) === id;
    const attempt = async (write: () => Promise<void>, counts: 0 | 1) => {
      try {
        await retryWrite(write, { passing: ['failed', 'rate_limited'], signal });
        to.posts += counts;
      } catch (error) {
        signal.throwIfAborted();
        if (isRefusal(error, 'gone')) return;
        to.left.posts += 1;
        to.left.whyPosts = error;
      }
    };
    for (const post of posts) {
      // The question that opened the thread stands in the channel.
      const isRoot = opened && post === address.thread;
      const where = isRoot ? openThread({ ...address, thread: address.channel }) : thread;
      if (where) await attempt(() => where.message(post).remove(), 1);
    }
    if (opened && thread?.untitle) await attempt(thread.untitle, 0);
  }

  /** What is stored beside the questions: what they said, and what they said of others' answers. */
  async function erase(person: Person & { name: string }, except: ReadonlySet<string>) {
    const isGlobal = options.isGlobal(person.platform);
    await talk.forgetPerson(isGlobal ? { ...person, workspace: undefined } : person);
    const line = `${person.name}: `;
    const words = [person.id, line].map((word) => JSON.stringify(word).slice(1, -1));
    for (const row of await inbox.naming(words)) {
      const { id, context = '', feedback = {}, remarks = {} } = row;
      const lines = context.split('\n').filter((each) => !each.startsWith(line));
      const { [person.id]: choice, ...feedbackLeft } = feedback;
      const { [person.id]: remark, ...remarksLeft } = remarks;
      const isSaid = lines.join('\n') !== context;
      if (except.has(id) || (!isSaid && choice === undefined && remark === undefined)) continue;
      const change = { context: lines.join('\n'), feedback: feedbackLeft, remarks: remarksLeft };
      await inbox.update(id, change);
    }
  }

  return {
    async count(person) {
      return new Set((await find(person)).kept.map(({ id }) => id)).size;
    },
    async *forget(person, signal) {
      const to: Forgotten = { questions: 0, answers: 0, posts: 0, left: { ...nothingLeft } };
      const { left } = to;
      const running = await stop((await find(person)).rows, signal);
      const { rows, asked, kept } = await find(person);
      left.running = running.size;
      const ended = kept.filter(({ id }) => !running.has(id));
      const bySession = Map.groupBy(ended, ({ session }) => session);
      let done = 0;
      for (const [session, theirs] of bySession) {
        const before = left.unsupported;
        try {
          if (session !== undefined && left.whyFailed === undefined)
            to.answers += await deleteReplies(session, theirs, { asked, left, signal });
          else if (session !== undefined) left.failed += theirs.length;
        } catch (error) {
          signal.throwIfAborted();
          left.failed += theirs.length;
          left.whyFailed = error;
        }
        const isLeft = left.whyFailed !== undefined || left.unsupported > before;
        for (const each of theirs) {
          yield { done, all: ended.length };
          const postsBefore = left.posts;
          await removePosts(each, to, signal);
          const isDone = !(isLeft && session !== undefined) && left.posts === postsBefore;
          if (isDone) await questions.forget(each);
          done += 1;
        }
      }
      to.questions = new Set(ended.map(({ id }) => id)).size;
      const over = rows.filter(({ id }) => !running.has(id));
      await gaps.forget(ended.map(({ id }) => id));
      for (const { id } of over) await inbox.empty(id);
      await erase(person, running);
      return to;
    },
  };
}

const nothingLeft = { running: 0, unsupported: 0, unknown: 0, failed: 0, posts: 0 };

/** The reply to a query that was stopped before its id was known: the first one since with its words. */
function findReply(
  replies: readonly { id: string; query: string }[],
  turn: TurnRecord | undefined,
) {
  if (turn?.after === undefined) return undefined;
  const later = replies.slice(replies.findIndex(({ id }) => id === turn.after) + 1);
  return later.find(({ query }) => query.trim() === turn.query.trim())?.id;
}
