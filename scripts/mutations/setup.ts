// Runs before every test file: makes the change that MUTATION names, and notes which ones are reached.
import { afterAll, afterEach, beforeEach } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The changes that a test reaches; of a file, those reached outside of its tests. */
    reached?: number[];
  }
}

const made = Number(process.env['MUTATION']);
const reached = new Set<number>();
const reachedByFile = new Set<number>();

function takeReached(): number[] {
  const taken = [...reached];
  reached.clear();
  return taken;
}

/** What changed code calls. */
const mutation = {
  isMade(id: number): boolean {
    reached.add(id);
    return id === made;
  },
  negate: (id: number, value: unknown) => (mutation.isMade(id) ? !value : value),
};
Object.assign(globalThis, { mutation });

beforeEach(() => {
  for (const id of takeReached()) reachedByFile.add(id);
});
afterEach(({ task }) => {
  task.meta.reached = takeReached();
});
// oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures are named here
afterAll(({}, file) => {
  file.meta.reached = [...reachedByFile, ...takeReached()];
});
