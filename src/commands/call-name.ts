import type { CommandContext } from './command.ts';
import { escapeMarkdown } from './markdown.ts';
import type { NamedKind } from './names.ts';

/**
 * The name of a channel, person or group, as Markdown; its id if the platform does not know the
 * name.
 */
export async function callName(
  { names }: CommandContext,
  kind: NamedKind,
  id: string,
): Promise<string> {
  const name = await names.nameOf(kind, id);
  return name === undefined ? `\`${id}\`` : escapeMarkdown(name);
}
