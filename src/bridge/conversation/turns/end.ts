import { renderProblem, translateEnd } from '../../../shared/problems/problem.ts';
import { isBlank, shorten } from '../../../shared/primitives/text.ts';
import { type Texts, textsFor } from '../../texts/texts.ts';
import { answeredButtons, helpButtons, retryButtons } from '../buttons.ts';
import type { Source, StoredReply } from '../chatbot.ts';
import { explainError, isChatbotError, StoppedError } from '../errors.ts';
import {
  areAnswering,
  beginsToAnswer,
  findHelp,
  renderHelpTopic,
  type TypedCommand,
} from '../help.ts';
import type { Ending, TurnRecord } from '../inbox/row.ts';
import { closeFence, closeMarkdown } from '../markdown/close-markdown.ts';
import { renderPlainText } from '../markdown/plain-text.ts';
import { scanLines } from '../markdown/scan-lines.ts';
import type { Outcome } from '../reports.ts';
import {
  listSources,
  numberEnding,
  numberMarkers,
  renderSources,
} from '../reply/reply-contents.ts';
import type { Reply } from '../reply/reply.ts';

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
  /** The service says that the reply may not answer the question. */
  isWeak?: boolean;
  /** The reply broke off: the service may have it whole later. */
  unsettled?: boolean;
}

/**
 * Whether the session's newest message belongs to the turn: it is newer than the one before the
 * turn, and has its query, as another thread may ask in the same session.
 */
export function isReplyTo({ after, query }: TurnRecord, newest: StoredReply): boolean {
  return newest.id !== after && newest.query.trim() === query.trim();
}

/** A reply as far as its end shows it: stored, or streamed only. */
export type EndedReply = Omit<StoredReply, 'id' | 'query'> & { id?: string };

/** Whether the service has finished the reply. */
export function isDone({ state }: EndedReply): boolean {
  return state === 'whole' || state === 'cut';
}

/**
 * The end of a turn whose reply the service finished. A question about the bot itself ends with its
 * help, unless a cited source answers it: then a button shows the help.
 */
export function toEnd(turn: TurnRecord, stored: EndedReply, typed: TypedCommand): End {
  const help = findHelp(turn.query, turn.author.locale);
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
  return { ...end, unanswered: undefined, isWeak: undefined, ending: { ...ending, text, footer } };
}

function toUsualEnd(turn: TurnRecord, stored: EndedReply): End {
  const texts = textsFor(turn.author.locale);
  const { emptyAnswer, cut } = texts.thread;
  const sources = citedSources(stored);
  const text = translateEnd(stored.response, stored.failure, texts);
  const isTaught = stored.unanswered && turn.isTeachable;
  const whole = {
    text: closeFence(text, scanLines(text)),
    footer: renderSources(sources, texts, turn.sentAt),
    buttons: answeredButtons(turn.id, { hasSources: sources.length > 0, isTaught }, texts),
    markers: sources.map(({ marker }) => marker),
  };
  const ending = isBlank(numberEnding(whole)) ? { ...whole, text: emptyAnswer } : whole;
  const isCut = stored.state === 'cut';
  const notes = [isCut ? cut : '', turn.unread ?? ''].filter(Boolean).join('\n');
  return {
    ending: notes === '' ? ending : withNote(ending, notes),
    outcome: isCut ? 'cut' : 'answered',
    answer: stored.id,
    sources,
    unanswered: stored.unanswered,
    isWeak: stored.isWeak,
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

const nothingShown = { text: '', hasBegun: false, isLinedUp: false };

/** The end of a turn that failed or was stopped: the text so far, with the reason below it. */
export function toEarlyEnd(
  turn: TurnRecord,
  cause: unknown,
  { text, hasBegun, isLinedUp }: Pick<Reply, 'text' | 'hasBegun' | 'isLinedUp'> = nothingShown,
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

/** The end of a question that consists of files, none of which could be read. */
export function toUnreadEnd(text: string): End {
  return { outcome: 'answered', ending: { text, footer: '', buttons: [] } };
}

/** The end of a question that waited for too long: it is asked if somebody still wants that. */
export function toLateEnd(turn: TurnRecord): End {
  const texts = textsFor(turn.author.locale);
  const text = `⚠️ ${texts.thread.interrupted}`;
  return { outcome: 'stopped', ending: { text, footer: '', buttons: retryButtons(turn, texts) } };
}

/** What an earlier run has shown stays above the ending. */
export function keepingShown(end: End): End {
  return end.ending ? { ...end, ending: { ...end.ending, keepsShown: true } } : end;
}

/** Whether the service may have stored more of a reply than has arrived. */
export function isBrokenStream(error: unknown): boolean {
  return isChatbotError(error, 'interrupted', 'timeout', 'unavailable');
}

/** An end with a note below its text. */
export function noted(end: End, note: string): End {
  return { ...end, ending: end.ending && withNote(end.ending, note) };
}

function withNote(ending: Ending, note: string): Ending {
  return { ...ending, footer: [note, ending.footer].filter(Boolean).join('\n') };
}

export function isRestart(cause: unknown): boolean {
  return cause instanceof StoppedError && cause.reason.kind === 'restart';
}

export function isRemoved(cause: unknown): boolean {
  return cause instanceof StoppedError && cause.reason.kind === 'removed';
}

/** How much of a question is quoted. */
const maxQuestionLength = 200;

/** A turn's question in a sentence about it. */
export function quoteQuestion({ query }: TurnRecord): string {
  return renderPlainText(shorten(query, maxQuestionLength));
}
