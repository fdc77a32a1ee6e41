import { explainError } from '../../conversation/explain.ts';
import type { ActionContext } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';

/**
 * Posts something in a channel. If that fails, resolves with a sentence for the requester that says
 * why.
 */
export async function announce(
  context: ActionContext,
  channel: string,
  markdown: string,
): Promise<string | undefined> {
  const { platform, workspace, texts, notify, signal } = context;
  try {
    await notify(platform, { workspace, to: { channel }, markdown }, signal);
    return undefined;
  } catch (error) {
    const name = await renderChannel(context, channel);
    return `❌ ${texts.chatbot.notWritable(name)} ${explainError(error, texts)}`;
  }
}

/** A channel's name for Markdown; its id if the platform doesn't know the name. */
export async function renderChannel({ names }: ActionContext, channel: string): Promise<string> {
  const name = await names.nameOf('channel', channel);
  return name === undefined ? `\`${channel}\`` : escapeMarkdown(name);
}

/**
 * Why a person or group can't be named because the platform doesn't know them; undefined if it
 * does.
 */
export async function explainUnknown(
  { person, group }: { person: string | undefined; group?: string },
  { names, texts }: ActionContext,
): Promise<string | undefined> {
  const { noPerson, noGroup } = texts.invalid;
  const isUnknown = async (kind: 'person' | 'group', id: string | undefined) =>
    id !== undefined && (await names.nameOf(kind, id)) === undefined;
  const problems: string[] = [];
  if (await isUnknown('person', person)) problems.push(`**person**: ${noPerson}`);
  if (await isUnknown('group', group)) problems.push(`**group**: ${noGroup}`);
  return problems.length > 0 ? problems.join('\n') : undefined;
}
