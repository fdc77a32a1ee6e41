import { ChatbotError } from '../conversation/chatbot-error.ts';
import type { Texts } from '../texts/texts.ts';

/** The size limit of files that become sources. */
export interface FileLimits {
  /** Bytes: the lower of the configured limit and what the service is known to accept. */
  readonly maxBytes: number;
  /** Why a file of this size will be refused, as a sentence; undefined if it may be accepted. */
  problemWith(bytes: number, texts: Texts, size: (bytes: number) => string): string | undefined;
  /** Learns from the error with which the service refused a file of this size. */
  failed(bytes: number, error: unknown): void;
}

/** A learnt limit expires after this time: the service's limits may change. */
const learntMs = 60 * 60 * 1000;

/**
 * Combines the configured limit with sizes that the service has refused as too large (413), because
 * the API has no operation that returns its limit.
 */
export function createFileLimits(options: {
  maxBytes: number;
  /** Milliseconds. */
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
