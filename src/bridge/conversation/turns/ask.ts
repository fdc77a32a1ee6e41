import { type Texts, textsFor } from '../../texts/texts.ts';
import { renderProblem, translateEnd } from '../../../shared/problems/problem.ts';
import { withTimeLimit } from '../../../shared/primitives/time.ts';
import { answeredButtons, helpButtons, retryButtons } from '../buttons.ts';
import { ChatbotError, explainError, StoppedError } from '../errors.ts';
import { closeMarkdown } from '../markdown/close-markdown.ts';
import type { Chatbot, Source, StoredReply } from '../chatbot.ts';
import {
  areAnswering,
  beginsToAnswer,
  findHelp,
  renderHelpTopic,
  type TypedCommand,
} from '../help.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import type { Outcome } from '../reports.ts';
import type { Inbox } from '../inbox/inbox.ts';
import { asTurn, type TurnRecord } from '../inbox/row.ts';
import { listSources, numberMarkers, renderSources, type Ending } from '../reply/reply-contents.ts';
import type { Reply } from '../reply/reply.ts';
import type { OpenSession, Sessions } from '../sessions.ts';

/** How long a service that fell silent may take to give its stored reply: people wait for a word. */
const lastChanceMs = 1_500;

/** What a turn needs to ask the service. */
export interface TurnTools {
  chatbot: Chatbot;
  sessions: Sessions;
  inbox: Inbox;
  log: Log;
  /** If set, questions about the bot itself are answered from its own help. */
  typed?: TypedCommand;
}

/** How a turn ends. */
export interface End {
  /** Absent if nothing is to be written. */
  ending?: Ending;
  outcome: Outcome;
  /** The service's id of the reply, if it is known. */
  answer?: string;
  sources?: Source[];
  /** The service found no answer, nor had the bot's own help one. */
  unanswered?: { nearest?: string };
  /** The reply broke off: the service may have it whole later. */
  unsettled?: boolean;
}

/**
 * Sends the query to the thread's session and streams the reply. If the service no longer knows the
 * session, asks once more in a new one.
 * @throws {ChatbotError}
 * @throws {StoppedError} when the turn is stopped
 */
export async function ask(
  turn: TurnRecord,
  reply: Reply,
  { tools, signal }: { tools: TurnTools; signal: AbortSignal },
): Promise<End> {
  const { usualChatbot, freshSession } = textsFor(turn.author.locale).thread;
  const known = await tools.sessions.findOrCreate(turn.address, signal);
  try {
    const end = await askIn(known, turn, reply, { tools, signal });
    return known.usesFallback ? noted(end, usualChatbot) : end;
  } catch (error) {
    const gone = error instanceof ChatbotError && error.kind === 'not_found' && reply.text === '';
    if (!gone) throw error;
  }
  const created = await tools.sessions.renew(turn.address, known.session, signal);
  const end = await askIn(created, turn, reply, { tools, signal });
  return noted(end, created.usesFallback ? usualChatbot : freshSession);
}

async function askIn(
  session: OpenSession,
  { id }: TurnRecord,
  reply: Reply,
  { tools, signal }: { tools: TurnTools; signal: AbortSignal },
): Promise<End> {
  const { chatbot, inbox, log, typed } = tools;
  const after = session.lastMessage ?? (await newestMessage(session.session, chatbot, signal));
  const sentAt = Date.now();
  const intent = { state: 'asking', session: session.session, after, sentAt } as const;
  // The query may have been edited while the turn waited.
  const turn = asTurn(await inbox.update(id, intent, ['accepted', 'asking']));
  if (!turn) throw new StoppedError({ kind: 'removed' });
  let failure: unknown;
  let received = '';
  // The help may come in place of the reply, unless that begins with an answer.
  const help = typed && findHelp(turn.query, turn.author.locale);
  try {
    for await (const delta of chatbot.reply(session.session, turn, signal)) {
      received += delta;
      if (reply.text !== '') reply.append(delta);
      else if (!help || beginsToAnswer(received, turn.query, help)) reply.append(received);
    }
  } catch (error) {
    failure = error;
  }
  if (failure && !isBrokenStream(failure)) throw failure;
  const stored = await readReply(turn, session, failure, { chatbot, log, signal });
  const hasFailed = stored?.state === 'partial' && (!failure || stored.reason !== undefined);
  if (hasFailed) {
    log.warn({ turn: id, reason: stored.reason }, 'the service could not answer');
    return toFailedEnd(turn, stored);
  }
  if (failure && (!stored || !isDone(stored))) throw failure;
  const texts = textsFor(turn.author.locale);
  const text = received.trim() === '' ? texts.thread.emptyAnswer : received;
  return toEnd(turn, stored ?? { response: text, sources: [], state: 'whole' }, typed);
}

async function newestMessage(
  session: string,
  chatbot: Chatbot,
  signal: AbortSignal,
): Promise<string> {
  return (await chatbot.lastReply(session, signal))?.id ?? '';
}

/** The stored reply, if the service has it. A reply that was shown whole does not need it. */
async function readReply(
  turn: TurnRecord,
  { session, chatbot: uuid }: OpenSession,
  failure: unknown,
  { chatbot, log, signal }: { chatbot: Chatbot; log: Log; signal: AbortSignal },
): Promise<StoredReply | undefined> {
  const timedOut = failure instanceof ChatbotError && failure.kind === 'timeout';
  const read = (limited: AbortSignal) => chatbot.lastReply(session, limited, uuid);
  try {
    const newest = await (timedOut ? withTimeLimit(lastChanceMs, signal, read) : read(signal));
    return newest && isReplyTo(turn, newest) ? newest : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn({ err: error, session }, 'the reply’s sources could not be read');
    return undefined;
  }
}

/**
 * Whether the session's newest message belongs to the turn: it is newer than the one before the
 * turn, and has its query, as another thread may ask in the same session.
 */
export function isReplyTo({ after, query }: TurnRecord, newest: StoredReply): boolean {
  return newest.id !== after && newest.query.trim() === query.trim();
}

/** A reply as far as its end shows it: stored, or streamed only. */
type EndedReply = Omit<StoredReply, 'id' | 'query'> & { id?: string };

/** Whether the service has finished the reply. */
export function isDone({ state }: EndedReply): boolean {
  return state === 'whole' || state === 'cut';
}

/**
 * The end of a turn whose reply the service finished. A question about the bot itself ends with its
 * help, unless a cited source answers it: then a button shows the help.
 */
export function toEnd(turn: TurnRecord, stored: EndedReply, typed?: TypedCommand): End {
  const help = typed && findHelp(turn.query, turn.author.locale);
  const end = toUsualEnd(turn, stored);
  const { ending, sources = [] } = end;
  if (!help || !ending) return end;
  const { query } = turn;
  if (beginsToAnswer(stored.response, query, help) || areAnswering(sources, query, help)) {
    const buttons = [...ending.buttons, ...helpButtons(turn.id, textsFor(turn.author.locale))];
    return { ...end, ending: { ...ending, buttons } };
  }
  const text = renderHelpTopic(help, turn.address.platform, typed);
  const footer =
    sources.length > 0
      ? help.texts.aboutBot.alsoIn(listSources(sources, help.texts, turn.sentAt))
      : '';
  return { ...end, unanswered: undefined, ending: { ...ending, text, footer } };
}

function toUsualEnd(turn: TurnRecord, stored: EndedReply): End {
  const texts = textsFor(turn.author.locale);
  const { emptyAnswer, cut } = texts.thread;
  const sources = citedSources(stored);
  const text = translateEnd(stored.response, stored.failure, texts);
  const ending = {
    text: text.trim() === '' ? emptyAnswer : text,
    footer: renderSources(sources, texts, turn.sentAt),
    buttons: answeredButtons(turn.id, sources.length > 0, texts),
    markers: new Set(sources.map((source) => source.marker)),
  };
  const isCut = stored.state === 'cut';
  return {
    ending: isCut ? withNote(ending, cut) : ending,
    outcome: isCut ? 'cut' : 'answered',
    answer: stored.id,
    sources,
    unanswered: stored.unanswered,
  };
}

/** The end of a turn whose reply failed at the service: what it has, with the reason below it. */
export function toFailedEnd(turn: TurnRecord, stored: EndedReply): End {
  const texts = textsFor(turn.author.locale);
  const { response, reason = '', failure } = stored;
  const said = failure ? renderProblem(failure) : reason;
  const text = said !== '' && response.endsWith(said) ? response.slice(0, -said.length) : response;
  const why = failure ? renderProblem(failure, texts) : reason || texts.failures.interrupted();
  return {
    outcome: 'failed',
    ending: toFailure(turn, text, `⚠️ ${why}`, texts),
    answer: stored.id,
  };
}

/** The sources that a reply cites, in the order of its footnotes. */
function citedSources({ response, sources }: EndedReply): Source[] {
  const known = new Set(sources.map((source) => source.marker));
  const { markers } = numberMarkers(response, known);
  return markers.flatMap((marker) => sources.find((source) => source.marker === marker) ?? []);
}

/** The end of a turn that failed or was stopped: the text so far, with the reason below it. */
export function toEarlyEnd(
  turn: TurnRecord,
  { text, hasBegun, isLinedUp }: Pick<Reply, 'text' | 'hasBegun' | 'isLinedUp'>,
  cause: unknown,
): End {
  const stopped = cause instanceof StoppedError;
  const outcome = stopped ? 'stopped' : 'failed';
  const removed = stopped && cause.reason.kind === 'removed';
  if (removed && !hasBegun && turn.posted.length === 0) return { outcome };
  // A turn that leaves the line makes room for the next one.
  if (stopped && isLinedUp && cause.reason.kind === 'person') return { outcome };
  const texts = textsFor(turn.author.locale);
  const mark = stopped && cause.reason.kind !== 'restart' ? '⏹' : '⚠️';
  const failure = toFailure(turn, text, `${mark} ${explainError(cause, texts)}`, texts);
  const ending = removed ? { ...failure, buttons: [] } : failure;
  const isRestarted = stopped && cause.reason.kind === 'restart' && text !== '';
  return { outcome, ending, unsettled: isRestarted || isBrokenStream(cause) };
}

/** The text so far, the reason below it, and a retry button. */
function toFailure(turn: TurnRecord, text: string, reason: string, texts: Texts): Ending {
  const arrived = closeMarkdown(text).trimEnd();
  return {
    text: arrived === '' ? reason : `${arrived}\n\n${reason}`,
    footer: '',
    buttons: retryButtons(turn, texts),
  };
}

/** Whether the service may have stored more of a reply than has arrived. */
function isBrokenStream(error: unknown): boolean {
  return (
    error instanceof ChatbotError && ['interrupted', 'timeout', 'unavailable'].includes(error.kind)
  );
}

function noted(end: End, note: string): End {
  return { ...end, ending: end.ending && withNote(end.ending, note) };
}

function withNote(ending: Ending, note: string): Ending {
  return { ...ending, footer: [note, ending.footer].filter(Boolean).join('\n') };
}
