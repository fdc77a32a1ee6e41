import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import { ChatbotError } from '../bridge/conversation/errors.ts';
import type { Log } from '../shared/primitives/log.ts';
import { growingWaitMs, retry } from '../shared/primitives/retry.ts';
import { sleep } from '../shared/primitives/time.ts';

/** Checks at the start whether the configured chatbot can answer. */
interface Probe {
  /** What the configuration lacks, in words; undefined if no fault is known. */
  missing(): string | undefined;
  /** Resolves once the service has answered for the first time, or can't be reached. */
  firstTry: Promise<void>;
}

const maxWaitMs = 30_000;

/**
 * Asks for the chatbot until the service gives it, so that a wrong key or uuid shows in the log and
 * in readiness before anybody asks a question. An unreachable service is not a fault of the configuration:
 * people who ask meanwhile are told.
 */
export function probeChatbot(
  { client, uuid }: { client: Pick<ChatbotClient, 'getChatbot'>; uuid: string },
  { log, signal }: { log: Log; signal: AbortSignal },
): Probe {
  const firstTry = Promise.withResolvers<void>();
  let missing: string | undefined;
  let said = '';

  function waitMs(error: unknown, failures: number): number | undefined {
    if (signal.aborted) return undefined;
    const found = missingFrom(error);
    const reason = error instanceof Error ? error.message : String(error);
    if (found && reason !== said) log.error({ reason }, `the chatbot service refuses ${found}`);
    else if (reason !== said) log.warn({ reason }, 'the chatbot service does not answer yet');
    said = reason;
    missing = found;
    firstTry.resolve();
    return growingWaitMs(failures, { maxMs: maxWaitMs });
  }

  async function ask(): Promise<void> {
    try {
      await retry(() => client.getChatbot(uuid, signal), { waitMs, sleep, signal });
      missing = undefined;
    } finally {
      firstTry.resolve();
    }
  }

  // Fails only when the process stops.
  ask().catch(() => {});
  return { missing: () => missing, firstTry: firstTry.promise };
}

function missingFrom(error: unknown): string | undefined {
  if (!(error instanceof ChatbotError)) return undefined;
  // Some keys may chat, but not read the chatbot (403).
  if (error.status === 401) return 'the key in CHATBOT_API_KEY';
  if (error.kind === 'not_found') return 'the chatbot in CHATBOT_UUID, which it does not know';
  return undefined;
}
