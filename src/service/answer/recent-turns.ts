import { countTokens } from '../ingestion/tokens.ts';
import type { Fence } from './fence.ts';
import type { MessageRecord } from '../store/message-store.ts';

type Turn = Pick<MessageRecord, 'query' | 'response'>;

/** The newest turns that fit into `budget` tokens, in order. */
export function takeRecent<Any extends Turn>(
  turns: readonly Any[],
  budget: number,
  count = countTokens,
): Any[] {
  let left = budget;
  const newestFirst = turns.toReversed();
  const end = newestFirst.findIndex(
    ({ query, response }) => (left -= count(query) + count(response)) < 0,
  );
  return (end === -1 ? newestFirst : newestFirst.slice(0, end)).toReversed();
}

/** The turns as text for a model to judge rather than continue, each side inside the fence. */
export function renderTurns(turns: readonly Turn[], fence: Fence): string {
  return turns
    .flatMap(({ query, response }) => [
      fence.wrap('the user said', query),
      fence.wrap('the chatbot said', response),
    ])
    .join('\n\n');
}
