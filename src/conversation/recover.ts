import { explainError } from './explain.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { Pacer } from './pacer.ts';
import type { Chatbot, Log, Platform } from './ports.ts';
import { createReply } from './reply.ts';
import { StoppedError } from './stopped-error.ts';
import { toEnding, withError } from './turn.ts';

/**
 * Ends the turns that an earlier run left unfinished: the reply is completed where the service has
 * it whole, and otherwise the thread is told to ask again. No reply stays half-written.
 */
export async function recoverTurns(options: {
  journal: Journal;
  platforms: readonly Platform[];
  chatbot: Chatbot;
  pacer: Pacer;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { journal, log } = options;
  for await (const [key, entry] of journal.unfinished()) {
    try {
      await finishTurn(entry);
    } catch (error) {
      log.error({ err: error, thread: entry.address }, 'an interrupted turn could not be ended');
    }
    await journal.close(key);
  }

  async function finishTurn(entry: JournalEntry): Promise<void> {
    const platform = options.platforms.find((each) => each.name === entry.address.platform);
    if (!platform) return;
    const { pacer, chatbot, signal } = options;
    const thread = platform.thread(entry.address);
    const reply = createReply({ thread, pacer, posted: entry.posted });
    const last = entry.session ? await chatbot.lastReply(entry.session, signal) : undefined;
    const stored = last?.query === entry.query ? last : undefined;
    const ending =
      stored && stored.state !== 'partial'
        ? toEnding(stored)
        : { text: withError(stored?.response ?? '', explainError(new StoppedError())) };
    await reply.finish(ending);
  }
}
