/** What is held for a reader that is slower: beyond it the deltas have to wait. */
const maxCharacters = 16 * 1024;
const maxDeltas = 64;

/**
 * Joins the deltas that come while the reader is still busy with those before, so that the cost of
 * a reply falls as the load rises. A reader who waits gets each delta as it comes.
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
