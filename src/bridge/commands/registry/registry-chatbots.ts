import type { Chatbot } from '../../../shared/api/chatbot.ts';
import { type Channel, workspaceKey } from '../../conversation/address.ts';
import type { Log } from '../../../shared/primitives/log.ts';
import { createQueue } from '../../../shared/primitives/queue.ts';
import type { ActionContext, CommandContext, CommandTools } from '../command.ts';
import { isChatbotError, isNoSuchOperation } from '../../conversation/errors.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { isChatbotGone } from './registry-client.ts';
import type { Result } from '../invocation.ts';
import type { GoneThing } from './registry.ts';

/** Where a command is used, and the tools to list chatbots. */
type Context = CommandContext &
  Pick<CommandTools, 'client' | 'bindings' | 'registry' | 'tenancy' | 'now'>;

/**
 * Lists the chatbots that belong to this workspace. If the service can't list any: those that it
 * created, used or was given and that still exist, and the one that answers here.
 * @throws {ChatbotError}
 */
export async function listChatbots(context: Context): Promise<Chatbot[]> {
  const { client, registry, now } = context;
  const askedMs = now();
  try {
    const listed = await client.listChatbots(context.signal);
    for (const { uuid } of listed) context.bindings.note(uuid, 'there');
    await registry.compare('chatbot', await tenantKey(context), listed, askedMs);
    return keepOwn(context, listed);
  } catch (error) {
    if (!isNoSuchOperation(error)) throw error;
    return keepOwn(context, await listKnown(context));
  }
}

/** The key of the workspace whose chatbots answer here; a direct message may be of any. */
export async function tenantKey(context: Channel & Pick<CommandTools, 'tenancy'>): Promise<string> {
  return workspaceKey((await context.tenancy.tenantOf(context)) ?? context);
}

async function keepOwn(context: Context, chatbots: Chatbot[]): Promise<Chatbot[]> {
  const { bindings } = context;
  const isOwn = await Promise.all(chatbots.map(({ uuid }) => bindings.mayAnswer(context, uuid)));
  return chatbots.filter((_, index) => isOwn[index]);
}

async function listKnown(context: Context): Promise<Chatbot[]> {
  const { client, bindings } = context;
  const known = await knownHere(context);
  const found = await Promise.all(
    [...known].map(async (uuid) => {
      try {
        const chatbot = await client.getChatbot(uuid, context.signal);
        bindings.note(uuid, 'there');
        return chatbot;
      } catch (error) {
        if (isChatbotError(error, 'not_found')) return undefined;
        throw error;
      }
    }),
  );
  return found.filter((chatbot) => chatbot !== undefined);
}

async function knownHere(context: Context): Promise<Set<string>> {
  const { bindings, registry, tenancy } = context;
  const tenant = await tenancy.tenantOf(context);
  const [remembered, held, here] = await Promise.all([
    registry.remembered('chatbot', await tenantKey(context)),
    tenant ? tenancy.chatbotsOf(tenant) : [],
    bindings.chatbotFor(context),
  ]);
  return new Set([here, ...held, ...remembered.map(({ uuid }) => uuid)]);
}

/**
 * Checks whether a command failed because the service no longer knows the chatbot chosen here. If so,
 * passes it over, so that the workspace's or the default chatbot answers, and announces that in the
 * channel, once. The choice stays: the chatbot may come back. Resolves with the announcement;
 * undefined if the failure has another reason. Never rejects.
 */
export function createBindingCheck(
  log: Log,
): (error: unknown, context: ActionContext) => Promise<string | undefined> {
  const checks = createQueue();

  async function passOverGone(context: ActionContext): Promise<boolean> {
    const { client, bindings } = context;
    const chosen = await bindings.chatbotFor(context);
    if (chosen === bindings.fallback) return false;
    if (!(await isChatbotGone(client, chosen, context.signal))) return false;
    bindings.note(chosen, 'gone');
    return (await bindings.chatbotFor(context)) !== chosen;
  }

  async function nameOfNext(context: ActionContext): Promise<string> {
    const { client, bindings } = context;
    try {
      const { name } = await client.getChatbot(await bindings.chatbotFor(context), context.signal);
      return bold(name);
    } catch {
      return context.texts.chatbot.usualOne;
    }
  }

  async function check(context: ActionContext): Promise<string | undefined> {
    const { platform, workspace, channel, texts, notify, signal } = context;
    if (!(await passOverGone(context))) return undefined;
    const markdown = texts.chatbot.chosenIsGone(await nameOfNext(context));
    const notice = { workspace, to: { channel }, markdown };
    await notify(platform, notice, signal).catch((error: unknown) =>
      log.warn({ err: error, channel }, 'a channel was not told that its chatbot is gone'),
    );
    return markdown;
  }

  return async (error, context) => {
    if (!isChatbotError(error, 'not_found')) return undefined;
    try {
      // One check at a time, so that only one announces it.
      return await checks.run(workspaceKey(context), () => check(context));
    } catch (failure) {
      log.warn({ err: failure }, 'it could not be checked whether the chosen chatbot exists');
      return undefined;
    }
  };
}

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
