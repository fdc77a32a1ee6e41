import { countTokens } from '../ingestion/tokens.ts';
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

/** The turns as text for a model to judge rather than continue. */
export function renderTurns(turns: readonly Turn[]): string {
  return turns.map(({ query, response }) => `User: ${query}\n\nChatbot: ${response}`).join('\n\n');
}
