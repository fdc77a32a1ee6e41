import { ChatbotError } from '../conversation/chatbot-error.ts';
import type { Messages } from '../messages/messages.ts';

/** How large files may be that become sources. */
export interface FileLimits {
  /** Bytes; what the platforms give and the service is known to take. */
  readonly maxBytes: number;
  /** Why a file of so many bytes will be refused, as a sentence; undefined where it may be taken. */
  problemWith(bytes: number, texts: Messages, size: (bytes: number) => string): string | undefined;
  /** Learns from what the service said to a file of so many bytes. */
  failed(bytes: number, error: unknown): void;
}

/** What is learnt counts for this time: the service's limits may change. */
const learntMs = 60 * 60 * 1000;

/**
 * The limit of the configuration, and what the service has refused as too large (413), since the
 * interface has no operation that tells its limit.
 */
export function createFileLimits(options: {
  maxBytes: number;
  /** Milliseconds since the epoch. */
  now: () => number;
}): FileLimits {
  const { maxBytes, now } = options;
  let learnt: { bytes: number; untilMs: number } | undefined;

  return {
    maxBytes,
    problemWith(bytes, { source }, size) {
      if (bytes > maxBytes) return source.fileTooLarge(size(bytes), size(maxBytes));
      const known = learnt && learnt.untilMs > now() ? learnt.bytes : Infinity;
      return bytes >= known ? source.fileRefused(size(bytes), size(known)) : undefined;
    },
    failed(bytes, error) {
      if (!(error instanceof ChatbotError) || error.kind !== 'too_large') return;
      const isSmaller = !learnt || learnt.untilMs <= now() || bytes < learnt.bytes;
      if (isSmaller) learnt = { bytes, untilMs: now() + learntMs };
    },
  };
}
