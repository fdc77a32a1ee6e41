import { callName } from '../call-name.ts';
import type { ActionContext } from '../command.ts';
import { explainError } from '../../conversation/explain.ts';

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
    const name = await callName(context, 'channel', channel);
    return `❌ ${texts.chatbot.notWritable(name)} ${explainError(error, texts)}`;
  }
}
