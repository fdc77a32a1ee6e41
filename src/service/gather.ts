/** Max characters buffered for a slow reader; beyond it, the deltas wait. */
const maxCharacters = 16 * 1024;
const maxDeltas = 64;

/**
 * Joins deltas that arrive while the reader is busy, so that a reply costs less as the load rises.
 * A waiting reader gets each delta at once.
 */
export async function* toGathered<Outcome>(
  deltas: AsyncGenerator<string, Outcome>,
): AsyncGenerator<string, Outcome> {
  let held = '';
  let count = 0;
  let end: { outcome: Outcome } | { error: unknown } | undefined;
  let changed = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();

  const pump = async () => {
    try {
      for (;;) {
        const { done, value } = await deltas.next();
        if (done) {
          end = { outcome: value };
          break;
        }
        held += value;
        count += 1;
        changed.resolve();
        while (held.length >= maxCharacters || count >= maxDeltas) await taken.promise;
      }
    } catch (error) {
      end = { error };
    }
    changed.resolve();
  };

  try {
    void pump();
    for (;;) {
      if (held === '' && end === undefined) await changed.promise;
      changed = Promise.withResolvers();
      const delta = held;
      held = '';
      count = 0;
      taken.resolve();
      taken = Promise.withResolvers();
      if (delta !== '') yield delta;
      else if (end && 'error' in end) throw end.error;
      else if (end) return end.outcome;
    }
  } finally {
    held = '';
    count = 0;
    taken.resolve();
    await deltas.return(undefined as Outcome);
  }
}
