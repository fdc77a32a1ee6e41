import { textsFor } from '../../texts/texts.ts';
import { unfinished } from '../inbox/inbox.ts';
import { asTurn, type TurnRecord } from '../inbox/row.ts';
import { lostSignal } from '../leases.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import { Reply } from '../reply/reply.ts';
import type { Outcome } from '../reports.ts';
import type { Thread } from '../thread.ts';
import type { Tools } from '../tools.ts';
import { type End, isRemoved, isReplyTo, quoteQuestion } from './end.ts';
import { createFindEnd } from './find-end.ts';
import { TurnProgress } from './progress.ts';
import type { RunTurn } from './turn-queue.ts';
import { createWriteEnding } from './write-ending.ts';

export function createRunTurn(tools: Tools): RunTurn {
  const { chatbot, inbox, sessions, questions, settings, gaps, handOver, talk } = tools;
  const { pacer, maxReplyCharacters, reports, notify, closing, log } = tools;
  const watcher = reports.replies;
  const findEnd = createFindEnd(tools);
  const writeEnding = createWriteEnding(tools);

  const runTurn: RunTurn = async (given, thread, { stopped, working, isFresh }) => {
    const turn = isFresh ? given : await storable(given);
    if (!turn || closing.aborted) return undefined;
    const lost = lostSignal();
    const signal = lost ? AbortSignal.any([tools.signal, lost]) : tools.signal;
    const progress = new TurnProgress(turn, tools);
    let state: 'showing' | 'ending' = turn.ending ? 'ending' : 'showing';
    watcher?.began(turn);
    using reply = new Reply({
      thread,
      pacer,
      turn: turn.id,
      question: turn.messageId,
      // "Try again" answers the same turn in new messages.
      key: `${turn.id}.${turn.attempt}`,
      resumed: !isFresh,
      texts: textsFor(turn.author.locale),
      signal,
      maxCharacters: maxReplyCharacters,
      posted: turn.posted,
      onLinedUp: working.renew,
      onReceived: watcher && ((characters) => watcher.received(turn.id, characters)),
      async onPosted(posted) {
        working.posted(reply.isGrowingByMessages);
        // A note in place of the text may come before the question was asked.
        if (reply.text === '') await progress.store({ posted });
        else await progress.store({ posted, state }, ['asking', 'showing', 'ending']);
      },
    });
    working.follow(reply);
    if (!isFresh) await endStream(thread, turn);
    const writing = { progress, thread, reply, stopped, signal };
    if (turn.ending && !turn.removed) {
      const finished = await writeEnding(writing, turn.ending);
      watcher?.ended(turn.id, 'answered');
      // Only an answer has them.
      if (turn.sources) await forgetSaid(turn);
      return finished;
    }
    const furtherButtons = handOver.buttonsFor(turn);
    const end = await findEnd(turn, { thread, reply, stopped });
    if (!end) return undefined;
    const { ending, outcome, answer, sources, unanswered, unsettled } = end;
    const isStopped = outcome !== 'answered' && answer === undefined && !unsettled;
    const upstream = isStopped ? stopUpstream(turn, signal) : Promise.resolve();
    if (isLeftOpen(turn, end)) {
      await leaveOpen(progress, thread, end);
      report(turn, outcome, reply);
      return undefined;
    }
    if (!ending) {
      await progress.end({ state: 'ended' });
      watcher?.ended(turn.id, outcome);
      return undefined;
    }
    const whole = { ...ending, buttons: [...ending.buttons, ...(await furtherButtons)] };
    state = 'ending';
    await progress.store({ state, ending: whole, answer, sources, unsettled });
    // The question was deleted after the turn had failed: if nobody has seen any of the reply, none is posted.
    if (isRemoved(stopped.reason) && (await reply.dropUnseen())) {
      await progress.end({ state: 'ended' });
      watcher?.ended(turn.id, 'stopped');
      return undefined;
    }
    // Its button to teach an answer works as soon as people see it.
    if (unanswered) await noteRefused(turn, unanswered.nearest);
    else if (outcome === 'answered' && turn.attempt > 0) await noteAnswered(turn);
    try {
      return await writeEnding(writing, whole);
    } finally {
      report(turn, outcome, reply);
      if (answer === undefined) void upstream.then(() => findAnswer(turn, signal));
      if (outcome === 'answered' && !unanswered) await tellTaught(turn, thread);
      if (outcome === 'answered' || outcome === 'cut') await forgetSaid(turn);
    }
  };

  /**
   * The turn as it is stored now: since it was read, it may have been stopped. Where nothing can be
   * stored, every start would write the same again.
   * @throws {Error} when nothing can be stored
   */
  async function storable({ id }: TurnRecord): Promise<TurnRecord | undefined> {
    return asTurn(await inbox.update(id, {}, unfinished));
  }

  /** For the managers' list, which the reply does not depend on: failures are only logged. */
  async function noteRefused(turn: TurnRecord, nearest: string | undefined): Promise<void> {
    reports.refused(turn.address.platform);
    try {
      await gaps.refused(turn, nearest);
    } catch (error) {
      log.error({ err: error, turn: turn.id }, 'a question without an answer was not noted');
    }
  }

  /** Likewise. */
  async function noteAnswered(turn: TurnRecord): Promise<void> {
    try {
      await gaps.answered(turn);
    } catch (error) {
      log.error({ err: error, turn: turn.id }, 'the answer to a question was not noted');
    }
  }

  /** Whoever asked may have left since: they learn that somebody has taught the answer. Never rejects. */
  async function tellTaught(turn: TurnRecord, thread: Thread): Promise<void> {
    const { taughtBy, author, address } = turn;
    if (!taughtBy || taughtBy.id === author.id) return;
    const { taught } = textsFor(author.locale).thread;
    const { platform, workspace } = address;
    try {
      const link = await thread.link?.();
      const question = quoteQuestion(turn);
      const markdown = taught(renderPlainText(taughtBy.name), question, link);
      await notify(platform, { workspace, to: { person: author.id }, markdown }, closing);
    } catch (error) {
      log.info({ err: error, person: author.id }, 'someone could not be told of an answer');
    }
  }

  /**
   * Nothing is posted: the question counts as said among people, and managers find it in their list.
   * A thread in which nothing else was answered does not become ours.
   */
  async function leaveOpen(progress: TurnProgress, thread: Thread, end: End): Promise<void> {
    const { turn } = progress;
    const { address } = turn;
    const { answer, sources, unanswered } = end;
    const { query, edited: text = query } = asTurn(await inbox.get(turn.id)) ?? turn;
    // What is done before the turn ends is done again after a crash.
    await talk.note({ ...turn, id: turn.messageId, thread, text });
    if (end.outcome === 'answered' || end.outcome === 'cut') {
      await noteRefused(turn, unanswered?.nearest ?? sources?.[0]?.title);
      if ((await settings.in(address)).unsure.calls) handOver.call(turn, thread);
    }
    await progress.end({ state: 'handled', answer, sources });
    const known = await sessions.find(address);
    const isOwn = known !== undefined && Date.parse(known.createdAt) >= turn.createdAt;
    if (!isOwn || (await inbox.hasTurnIn(address))) return;
    await sessions.forget(known.session, { address, isCurrent: true });
  }

  /** What was said before the question: the session has it. The reply is written, so failures are only logged. */
  async function forgetSaid(turn: TurnRecord): Promise<void> {
    const { id, address } = turn;
    try {
      await handOver.forget(address);
      await talk.forget(address, turn);
      await inbox.update(id, { context: undefined }, ({ context }) => context !== undefined);
    } catch (error) {
      log.error({ err: error, turn: id }, 'the conversation before a question was not deleted');
    }
  }

  /** With a key, the service goes on with a reply that nobody reads. Never rejects. */
  async function stopUpstream({ id }: TurnRecord, signal: AbortSignal): Promise<void> {
    try {
      const { session, key } = (await inbox.get(id)) ?? {};
      if (session !== undefined && key !== undefined) await chatbot.stopReply(session, key, signal);
    } catch (error) {
      log.info({ err: error, turn: id }, 'a reply could not be stopped at the service');
    }
  }

  /** Keeps where the answer is that was stopped, or whose id could not be read. Never rejects. */
  async function findAnswer({ id, attempt }: TurnRecord, signal: AbortSignal): Promise<void> {
    try {
      const turn = asTurn(await inbox.get(id));
      if (!turn?.session || turn.sentAt === undefined || turn.attempt !== attempt) return;
      const newest = await chatbot.lastReply(turn.session, signal);
      // Its asker may have had it forgotten meanwhile.
      const isKept = asTurn(await inbox.get(id)) !== undefined;
      if (!isKept || !newest || !isReplyTo(turn, newest)) return;
      await questions.keep({ ...turn, answer: newest.id });
    } catch (error) {
      log.info({ err: error, turn: id }, 'the place of a stopped answer could not be stored');
    }
  }

  /** The last message may still be streaming, and can't be edited until its stream ends. */
  async function endStream(thread: Thread, { posted }: TurnRecord): Promise<void> {
    const last = posted.at(-1);
    try {
      if (last !== undefined) await thread.message(last).endStream?.();
    } catch (error) {
      log.warn({ err: error, thread: thread.address }, 'an interrupted stream could not be ended');
    }
  }

  function report({ id, address }: TurnRecord, outcome: Outcome, reply: Reply): void {
    const { platform, workspace } = address;
    const turn = { platform, workspace, outcome, ...reply.stats() };
    log.info({ turn: id, thread: address, ...turn }, 'a turn ended');
    reports.turnEnded(turn);
    watcher?.ended(id, outcome);
  }

  return runTurn;
}

/** Whether nothing is to be posted, because the service is not sure of its answer. */
function isLeftOpen({ quiet }: TurnRecord, { outcome, unanswered, isWeak }: End): boolean {
  const isAnswered = outcome === 'answered' || outcome === 'cut';
  if (quiet === undefined) return false;
  return isAnswered ? unanswered !== undefined || isWeak === true : quiet === 'unasked';
}
