import { addressKey, messageKey } from './address.ts';
import { explainError } from './explain.ts';
import type { Journal } from './journal.ts';
import type { Coordinator, IncomingMessage } from './ports.ts';
import { createQueue } from './queue.ts';
import { StoppedError } from './stopped-error.ts';
import { takeTurn, type TurnTools } from './turn.ts';

/** The core: what people write goes in, replies grow in their threads. */
export interface Conversation {
  /** Takes up a message, and resolves when its turn has ended. Never rejects. */
  receive(message: IncomingMessage): Promise<void>;
  /** Takes no more messages; turns in flight get `graceMs` to end, then they are ended with a note. */
  close(graceMs: number): Promise<void>;
}

/** Platforms deliver a message again within minutes; a day is cheap. */
const claimTtlMs = 24 * 60 * 60 * 1000;

/** More questions than this in one thread at once are refused. */
const mostWaiting = 10;

const tooMany = 'I’m still answering earlier questions here. Please ask again when I’m done.';

const greeting = 'Hello! Ask me a question, and I’ll answer here from what I’ve been taught.';

export function createConversation(
  tools: TurnTools & { journal: Journal; coordinator: Coordinator },
): Conversation {
  const { sessions, journal, coordinator, log } = tools;
  const queue = createQueue();
  const stopping = new AbortController();
  let closed = false;

  async function receive(message: IncomingMessage): Promise<void> {
    if (closed || !(await isForUs(message))) return;
    try {
      if (await coordinator.claim(messageKey(message), claimTtlMs)) await answer(message);
    } catch (error) {
      log.error({ err: error, thread: message.thread.address }, 'a message was not answered');
      await sayWhy(message, error);
    }
  }

  /** A mention, a direct message, or anything said in a thread that has a session. */
  async function isForUs(message: IncomingMessage): Promise<boolean> {
    if (message.addressed !== 'overheard') return true;
    if (message.text.trim() === '') return false;
    try {
      return (await sessions.find(message.thread.address)) !== undefined;
    } catch (error) {
      log.error({ err: error, thread: message.thread.address }, 'an overheard message was skipped');
      return false;
    }
  }

  async function answer(message: IncomingMessage): Promise<void> {
    const { thread } = message;
    const key = addressKey(thread.address);
    if (message.text.trim() === '') return void (await thread.post({ markdown: greeting }));
    if (queue.length(key) >= mostWaiting) return void (await thread.post({ markdown: tooMany }));
    const opened = journal.open(message);
    const turn = queue.run(key, async () => {
      const record = await opened;
      try {
        await takeTurn(message, record, tools, stopping.signal);
      } finally {
        await record.close();
      }
    });
    await Promise.all([opened, turn]);
  }

  async function sayWhy(message: IncomingMessage, error: unknown): Promise<void> {
    try {
      await message.thread.post({ markdown: `⚠️ ${explainError(error)}` });
    } catch (again) {
      log.error({ err: again }, 'and could not say so in the thread');
    }
  }

  async function close(graceMs: number): Promise<void> {
    closed = true;
    const timer = setTimeout(() => stopping.abort(new StoppedError()), graceMs);
    await queue.idle();
    clearTimeout(timer);
  }

  return { receive, close };
}
