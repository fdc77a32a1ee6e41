import type { Message } from '../../api/message.ts';
import type { TextFile } from '../../conversation/ports.ts';
import type { ActionContext } from '../command.ts';
import { quote } from '../markdown.ts';

/**
 * Exports a session's messages as a file: Markdown to read, or JSON with everything the service
 * stored.
 */
export function exportMessages(
  session: string,
  messages: readonly Message[],
  format: 'markdown' | 'json',
  { texts, formats }: ActionContext,
): TextFile {
  if (format === 'json') {
    const text = JSON.stringify({ session, messages }, null, 2);
    return { name: `session-${session}.json`, text: `${text}\n` };
  }
  const parts = messages.map(
    ({ query, response, created_at: created }) =>
      `## ${formats.plainTime(created)}\n\n${quote(query)}\n\n${response.trim()}`,
  );
  const text = [`# ${texts.session.title(session)}`, ...parts].join('\n\n');
  return { name: `session-${session}.md`, text: `${text}\n` };
}
