import { isChatbotError, PlatformError } from '../conversation/errors.ts';
import type { Texts } from '../texts/texts.ts';

/** A file that a person attached on a platform. It can be read once, as a stream. */
export interface IncomingFile {
  name: string;
  /** Bytes, as reported by the platform. */
  size: number;
  contentType?: string;
  /** What its platform opens it with again: JSON, which may be stored. */
  origin: unknown;
  /**
   * The bytes.
   * @throws {PlatformError} when the platform does not deliver them
   */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Opens a file again, by its `origin`. */
export type OpenFile = (origin: unknown) => IncomingFile;

/** Slack's limit for a file input. */
export const maxFiles = 10;

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
      if (!isChatbotError(error, 'too_large')) return;
      const isSmaller = !learnt || learnt.untilMs <= now() || bytes < learnt.bytes;
      if (isSmaller) learnt = { bytes, untilMs: now() + learntMs };
    },
  };
}

/** Reads the files that people attach on a platform. */
export interface FileReader<File> {
  readonly maxBytes: number;
  /** Converts a file for commands. Its `read` throws a PlatformError if the platform does not deliver it. */
  toIncomingFile(file: File): IncomingFile;
  /** As `toIncomingFile`, for one that was stored. */
  openFile: OpenFile;
  /**
   * The bytes of a file by its `Attachment.ref`.
   * @throws {PlatformError} when the platform does not deliver them
   */
  readAttachment(ref: unknown, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export function createFileReader<File extends { size: number }>(options: {
  /** Its name, for errors. */
  platform: string;
  maxBytes: number;
  /** What is needed of a file to read it, from what was stored too. */
  toFile(file: unknown): File;
  toFields(file: File): Pick<IncomingFile, 'name' | 'size' | 'contentType'>;
  /** Its bytes as they arrive. */
  download(file: File, signal: AbortSignal): AsyncIterable<Uint8Array>;
}): FileReader<File> {
  const { platform, maxBytes, toFile, toFields, download } = options;

  async function* read(file: File, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let received = 0;
    try {
      for await (const part of download(file, signal)) {
        received += part.byteLength;
        if (received > maxBytes) throw downloadTooLarge(maxBytes);
        yield part;
      }
    } catch (error) {
      if (signal.aborted || error instanceof PlatformError) throw error;
      const problem = { code: 'file_unreadable', params: { platform } } as const;
      throw new PlatformError('failed', problem, { cause: error });
    }
  }

  const toIncomingFile = (file: File): IncomingFile => ({
    ...toFields(file),
    origin: toFile(file),
    read: (signal) => read(file, signal),
  });

  return {
    maxBytes,
    toIncomingFile,
    openFile: (origin) => toIncomingFile(toFile(origin)),
    readAttachment: (ref, signal) => read(toFile(ref), signal),
  };
}

/** What a platform's status says about a file that it does not give. */
export function downloadRefused(platform: string, status: number): PlatformError {
  if (status === 404 || status === 410) return new PlatformError('gone', 'file_gone');
  return new PlatformError('failed', { code: 'file_refused', params: { platform, status } });
}

/** A file is larger than the service accepts. */
export function downloadTooLarge(maxBytes: number): PlatformError {
  return new PlatformError('failed', { code: 'file_over_limit', params: { max: maxBytes } });
}
