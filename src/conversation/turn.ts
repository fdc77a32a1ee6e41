import { ChatbotError } from './chatbot-error.ts';
import { renderSources } from './citations.ts';
import { explainError } from './explain.ts';
import type { JournalRecord } from './journal.ts';
import { closeMarkdown } from './markdown/close-markdown.ts';
import type { Pacer } from './pacer.ts';
import type { Chatbot, IncomingMessage, Log, StoredReply } from './ports.ts';
import { createReply, type Reply } from './reply.ts';
import type { SessionRecord, Sessions } from './sessions.ts';
import { showWorking } from './working.ts';

export interface TurnTools {
  chatbot: Chatbot;
  sessions: Sessions;
  pacer: Pacer;
  log: Log;
}

/** The end of a reply: its last text, and the small print below. */
interface Ending {
  text: string;
  footer: string;
}

const emptyAnswer = 'I got an empty answer. Try asking in other words.';

const freshSession =
  'The chatbot service no longer had our earlier conversation, so this is a new one.';

/**
 * Takes one turn: the query goes to the thread's session, the reply grows in the thread. Whatever
 * fails upstream is said in the thread.
 *
 * @throws {PlatformError} where the thread takes no message at all
 */
export async function takeTurn(
  message: IncomingMessage,
  record: JournalRecord,
  tools: TurnTools,
  signal: AbortSignal,
): Promise<void> {
  const { thread } = message;
  const working = showWorking(thread, tools.log);
  const reply = createReply({
    thread,
    pacer: tools.pacer,
    onPosted: (posted) => {
      working[Symbol.dispose]();
      return record.update({ posted });
    },
  });
  try {
    const ending = await stream(message, reply, record, tools, signal).catch((error: unknown) => {
      tools.log.warn({ err: error, thread: thread.address }, 'the turn failed');
      return { text: withError(reply.text, explainEnd(error, signal)), footer: '' };
    });
    await reply.finish(ending);
  } finally {
    working[Symbol.dispose]();
  }
}

/** Streams the reply into the thread and tells how it ends. @throws {ChatbotError} */
async function stream(
  message: IncomingMessage,
  reply: Reply,
  record: JournalRecord,
  tools: TurnTools,
  signal: AbortSignal,
): Promise<Ending> {
  const { address } = message.thread;
  const known = await tools.sessions.findOrCreate(address, signal);
  try {
    return await streamIn(known, message.text, reply, record, tools, signal);
  } catch (error) {
    const gone = error instanceof ChatbotError && error.kind === 'not_found' && reply.text === '';
    if (!gone) throw error;
    await tools.sessions.forget(address);
    const created = await tools.sessions.findOrCreate(address, signal);
    const ending = await streamIn(created, message.text, reply, record, tools, signal);
    return { ...ending, footer: joinNotes(freshSession, ending.footer) };
  }
}

async function streamIn(
  { session }: SessionRecord,
  query: string,
  reply: Reply,
  record: JournalRecord,
  tools: TurnTools,
  signal: AbortSignal,
): Promise<Ending> {
  await record.update({ session });
  let failure: unknown;
  try {
    for await (const delta of tools.chatbot.reply(session, query, signal)) reply.append(delta);
  } catch (error) {
    failure = error;
  }
  if (failure && !isBrokenStream(failure)) throw failure;
  const stored = await lastReplyTo(query, session, tools, signal);
  if (failure && stored?.state !== 'whole' && stored?.state !== 'cut') throw failure;
  return stored ? toEnding(stored) : { text: reply.text.trim() || emptyAnswer, footer: '' };
}

/** The stored turn, where the service has it: a reply that was shown whole stands without it. */
async function lastReplyTo(
  query: string,
  session: string,
  tools: TurnTools,
  signal: AbortSignal,
): Promise<StoredReply | undefined> {
  try {
    const stored = await tools.chatbot.lastReply(session, signal);
    return stored?.query === query ? stored : undefined;
  } catch (error) {
    tools.log.warn({ err: error, session }, 'the reply’s sources could not be read');
    return undefined;
  }
}

/** How a reply ends that the service stored. */
export function toEnding(stored: StoredReply): Ending {
  const cut = stored.state === 'cut' ? 'This answer was cut at its greatest length.' : '';
  return {
    text: stored.response.trim() === '' ? emptyAnswer : stored.response,
    footer: joinNotes(renderSources(stored.sources), cut),
  };
}

/** What arrived, with the reason below why no more will. */
export function withError(text: string, sentence: string): string {
  const arrived = closeMarkdown(text).trimEnd();
  return arrived === '' ? `⚠️ ${sentence}` : `${arrived}\n\n⚠️ ${sentence}`;
}

function explainEnd(error: unknown, signal: AbortSignal): string {
  return explainError(signal.aborted ? signal.reason : error);
}

function isBrokenStream(error: unknown): boolean {
  return (
    error instanceof ChatbotError && ['interrupted', 'timeout', 'unavailable'].includes(error.kind)
  );
}

function joinNotes(...notes: string[]): string {
  return notes.filter((note) => note !== '').join('\n');
}
