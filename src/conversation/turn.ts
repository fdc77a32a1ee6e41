import { type Messages, messagesFor } from '../messages/messages.ts';
import { withTimeLimit } from '../primitives/time-limit.ts';
import { answeredButtons, retryButtons } from './buttons.ts';
import { ChatbotError } from './chatbot-error.ts';
import { numberMarkers, renderSources } from './reply/citations.ts';
import { explainError } from './explain.ts';
import { closeMarkdown } from './markdown/close-markdown.ts';
import type { Button, Chatbot, Log, Outcome, Source, StoredReply, Thread } from './ports.ts';
import type { Ending, Reply } from './reply/reply.ts';
import type { SessionRecord, Sessions } from './sessions.ts';
import type { TurnRecord, Turns } from './turns.ts';
import { StoppedError } from './running-turns.ts';

/** One query and everything needed to answer it. */
export interface Turn {
  record: TurnRecord;
  thread: Thread;
  /** Aborted with a StoppedError to end the turn early. */
  signal: AbortSignal;
  /** Further buttons below the reply, however it ends. Never rejects. */
  furtherButtons: Promise<readonly Button[]>;
}

/** What a turn needs to ask the service. */
export interface TurnTools {
  chatbot: Chatbot;
  sessions: Sessions;
  turns: Turns;
  log: Log;
}

/** How long a service that fell silent may take to give its stored reply: people wait for a word. */
const lastChanceMs = 1_500;

/** This many characters identify a reply, even if the service trimmed its end. */
const recognisable = 20;

/**
 * Runs one turn: sends the query to the thread's session and streams the reply into the thread.
 * Upstream failures are shown in the thread.
 * @throws {PlatformError} when no message can be posted in the thread
 */
export async function runTurn(turn: Turn, reply: Reply, tools: TurnTools): Promise<Outcome> {
  const { ending, outcome } = await ask(turn, reply, tools).catch((error: unknown) =>
    endEarly(turn, reply, tools.log, error),
  );
  if (ending) {
    const buttons = [...ending.buttons, ...(await turn.furtherButtons)];
    await reply.finish({ ...ending, buttons });
  }
  return outcome;
}

interface End {
  /** Absent if nothing is to be written. */
  ending?: Ending;
  outcome: Outcome;
}

/** Asks in the thread's session. If the service no longer knows it, asks once more in a new one. */
async function ask(turn: Turn, reply: Reply, tools: TurnTools): Promise<End> {
  // The turn may have been stopped while it waited.
  turn.signal.throwIfAborted();
  const { address } = turn.record;
  const { usualChatbot, freshSession } = messagesOf(turn).thread;
  const known = await tools.sessions.findOrCreate(address, turn.signal);
  try {
    const end = await askIn(known, turn, reply, tools);
    return known.usesFallback ? noted(end, usualChatbot) : end;
  } catch (error) {
    const gone = error instanceof ChatbotError && error.kind === 'not_found' && reply.text === '';
    if (!gone) throw error;
  }
  await tools.sessions.forget(address);
  const created = await tools.sessions.findOrCreate(address, turn.signal);
  const end = await askIn(created, turn, reply, tools);
  return noted(end, created.usesFallback ? usualChatbot : freshSession);
}

/**
 * Streams the reply into the thread.
 * @throws {ChatbotError}
 */
async function askIn(
  { session }: SessionRecord,
  turn: Turn,
  reply: Reply,
  tools: TurnTools,
): Promise<End> {
  const { record, signal } = turn;
  await tools.turns.update(record.id, { session });
  let failure: unknown;
  try {
    for await (const delta of tools.chatbot.reply(session, record, signal)) {
      reply.append(delta);
    }
  } catch (error) {
    failure = error;
  }
  if (failure && !isBrokenStream(failure)) throw failure;
  // What the service stored can only complete what people have seen the start of.
  if (failure && reply.text.trim() === '') throw failure;
  const newest = await readStored(session, turn, tools, failure);
  const stored = newest && isReplyTo(reply.text, newest) ? newest : undefined;
  if (failure && (!stored || stored.state === 'partial')) throw failure;
  const messages = messagesOf(turn);
  const text = reply.text.trim() === '' ? messages.thread.emptyAnswer : reply.text;
  const end: EndedReply = stored ?? { response: text, sources: [], state: 'whole' };
  await tools.turns.update(record.id, { sources: citedSources(end) });
  return {
    ending: toEnding(record.id, end, messages),
    outcome: end.state === 'cut' ? 'cut' : 'answered',
  };
}

/** The stored reply, if the service has it. A reply that was shown whole does not need it. */
async function readStored(
  session: string,
  { record, signal }: Turn,
  tools: TurnTools,
  failure: unknown,
): Promise<StoredReply | undefined> {
  const timedOut = failure instanceof ChatbotError && failure.kind === 'timeout';
  const read = (limited: AbortSignal) => tools.chatbot.lastReply(session, limited);
  try {
    const stored = await (timedOut ? withTimeLimit(lastChanceMs, signal, read) : read(signal));
    return stored?.query === record.query ? stored : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    tools.log.warn({ err: error, session }, 'the reply’s sources could not be read');
    return undefined;
  }
}

/**
 * Whether the stored reply is the streamed one: the same query may have been asked before, and may
 * not have reached the service this time.
 */
function isReplyTo(streamed: string, stored: StoredReply): boolean {
  return stored.response.trim().startsWith(streamed.trim().slice(0, recognisable));
}

/** A reply as far as its ending shows it: stored, or streamed only. */
type EndedReply = Pick<StoredReply, 'response' | 'sources' | 'state'>;

/** The sources that a reply cites, in the order of its footnotes. */
function citedSources({ response, sources }: EndedReply): Source[] {
  const known = new Set(sources.map((source) => source.marker));
  const { markers } = numberMarkers(response, known);
  return markers.flatMap((marker) => sources.find((source) => source.marker === marker) ?? []);
}

/** The ending of a reply that the service stored whole. */
export function toEnding(turn: string, stored: EndedReply, messages: Messages): Ending {
  const { emptyAnswer, cut } = messages.thread;
  const cited = citedSources(stored);
  const ending = {
    text: stored.response.trim() === '' ? emptyAnswer : stored.response,
    footer: renderSources(cited, messages),
    buttons: answeredButtons(turn, cited.length > 0, messages),
    markers: new Set(cited.map((source) => source.marker)),
  };
  return stored.state === 'cut' ? withNote(ending, cut) : ending;
}

/** The ending of a failed reply: the text so far, the reason below it, and a retry button. */
export function toFailure(turn: string, text: string, error: unknown, messages: Messages): Ending {
  const asked = error instanceof StoppedError && error.reason.kind !== 'restart';
  const mark = asked ? '⏹' : '⚠️';
  const reason = `${mark} ${explainError(error, messages)}`;
  const arrived = closeMarkdown(text).trimEnd();
  return {
    text: arrived === '' ? reason : `${arrived}\n\n${reason}`,
    footer: '',
    buttons: retryButtons(turn, messages),
  };
}

function endEarly(turn: Turn, reply: Reply, log: Log, error: unknown): End {
  const { record, signal } = turn;
  const cause: unknown = signal.aborted ? signal.reason : error;
  const stopped = cause instanceof StoppedError;
  if (!stopped) log.warn({ err: error, turn: record.id }, 'the turn failed');
  const outcome = stopped ? 'stopped' : 'failed';
  const removed = stopped && cause.reason.kind === 'removed';
  if (removed && reply.text.trim() === '') return { outcome };
  return { outcome, ending: toFailure(record.id, reply.text, cause, messagesOf(turn)) };
}

/** The messages in the asker's language. */
function messagesOf({ record }: Turn): Messages {
  return messagesFor(record.author.locale);
}

function isBrokenStream(error: unknown): boolean {
  return (
    error instanceof ChatbotError && ['interrupted', 'timeout', 'unavailable'].includes(error.kind)
  );
}

function noted({ ending, outcome }: End, note: string): End {
  return { outcome, ...(ending && { ending: withNote(ending, note) }) };
}

function withNote(ending: Ending, note: string): Ending {
  return { ...ending, footer: [note, ending.footer].filter(Boolean).join('\n') };
}
