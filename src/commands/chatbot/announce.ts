import type { ActionContext } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { explainFailure } from '../explain-failure.ts';

/** Says something in a channel; the sentence to tell whoever wanted it where that can't be. */
export async function announce(
  { notify }: Pick<CommandTools, 'notify'>,
  { platform, workspace, texts, signal }: ActionContext,
  channel: string,
  markdown: string,
): Promise<string | undefined> {
  try {
    await notify(platform, { workspace, to: { channel }, markdown }, signal);
    return undefined;
  } catch (error) {
    return explainFailure(error, texts);
  }
}
