import type { CommandContext } from './command.ts';
import { escapeMarkdown } from './markdown.ts';
import type { NamedKind } from './names.ts';

/** The name of a channel, person or group for Markdown; its id where the platform does not tell it. */
export async function callName(
  { names }: CommandContext,
  kind: NamedKind,
  id: string,
): Promise<string> {
  const name = await names.nameOf(kind, id);
  return name === undefined ? `\`${id}\`` : escapeMarkdown(name);
}
