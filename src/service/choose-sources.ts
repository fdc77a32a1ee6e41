import { toBatches } from '../shared/primitives/batches.ts';
import { inSteps, type Steps } from '../shared/primitives/in-steps.ts';
import { requireSourcesOf } from './access.ts';
import type { Quota } from './quota.ts';
import type { Holder } from './store/choice-store.ts';
import type { Store } from './store/store.ts';

/** Uuids checked per step. */
const batchSize = 500;

interface Chosen {
  owner: string;
  chatbot: string;
  uuids: readonly string[] | undefined;
}

/**
 * Writes the sources that an agent or tag chooses, in steps. Then `hold` runs in one transaction and
 * gives them to it: until then, and if it throws, everything is as before.
 * @param chosen.uuids each once; if undefined, nothing is chosen and nothing given
 * @throws {HttpError} 422 when one of the uuids names no data source of the chatbot, or the owner would
 *   store more than it may
 */
export async function chooseSources<Result>(
  { store, quota }: { store: Store; quota: Pick<Quota, 'within'> },
  { owner, chatbot, uuids }: Chosen,
  hold: (give: (holder: Holder) => void) => Result,
): Promise<Result> {
  if (uuids === undefined) return quota.within(owner, () => hold(() => undefined));
  await inSteps(requireAll(store, chatbot, uuids));
  const choice = await inSteps(store.choices.write(uuids));
  try {
    return quota.within(owner, () => hold((holder) => store.choices.give(choice, holder)));
  } finally {
    store.choices.release(choice);
    await inSteps(store.choices.deleteUnused());
  }
}

function* requireAll(store: Store, chatbot: string, uuids: readonly string[]): Steps<void> {
  for (const batch of toBatches(uuids, batchSize)) {
    requireSourcesOf(store, chatbot, batch);
    yield;
  }
}
