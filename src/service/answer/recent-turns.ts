import type { Fence } from './fence.ts';
import type { MessageRecord } from '../store/message-store.ts';

export type Turn = Pick<MessageRecord, 'query' | 'response'>;

/**
 * The newest turns as a model reads them, in order.
 * @param turns oldest first
 * @param budget in tokens, for all that `render` adds too
 */
export function takeRecent<Rendered>(
  turns: readonly Turn[],
  budget: number,
  { render, count }: { render: (turn: Turn) => Rendered; count: (rendered: Rendered) => number },
): Rendered[] {
  const taken: Rendered[] = [];
  let left = budget;
  for (const turn of turns.toReversed()) {
    const rendered = render(turn);
    left -= count(rendered);
    if (left < 0) break;
    taken.unshift(rendered);
  }
  return taken;
}

/** A turn as text for a model to judge rather than continue, each side inside the fence. */
export function renderTurn({ query, response }: Turn, fence: Fence): string {
  return `${fence.wrap('the user said', query)}\n\n${fence.wrap('the chatbot said', response)}`;
}
