/** Bytes that may wait for a slow reader before the sender is paused. */
const fullBytes = 1024 * 1024;
const lowBytes = fullBytes / 4;

/** What an inbox asks of its connection. */
export interface InboxFlow {
  pause(): void;
  resume(): void;
  /** The reader left before the end. */
  cancel(): void;
}

/**
 * A queue of bytes between a connection that pushes and one reader that pulls. A failure is
 * delivered after everything that came before it.
 */
export function createInbox(flow: InboxFlow) {
  const waiting: Uint8Array[] = [];
  let size = 0;
  let paused = false;
  let end: { error?: Error } | undefined;
  let wake: (() => void) | undefined;

  function close(how: { error?: Error }) {
    end ??= how;
    wake?.();
  }

  function take(): Uint8Array | undefined {
    const bytes = waiting.shift();
    size -= bytes?.length ?? 0;
    if (paused && size <= lowBytes) {
      paused = false;
      flow.resume();
    }
    return bytes;
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const bytes = take();
        if (bytes) yield bytes;
        else if (end?.error) throw end.error;
        else if (end) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      waiting.length = 0;
      if (!end) flow.cancel();
    }
  }

  return {
    read,
    push(bytes: Uint8Array) {
      waiting.push(bytes);
      size += bytes.length;
      if (!paused && size > fullBytes) {
        paused = true;
        flow.pause();
      }
      wake?.();
    },
    /** Drops everything queued. */
    clear() {
      waiting.length = 0;
      size = 0;
    },
    end: () => close({}),
    fail: (error: Error) => close({ error }),
  };
}
