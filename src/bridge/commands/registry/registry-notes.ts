import type { ActionContext } from '../command.ts';
import type { Result } from '../invocation.ts';
import { escapeMarkdown } from '../markdown.ts';
import { tenantKey } from './registry-chatbots.ts';
import type { GoneThing } from './registry.ts';

/**
 * Adds notes to a command's results about things that were deleted elsewhere, once, for whoever
 * runs a command first. All results of one command get the same notes, because each replaces the
 * one before.
 */
export async function createNotes(
  context: ActionContext,
): Promise<{ add(result: Result): Result }> {
  const { bindings, registry } = context;
  const owners = [await tenantKey(context), await bindings.chatbotFor(context)];
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
