import { retry } from '../../shared/primitives/retry.ts';
import { sleep } from '../../shared/primitives/time.ts';
import type { Workspace } from './address.ts';
import { unfinished } from './inbox/inbox.ts';
import { asTurn, type InboxRow, type TurnRecord, turnId } from './inbox/row.ts';
import { type KeptQuestion, type Person, toKept } from './questions.ts';
import { beginLine } from './talk.ts';
import { retryWrite } from './thread.ts';
import type { Tools } from './tools.ts';

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
interface Steps {
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
    /** Answers that the service can't delete, and answers whose id at the service is not known. */
    unsupported: number;
    unknown: number;
    /** Answers at a service that failed, and messages and titles that the platform refused to delete. */
    failed: number;
    posts: number;
    whyFailed?: unknown;
    whyPosts?: unknown;
  };
}

/** What is under way. */
interface Run {
  to: Forgotten;
  signal: AbortSignal;
}

/** Stopping takes a moment, also in another process. */
const stopTries = 40;
const stopWaitMs = 250;
/** How often a busy service or platform is waited for. */
const maxTries = 3;
const retryMs = 1_000;

export function createForgetting(tools: Tools): Forgetting {
  const { chatbot, inbox, questions, sessions, talk, gaps, openThread } = tools;

  /** Whether something is where a person's id is theirs. */
  function isOf({ platform, workspace }: Person): (place: Workspace) => boolean {
    // Where rooms are shared, a person has the same id in all workspaces.
    const isGlobal = tools.findPlatform(platform)?.rooms?.sharedWith !== undefined;
    const isEverywhere = workspace === undefined || isGlobal;
    return (place) =>
      place.platform === platform && (isEverywhere || place.workspace === workspace);
  }

  /** What was asked, each time, and the rows of a person that are still there. */
  async function find(person: Person) {
    const isTheirs = isOf(person);
    const rows = (await inbox.naming([JSON.stringify(person.id)]))
      .flatMap((row) => asTurn(row) ?? [])
      .filter((row) => row.author.id === person.id && row.state !== 'command' && isTheirs(row));
    const all = new Map<string, KeptQuestion>();
    for (const each of [...(await questions.of(person.id)), ...rows.map(toKept)]) {
      const key = `${each.id}.${each.attempt}`;
      const posts = [...new Set([...(all.get(key)?.posts ?? []), ...each.posts])];
      all.set(key, { ...all.get(key), ...each, posts });
    }
    const kept = [...all.values()].filter(
      ({ address, session, posts }) => isTheirs(address) && (session || posts.length > 0),
    );
    return { kept, rows: new Map(rows.map((row) => [row.id, row])) };
  }

  /** Resolves with the turns that have not ended. */
  async function stop(turns: Iterable<TurnRecord>, signal: AbortSignal) {
    let running = [...turns].filter(({ state }) => unfinished.includes(state));
    for (const { messageId: id, ...place } of running) await tools.removed({ ...place, id });
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
    theirs: readonly [KeptQuestion, ...KeptQuestion[]],
    { rows, to, signal }: Run & { rows: ReadonlyMap<string, TurnRecord> },
  ): Promise<void> {
    const [{ address }] = theirs;
    const open = await inbox.openIn(address);
    // Some services list a reply only once it is whole.
    const isInUse = open.some(
      (row) => row.session === session && theirs.every(({ id }) => id !== row.id),
    );
    const waitMs = (_: unknown, tries: number) => (tries < maxTries ? retryMs : undefined);
    const again = <Result>(task: () => Promise<Result>) => retry(task, { waitMs, sleep, signal });
    const replies = await again(() => chatbot.listReplies(session, signal));
    const found = theirs.map(({ id, message }) => message ?? findReply(replies, rows.get(id)));
    const ids = replies.map(({ id }) => id).filter((id) => found.includes(id));
    const isAll = !isInUse && ids.length === replies.length;
    const remaining = await again(() => chatbot.deleteReplies(session, { ids, isAll }, signal));
    to.answers += ids.length - remaining;
    to.left.unsupported += remaining;
    const isUnknown = (id: string, at: number) =>
      found[at] === undefined && !repliesSince(replies, rows.get(id));
    if (!isAll) to.left.unknown += theirs.filter(({ id }, at) => isUnknown(id, at)).length;
    const known = await sessions.find(address);
    const isCurrent = known?.session === session;
    const turn = known?.lastTurn;
    if (isAll && remaining === 0) await sessions.forget(session, { address, isCurrent });
    else if (turn) await sessions.remember(address, { session, turn, message: undefined });
  }

  /** Removes the bot's messages about a question, and the question from its thread's title. */
  async function removePosts({ id, address, posts }: KeptQuestion, { to, signal }: Run) {
    const thread = openThread(address);
    const opened = turnId(address, address.thread) === id;
    const attempt = async (write: () => Promise<void>, counts: 0 | 1) => {
      try {
        await retryWrite(write, { passing: ['failed', 'rate_limited'], signal });
        to.posts += counts;
      } catch (error) {
        signal.throwIfAborted();
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

  /** What they said to others, what went along with others' questions, and what they said of answers. */
  async function erase(person: Person & { name: string }): Promise<void> {
    const isTheirs = isOf(person);
    await talk.forgetPerson(person.id, isTheirs);
    const line = beginLine(person.name);
    const words = [person.id, line].map((word) => JSON.stringify(word).slice(1, -1));
    const without = <Value>(all: Record<string, Value> = {}) =>
      Object.fromEntries(Object.entries(all).filter(([by]) => by !== person.id));
    const forgetIn = ({ context: known, feedback, remarks }: InboxRow) => {
      const others = known?.split('\n').filter((each) => !each.startsWith(line));
      const context = others?.join('\n');
      return {
        context,
        // The service takes no other query with it.
        ...(context !== known && { key: undefined }),
        feedback: without(feedback),
        remarks: without(remarks),
      };
    };
    for (const row of await inbox.naming(words)) {
      if (isTheirs(row)) await inbox.update(row.id, forgetIn);
    }
  }

  return {
    async count(person) {
      return new Set((await find(person)).kept.map(({ id }) => id)).size;
    },
    async *forget(person, signal) {
      const to: Forgotten = { questions: 0, answers: 0, posts: 0, left: { ...nothingLeft } };
      const { left } = to;
      const running = await stop((await find(person)).rows.values(), signal);
      const { rows, kept } = await find(person);
      left.running = running.size;
      const ended = kept.filter(({ id }) => !running.has(id));
      to.questions = new Set(ended.map(({ id }) => id)).size;
      let done = 0;
      for (const [session, [first, ...others]] of Map.groupBy(ended, (each) => each.session)) {
        if (!first) continue;
        const run = { to, signal, rows };
        const before = left.unsupported;
        try {
          if (session && !left.whyFailed) await deleteReplies(session, [first, ...others], run);
        } catch (error) {
          signal.throwIfAborted();
          left.whyFailed = error;
        }
        const isLeft = session && (left.whyFailed || left.unsupported > before);
        if (session && left.whyFailed) left.failed += 1 + others.length;
        for (const each of [first, ...others]) {
          yield { done, all: ended.length };
          const failures = left.posts;
          await removePosts(each, run);
          // First: what comes of a question later is kept only while it has its row.
          await inbox.empty(each.id);
          if (!isLeft && left.posts === failures) await questions.forget(each);
          done += 1;
        }
      }
      await gaps.forget(ended);
      for (const id of rows.keys()) if (!running.has(id)) await inbox.empty(id);
      await erase(person);
      return to;
    },
  };
}

const nothingLeft = { running: 0, unsupported: 0, unknown: 0, failed: 0, posts: 0 };

type Replies = readonly { id: string; query: string }[];

/** The replies since a query was sent; undefined if nobody knows where they begin. */
function repliesSince(replies: Replies, { after }: Partial<TurnRecord> = {}): Replies | undefined {
  if (after === '') return replies;
  const before = replies.findIndex(({ id }) => id === after);
  return before === -1 ? undefined : replies.slice(before + 1);
}

/** The reply to a query that was stopped before its id was known: the first one since with its words. */
function findReply(replies: Replies, turn: TurnRecord | undefined): string | undefined {
  const isTo = ({ query }: Replies[number]) => query.trim() === turn?.query.trim();
  return repliesSince(replies, turn)?.find(isTo)?.id;
}
