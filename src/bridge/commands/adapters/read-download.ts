import { PlatformError } from '../../conversation/platform-error.ts';

/**
 * A file's bytes as they arrive from a platform, until `signal` aborts.
 * @param platform the platform's name, for the error
 * @throws {PlatformError} when there are more than `maxBytes`, or they can't be read
 */
export async function* readDownload(
  bytes: AsyncIterable<Uint8Array>,
  { platform, maxBytes }: { platform: string; maxBytes: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  try {
    for await (const part of bytes) {
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

/** What a platform's status says about a file that it does not give. */
export function downloadRefused(platform: string, status: number): PlatformError {
  if (status === 404 || status === 410) return new PlatformError('gone', 'file_gone');
  return new PlatformError('failed', { code: 'file_refused', params: { platform, status } });
}

/** A file is larger than the service accepts. */
export function downloadTooLarge(maxBytes: number): PlatformError {
  return new PlatformError('failed', { code: 'file_over_limit', params: { max: maxBytes } });
}
