import { messagesFor } from '../messages/messages.ts';
import type { Pacer } from './reply/pacer.ts';
import { isRefusal } from './platform-error.ts';
import type { Chatbot, Log, StoredReply, Thread, ThreadAddress } from './ports.ts';
import { createReply } from './reply/reply.ts';
import { toEnding, toFailure } from './turn.ts';
import type { TurnRecord, Turns } from './turns.ts';
import { StoppedError } from './running-turns.ts';

/**
 * Ends the turns that an earlier run left unfinished. If the service has the whole reply, it is
 * completed; otherwise the thread gets a note to ask again. No reply stays half-written.
 */
export async function recoverTurns(options: {
  turns: Turns;
  openThread(address: ThreadAddress): Thread | undefined;
  chatbot: Chatbot;
  pacer: Pacer;
  log: Log;
  /** Max characters of a reply to show. */
  maxReplyCharacters?: number;
  signal: AbortSignal;
}): Promise<void> {
  const { turns, pacer, chatbot, log, signal, maxReplyCharacters } = options;
  for (const record of await turns.unfinished()) {
    try {
      const thread = options.openThread(record.address);
      if (thread) await finishTurn(record, thread);
    } catch (error) {
      log.error({ err: error, thread: record.address }, 'an interrupted turn could not be ended');
      if (isRefusal(error, 'failed', 'rate_limited')) continue;
    }
    await turns.close(record.id);
  }

  async function finishTurn(record: TurnRecord, thread: Thread): Promise<void> {
    const { id, posted, query, session } = record;
    const messages = messagesFor(record.author.locale);
    await endStream(thread, posted);
    const last = session ? await readLast(session) : undefined;
    const stored = last?.query === query ? last : undefined;
    // If the service stored nothing, the thread has all there is: the note goes below it.
    const written = stored ? posted : [];
    using reply = createReply({
      thread,
      pacer,
      turn: id,
      question: record.messageId,
      key: `${id}.end`,
      messages,
      posted: written,
      signal,
      maxCharacters: maxReplyCharacters,
    });
    const whole = stored && stored.state !== 'partial';
    const interrupted = new StoppedError({ kind: 'restart' });
    await reply.finish(
      whole
        ? toEnding(id, stored, messages)
        : toFailure(id, stored?.response ?? '', interrupted, messages),
    );
  }

  /** The last message may still be streaming, and can't be edited until its stream ends. */
  async function endStream(thread: Thread, posted: readonly string[]): Promise<void> {
    const last = posted.at(-1);
    try {
      if (last !== undefined) await thread.message(last).endStream?.();
    } catch (error) {
      log.warn({ err: error, thread: thread.address }, 'an interrupted stream could not be ended');
    }
  }

  async function readLast(session: string): Promise<StoredReply | undefined> {
    try {
      return await chatbot.lastReply(session, signal);
    } catch (error) {
      log.warn({ err: error, session }, 'an interrupted turn could not be read');
      return undefined;
    }
  }
}
