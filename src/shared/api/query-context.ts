/** A query, and the conversation of people before it, one message per line. */
export interface QueryInContext {
  query: string;
  context?: string;
}

const opening = '(People talked here meanwhile:\n';
const closing = '\nWhat follows is said to you.)\n\n';

/** Joins both into one text that a language model can read, because the interface has no context field. */
export function joinContext({ query, context }: QueryInContext): string {
  return context ? opening + context + closing + query : query;
}

/** Splits a joined text into its query and context. Any other text is a query alone. */
export function splitContext(text: string): QueryInContext {
  // People may write the closing words too; the last ones come from `joinContext`.
  const end = text.startsWith(opening) ? text.lastIndexOf(closing) : -1;
  const query = text.slice(end + closing.length);
  if (end === -1 || query === '') return { query: text };
  return { query, context: text.slice(opening.length, end) };
}
