/** A query, and what people said among themselves before it, a line each. */
export interface QueryInContext {
  query: string;
  context?: string | undefined;
}

const opening = '(People talked here meanwhile:\n';
const closing = '\nWhat follows is said to you.)\n\n';

/** Both as one text, which language models read as it is: the interface has no field for a context. */
export function joinContext({ query, context }: QueryInContext): string {
  return context ? opening + context + closing + query : query;
}

/** The query of a text that was joined, and its context; any other text is a query. */
export function splitContext(text: string): QueryInContext {
  const end = text.startsWith(opening) ? text.indexOf(closing) : -1;
  const query = text.slice(end + closing.length);
  if (end === -1 || query === '') return { query: text };
  return { query, context: text.slice(opening.length, end) };
}
