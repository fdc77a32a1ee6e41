import { availableParallelism, totalmem } from 'node:os';

const maxReaders = 8;
/** What a reading process may use, in bytes. */
const readerBytes = 512 * 1024 * 1024;

/**
 * How many files are read at once: one more than there are cores, because downloads and pauses wait,
 * but no more than half of the memory holds. At least two, so that one is left to other owners.
 */
export function countReaders({
  cores = availableParallelism(),
  memoryBytes = availableBytes(),
} = {}): number {
  const byMemory = Math.floor(memoryBytes / 2 / readerBytes);
  return Math.max(2, Math.min(cores + 1, byMemory, maxReaders));
}

/** The memory of the machine, or of the container that limits it. */
function availableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
