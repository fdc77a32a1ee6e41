import { ChatbotError, explainError, isRefusal, PlatformError, StoppedError } from '../errors.ts';
import { textsFor } from '../../texts/texts.ts';
import { growingWaitMs, retry } from '../../../shared/primitives/retry.ts';
import { monotonicMs, sleep } from '../../../shared/primitives/time.ts';
import { workspaceKey } from '../address.ts';
import { lostSignal } from '../leases.ts';
import { retryButtons } from '../buttons.ts';
import type { Gaps } from '../gaps.ts';
import type { HandOver } from '../hand-over/hand-over.ts';
import type { Outcome, Reports } from '../reports.ts';
import { shorten } from '../../../shared/primitives/text.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import type { Notice, Told } from '../platform.ts';
import type { Settings } from '../settings.ts';
import type { Talk } from '../talk.ts';
import type { Thread } from '../thread.ts';
import type { Pacer } from '../reply/pacer.ts';
import { Reply } from '../reply/reply.ts';
import type { Ending } from '../reply/reply-contents.ts';
import { unfinished } from '../inbox/inbox.ts';
import { asTurn, fromStoredEnding, toStoredEnding, type TurnRecord } from '../inbox/row.ts';
import { ask, type End, isReplyTo, mayContinue, toEarlyEnd, type TurnTools } from './ask.ts';
import { type AttachmentTools, takeAttachments } from './take-attachments.ts';
import type { Capacity } from './capacity.ts';
import { type ProgressTools, TurnProgress } from './progress.ts';
import { settle } from './settle.ts';
import type { RunTurn } from './turn-queue.ts';

export interface RunTurnOptions extends TurnTools, AttachmentTools {
  chatbot: TurnTools['chatbot'];
  pacer: Pacer;
  /** Max characters of a reply to show; a longer one is attached whole as a file. */
  maxReplyCharacters?: number;
  /** Whether a question of this time is no longer asked, unless somebody asks again. */
  isTooLate?(askedAt: number): boolean;
  reports?: Reports;
  gaps?: Pick<Gaps, 'refused'>;
  settings?: Partial<Pick<Settings, 'unsureIn'>>;
}

interface RunTurnParts extends ProgressTools {
  capacity: Capacity;
  handOver: HandOver | undefined;
  talk: Pick<Talk, 'before' | 'forget' | 'note'>;
  /** As in `DecideOptions`. */
  tell(message: Told, markdown: string): Promise<boolean>;
  /** As in `ConversationOptions`. */
  notify(platform: string, notice: Notice, signal?: AbortSignal): Promise<void>;
  /** Aborted at the end of shutdown: writes still waiting are left to the next start. */
  signal: AbortSignal;
}

/** A platform that refuses a last text for a reason that may pass is waited for; then later tries. */
const patienceMs = 60_000;

/** A last text is given up after so many equal refusals over this time, or after a day. */
const maxRefusals = 5;
const refusedForMs = 10 * 60_000;
const dayMs = 24 * 60 * 60 * 1000;

/** How much of a question is quoted. */
const maxQuestionLength = 200;

/** If no text has come by then, a note stands in its place. */
const noteAfterMs = 5_000;

/** The first look for a reply that broke off. */
const lookAgainMs = 1_000;

export function createRunTurn(options: RunTurnOptions, parts: RunTurnParts): RunTurn {
  const {
    chatbot,
    inbox,
    pacer,
    log,
    maxReplyCharacters,
    isTooLate = () => false,
    reports,
    gaps,
    sessions,
    settings,
  } = options;
  const { capacity, handOver, talk, tell, notify, closing } = parts;

  const runTurn: RunTurn = async (given, thread, { stopped, working, isFresh }) => {
    const turn = isFresh ? given : await storable(given);
    if (!turn || closing.aborted) return undefined;
    const lost = lostSignal();
    const signal = lost ? AbortSignal.any([parts.signal, lost]) : parts.signal;
    const progress = new TurnProgress(turn, parts);
    let state: 'showing' | 'ending' = turn.ending ? 'ending' : 'showing';
    const watcher = reports?.replies;
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
    const run = { progress, thread, reply, stopped, signal };
    if (turn.ending && !turn.removed) {
      const finished = await finish(run, fromStoredEnding(turn.ending));
      watcher?.ended(turn.id, 'answered');
      return finished;
    }
    const furtherButtons = Promise.resolve(handOver ? handOver.buttonsFor(turn) : []);
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
    await progress.store({ state, ending: toStoredEnding(whole), answer, sources, unsettled });
    // Deleted after it has failed, it needs no reply that nobody has seen anything of.
    if (isRemoved(stopped.reason) && !(await isSeen(reply))) {
      await progress.end({ state: 'ended' });
      watcher?.ended(turn.id, 'stopped');
      return undefined;
    }
    // Its button to teach an answer works as soon as people see it.
    if (unanswered) await noteRefused(turn, unanswered.nearest);
    try {
      return await finish(run, whole);
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
    reports?.refused?.(turn.address.platform);
    try {
      await gaps?.refused(turn, nearest);
    } catch (error) {
      log.error({ err: error, turn: turn.id }, 'a question without an answer was not noted');
    }
  }

  /** Whoever asked may have left since: they learn that somebody has taught the answer. Never rejects. */
  async function tellTaught(
    { taughtBy, author, address, query }: TurnRecord,
    thread: Thread,
  ): Promise<void> {
    if (!taughtBy || taughtBy.id === author.id) return;
    const { taught } = textsFor(author.locale).thread;
    const { platform, workspace } = address;
    try {
      const link = await thread.link?.();
      const question = renderPlainText(shorten(query, maxQuestionLength));
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
    const { address, query: text } = turn;
    const { answer, sources, unanswered } = end;
    // What is done before the turn ends is done again after a crash.
    await talk.note({ ...turn, id: turn.messageId, thread, text });
    if (end.outcome === 'answered' || end.outcome === 'cut') {
      await noteRefused(turn, unanswered?.nearest ?? sources?.[0]?.title);
      if ((await settings?.unsureIn?.(address))?.calls) handOver?.call(turn, thread);
    }
    await progress.end({ state: 'handled', answer, sources });
    const known = await sessions.find(address);
    if (!known || (await inbox.hasTurnIn(address))) return;
    await sessions.forget(known.session, { address, isCurrent: true });
  }

  /** What was said before the question. The reply is written, so failures are only logged. */
  async function forgetSaid(turn: TurnRecord): Promise<void> {
    const { id, address } = turn;
    try {
      await handOver?.forget(address);
      await talk.forget(address, turn);
    } catch (error) {
      log.error({ err: error, turn: id }, 'what people said was not deleted');
    }
  }

  /** Undefined if the turn is left to the next start. */
  async function findEnd(turn: TurnRecord, asked: Asked): Promise<End | undefined> {
    if (turn.removed) {
      const cause = new StoppedError({ kind: 'removed' });
      return keepingShown(await toBrokenEnd(turn, asked.reply, cause));
    }
    const isLate = isTooLate(turn.askedAt ?? turn.createdAt);
    if (!isLate && mayContinue(turn, options)) return askWithContext(turn, asked);
    if (turn.state !== 'accepted') return settleOrLeave(turn, asked);
    const { interrupted } = textsFor(turn.author.locale).thread;
    if (isLate) return toLateEnd(turn, interrupted);
    return askWithContext(turn, asked);
  }

  async function askWithContext(
    turn: TurnRecord,
    { thread, reply, stopped }: Asked,
  ): Promise<End | undefined> {
    try {
      if (turn.state === 'accepted') {
        await addContext(turn, thread);
        const { query, unread } = await addFiles(turn, thread, stopped);
        if (query === '' && unread !== undefined) return toUnreadEnd(unread);
      }
      return await capacity.run(workspaceKey(turn.address), stopped, () =>
        askPatiently(turn, reply, stopped),
      );
    } catch (error) {
      const cause: unknown = stopped.aborted ? stopped.reason : error;
      if (isRestart(cause) && (await isLeft(turn))) return undefined;
      if (isSetUpError(cause)) {
        log.error(
          { err: cause, turn: turn.id },
          'the turn failed: check CHATBOT_API_KEY and CHATBOT_UUID',
        );
      } else if (!(cause instanceof StoppedError)) {
        log.warn({ err: error, turn: turn.id }, 'the turn failed');
      }
      const end = await toBrokenEnd(turn, reply, cause);
      return turn.posted.length > 0 && reply.text === '' ? keepingShown(end) : end;
    }
  }

  /** A service that takes long can be stopped before its first text. */
  async function askPatiently(turn: TurnRecord, reply: Reply, stopped: AbortSignal): Promise<End> {
    const { stillWorking } = textsFor(turn.author.locale).thread;
    const timer = setTimeout(() => {
      if (!stopped.aborted && !turn.quiet) reply.showNote(stillWorking);
    }, noteAfterMs);
    try {
      return await ask(turn, reply, { tools: options, signal: stopped });
    } finally {
      clearTimeout(timer);
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
      if (!newest || !isReplyTo(turn, newest)) return;
      await parts.questions?.keep({ ...turn, answer: newest.id });
    } catch (error) {
      log.info({ err: error, turn: id }, 'where a stopped answer is could not be stored');
    }
  }

  /**
   * Whether the next start asks: the query was not sent, or with a key. A store that fails has not
   * stored that it was.
   */
  async function isLeft({ id }: TurnRecord): Promise<boolean> {
    const row = await inbox.get(id).catch(() => undefined);
    return row === undefined || row.state === 'accepted' || row.key !== undefined;
  }

  /** Stores what people said before the question with it, so that a retry sends it as well. */
  async function addContext(turn: TurnRecord, thread: Thread): Promise<void> {
    const handedOver = await handOver?.find(turn.address);
    if (handedOver && !handedOver.ended) {
      throw new StoppedError({ kind: 'person', name: handedOver.askedBy.name });
    }
    // Once it was answered, nothing is left but what the row has.
    const context = (await talk.before(turn, thread)) || turn.context;
    if (!context) return;
    if (context !== turn.context) await inbox.update(turn.id, { context }, ['accepted']);
    reports?.replies?.took?.(turn.id, context);
  }

  /** Reads the files beside the question once, and stores with it what came of them. */
  async function addFiles(turn: TurnRecord, thread: Thread, stopped: AbortSignal) {
    const { id, files = [], documents } = turn;
    if (files.length === 0 || documents) return turn;
    const taken = await takeAttachments(turn, thread, { tools: options, signal: stopped });
    await inbox.update(id, taken, ['accepted']);
    return taken;
  }

  /** Undefined if the process stops before the service has answered. */
  async function settleOrLeave(
    turn: TurnRecord,
    { reply, stopped }: Asked,
  ): Promise<End | undefined> {
    try {
      return await settle(turn, { tools: options, signal: stopped });
    } catch (error) {
      const cause: unknown = stopped.aborted ? stopped.reason : error;
      if (isRestart(cause)) return undefined;
      return keepingShown(await toBrokenEnd(turn, reply, cause));
    }
  }

  /** Writes the ending. Resolves with when there is more to do. */
  async function finish(run: Run, ending: Ending): Promise<number | undefined> {
    const { progress, reply, stopped, signal } = run;
    let hasLeft = false;
    const leave = () => {
      const isUnwanted = isRemoved(stopped.reason) && !reply.hasBegun;
      hasLeft = isUnwanted || (reply.isLinedUp && !isRestart(stopped.reason));
      if (hasLeft) reply[Symbol.dispose]();
    };
    try {
      await reply.adoptLost();
      if (stopped.aborted) leave();
      stopped.addEventListener('abort', leave, { once: true });
      await write(run, ending);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!hasLeft && isPassing(error) && !(await isGivenUp(progress, error))) throw error;
      if (!hasLeft) await sayBriefly(run, error);
    }
    const dueAt = Date.now() + lookAgainMs;
    await progress.end({ ...written, dueAt });
    void repeatLater(progress.turn, reply);
    return progress.turn.unsettled ? dueAt : undefined;
  }

  async function write({ progress, thread, reply, signal }: Run, ending: Ending): Promise<void> {
    const since = monotonicMs();
    const { posted } = progress.turn;
    const last = posted.at(-1);
    const keep = ending.keepsShown && last !== undefined ? thread.message(last).keep : undefined;
    const show = async () => {
      try {
        await (keep ? keep(ending.text, ending.buttons) : reply.finish(ending));
      } catch (error) {
        // The bot may not be allowed to read what its message shows.
        if (!keep || isPassing(error)) throw error;
        await reply.finish(ending);
      }
    };
    await retry(show, {
      sleep,
      signal,
      waitMs: (error, failures) =>
        isPassing(error) && monotonicMs() - since < patienceMs
          ? growingWaitMs(failures)
          : undefined,
    });
  }

  /**
   * Whether an ending was refused too often to be tried again: something between the bot and the
   * platform may refuse its words for good.
   */
  async function isGivenUp(progress: TurnProgress, error: unknown): Promise<boolean> {
    const { refusals, failingSince = Date.now() } = progress.turn;
    const failingMs = Date.now() - failingSince;
    const status = error instanceof PlatformError ? error.status : undefined;
    const isRefused = status !== undefined && status >= 400 && status < 500;
    if (!isRefused) return failingMs >= dayMs;
    const count = refusals?.status === status ? refusals.count + 1 : 1;
    await progress.store({ refusals: { status, count } }, ['ending']);
    return failingMs >= dayMs || (count >= maxRefusals && failingMs >= refusedForMs);
  }

  /** In place of an ending that the platform does not accept. If it refuses this too, the asker is told. */
  async function sayBriefly({ progress, thread, reply }: Run, error: unknown): Promise<void> {
    const { turn } = progress;
    const { id, address, author } = turn;
    log.error({ err: error, turn: id, thread: address }, 'an answer could not be written');
    const texts = textsFor(author.locale);
    const why = isRefusal(error, 'failed') ? texts.thread.notShown : explainError(error, texts);
    const content = { text: `⚠️ ${why}`, footer: '', buttons: [] };
    try {
      if (isRefusal(error, 'failed')) await reply.finish(content);
      else await thread.post({ markdown: content.text });
    } catch (again) {
      log.error({ err: again, turn: id, thread: address }, 'an answer is set aside');
      reports?.setAside?.(address.platform);
      const question = renderPlainText(shorten(turn.query, maxQuestionLength));
      const told = { id: turn.messageId, thread, author };
      await tell(told, `⚠️ ${texts.thread.notHere(question, why)}`);
    }
  }

  /** The turn has ended: nothing waits for it, and whatever becomes of the reply meanwhile stays. */
  async function repeatLater({ id, attempt, answer }: TurnRecord, reply: Reply): Promise<void> {
    const isCurrent = async () => {
      const row = await inbox.get(id);
      return row?.state === 'ended' && row.attempt === attempt && row.answer === answer;
    };
    try {
      await reply.repeatLater({ isCurrent, signal: closing });
    } catch (error) {
      if (!closing.aborted) log.info({ err: error, turn: id }, 'a last edit was not repeated');
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
    reports?.turnEnded(turn);
    reports?.replies?.ended(id, outcome);
  }

  return runTurn;
}

/** Whether nothing is to be posted, because the service is not sure of its answer. */
function isLeftOpen({ quiet }: TurnRecord, { outcome, unanswered, isWeak }: End): boolean {
  const isAnswered = outcome === 'answered' || outcome === 'cut';
  if (quiet === undefined) return false;
  return isAnswered ? unanswered !== undefined || isWeak === true : quiet === 'unasked';
}

/** A turn that is being asked. */
type Asked = Pick<Run, 'thread' | 'reply' | 'stopped'>;

/** A turn that is being written. */
interface Run {
  progress: TurnProgress;
  thread: Thread;
  reply: Reply;
  stopped: AbortSignal;
  /** Aborted once its writes are left to the next start, or to another process. */
  signal: AbortSignal;
}

const written = { state: 'ended', ending: undefined, refusals: undefined } as const;

/** The end of a question that consists of files, none of which could be read. */
function toUnreadEnd(text: string): End {
  return { outcome: 'answered', ending: { text, footer: '', buttons: [] } };
}

/** The end of a question that waited for too long: it is asked if somebody still wants that. */
function toLateEnd(turn: TurnRecord, text: string): End {
  const buttons = retryButtons(turn, textsFor(turn.author.locale));
  return { outcome: 'stopped', ending: { text: `⚠️ ${text}`, footer: '', buttons } };
}

/** The end of a turn that was stopped or failed. A deleted question gets none if nothing was posted. */
async function toBrokenEnd(turn: TurnRecord, reply: Reply, cause: unknown): Promise<End> {
  if (isRemoved(cause)) await reply.adoptLost();
  return toEarlyEnd(turn, reply, cause);
}

/** Whether people may have seen something of it, before a restart too. */
async function isSeen(reply: Reply): Promise<boolean> {
  await reply.adoptLost();
  return reply.hasBegun;
}

/** What an earlier run has shown stays above the ending. */
function keepingShown(end: End): End {
  return end.ending ? { ...end, ending: { ...end.ending, keepsShown: true } } : end;
}

function isPassing(error: unknown): boolean {
  return isRefusal(error, 'failed', 'rate_limited');
}

function isRestart(cause: unknown): boolean {
  return cause instanceof StoppedError && cause.reason.kind === 'restart';
}

function isRemoved(cause: unknown): boolean {
  return cause instanceof StoppedError && cause.reason.kind === 'removed';
}

/** Whether only the people who run the bot can do something about it. */
function isSetUpError(error: unknown): boolean {
  return error instanceof ChatbotError && ['unauthorized', 'misconfigured'].includes(error.kind);
}
