import { sourceProgress } from '../../../shared/api/data-source.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ActionContext, Outcome } from '../command.ts';
import type { SourceRow } from './source-watch.ts';

const maxQuestions = 3;
/** More sources at once would only keep people waiting. */
const maxAsked = 3;
const timeoutMs = 5_000;

/**
 * Up to three questions that the sources answer which have become ready, from each in turn. None if
 * the service can't tell: only the built-in one can. Never rejects.
 */
export async function findQuestions(
  { client, signal }: Pick<ActionContext, 'client' | 'signal'>,
  rows: readonly SourceRow[],
): Promise<string[]> {
  const ready = rows.flatMap(({ state }) =>
    state.kind === 'added' && !state.duplicate && sourceProgress(state.source.status) === 'ready'
      ? [state.source.uuid]
      : [],
  );
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const lists = await Promise.all(
      ready.slice(0, maxAsked).map((uuid) => client.listSourceQuestions(uuid, limited)),
    );
    const inTurn = [0, 1, 2].flatMap((index) =>
      lists.flatMap((questions) => questions[index] ?? []),
    );
    return [...new Set(inTurn)].slice(0, maxQuestions);
  } catch {
    return [];
  }
}

/** A result with questions to press. */
export function withQuestions(
  markdown: string,
  questions: readonly string[],
  { source }: Texts,
): Outcome {
  const buttons = questions.map((label) => ({ label, onPress: { kind: 'ask' } as const }));
  return { markdown: `${markdown}\n\n${source.canAsk}`, buttons };
}
