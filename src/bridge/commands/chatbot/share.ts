import type { Chatbot } from '../../../shared/api/chatbot.ts';
import { isOutsideWorkspaces } from '../../conversation/address.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';
import { chatbotOption } from './settings.ts';

/**
 * `/chatbot share`: gives a chatbot to another workspace. A manager here gets a code, a manager there
 * enters it.
 */
export const share = defineAction({
  description: 'chatbot share',
  shownTo: 'private',
  managersOnly: true,
  needsNoChatbot: true,
  options: {
    chatbot: { ...chatbotOption, description: 'chatbot share chatbot' },
    code: { type: 'text', description: 'chatbot share code', maxLength: 100 },
    end: { type: 'boolean', description: 'chatbot share end' },
  },
  async *run(context, { chatbot, code, end = false }) {
    const { texts } = context;
    if (isOutsideWorkspaces(context)) yield texts.chatbot.noWorkspace;
    else if (code !== undefined) yield await accept(context, code);
    else if (chatbot === undefined) yield texts.chatbot.shareWhat(context.slash('chatbot share'));
    else yield await offer(context, chatbot, end);
  },
});

async function accept(context: ActionContext, code: string): Promise<string> {
  const { tenancy, bindings, client, texts, slash, signal } = context;
  const wasKnown = await tenancy.isKnown(context);
  const uuid = await tenancy.accept(context, code);
  if (uuid === undefined) return texts.chatbot.noSuchCode;
  // Where none answered, this one does.
  if (!wasKnown) await bindings.bind(context, 'workspace', uuid);
  const { name } = await client.getChatbot(uuid, signal);
  context.changed({ what: { uuid, name }, after: { shared: 'with this workspace' } });
  const title = `**${escapeMarkdown(name)}**`;
  return `✅ ${wasKnown ? texts.chatbot.given(title, slash('chatbot use')) : texts.chatbot.used.workspace(title)}`;
}

async function offer(context: ActionContext, chatbot: Chatbot, end: boolean): Promise<string> {
  const { tenancy, texts } = context;
  const { uuid, name } = chatbot;
  const title = `**${escapeMarkdown(name)}**`;
  if ((await tenancy.holds(context, uuid)) !== 'owned') return texts.chatbot.notYours(title);
  if (end) {
    const count = await tenancy.takeBack(uuid);
    context.changed({ what: { uuid, name }, before: { shared: count }, after: { shared: 0 } });
    return `✅ ${texts.chatbot.takenBack(title, count)}`;
  }
  const code = await tenancy.offer(context, uuid);
  context.changed({ what: { uuid, name }, after: { shared: 'a code was given' } });
  return texts.chatbot.shareCode(title, `\`code:${code}\``);
}
