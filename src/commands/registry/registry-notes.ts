import type { ActionContext } from '../command.ts';
import type { Result } from '../invocation.ts';
import { escapeMarkdown } from '../markdown.ts';
import { workspaceKey } from '../../conversation/address.ts';
import type { GoneThing } from './registry.ts';

/**
 * Adds to what a command shows what turned out to be deleted elsewhere, once for whoever looks first.
 * All that one command shows has the same notes, since each text takes the place of the one before.
 */
export async function createNotes(
  context: ActionContext,
): Promise<{ add(result: Result): Result }> {
  const { bindings, registry } = context;
  const owners = [workspaceKey(context), await bindings.chatbotFor(context)];
  const gone: GoneThing[] = [];

  return {
    add(result) {
      gone.push(...registry.takeGone(owners));
      if (gone.length === 0) return result;
      const { deletedElsewhere } = context.texts;
      const lines = gone.map(
        ({ kind, name }) => `🗑️ ${deletedElsewhere(kind, escapeMarkdown(name))}`,
      );
      return { ...result, markdown: [result.markdown, lines.join('\n')].join('\n\n') };
    },
  };
}
