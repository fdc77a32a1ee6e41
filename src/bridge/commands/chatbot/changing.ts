import { type Chatbot, defaultRateLimit } from '../../../shared/api/chatbot.ts';
import type { Workspace } from '../../conversation/address.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { askToConfirm } from '../confirm.ts';
import { differences } from '../fields.ts';
import { escapeMarkdown } from '../markdown.ts';
import { shareable } from '../pages.ts';
import { tenantKey } from '../registry/registry-chatbots.ts';
import { renderChatbot } from './render-chatbot.ts';
import {
  chatbotOption,
  nameOption,
  settingOptions,
  settingsOf,
  toSettings,
  toTyped,
} from './settings.ts';

export const create = defineAction({
  description: 'chatbot create',
  shownTo: 'private',
  managersOnly: true,
  options: {
    name: { ...nameOption, required: true },
    ...settingOptions,
    model: { type: 'text', description: 'agent model', maxLength: 100 },
    prompt: {
      type: 'text',
      description: 'agent prompt',
      maxLength: 6000,
      multiline: true,
    },
    temperature: { type: 'number', min: 0, max: 1, description: 'agent temperature' },
  },
  async *run(context, { name, model, prompt, temperature, ...given }) {
    const tenant = await context.tenancy.tenantOf(context);
    if (!tenant || !(await context.tenancy.isHome(tenant))) {
      yield context.texts.chatbot.homeOnly;
      return;
    }
    const body = {
      name,
      ...toSettings(given, defaultRateLimit),
      ...(model !== undefined && { model }),
      ...(prompt !== undefined && { prompt }),
      ...(temperature !== undefined && { temperature }),
    };
    const chatbot = await context.client.createChatbot(body, context.signal);
    await own(context, tenant, chatbot);
    await context.registry.remember('chatbot', await tenantKey(context), chatbot);
    context.changed({ what: { uuid: chatbot.uuid, name: chatbot.name }, after: body });
    const { texts, slash } = context;
    const title = `**${escapeMarkdown(chatbot.name)}**`;
    const created = texts.chatbot.created(title, slash('chatbot use'));
    yield shareable(context, `✅ ${created}\n\n${renderChatbot(chatbot, context)}`);
  },
});

const takingBackMs = 10_000;

/** Who made a chatbot is stored, or there is none: what nobody made belongs to others. */
async function own(
  { client, tenancy }: ActionContext,
  workspace: Workspace,
  { uuid }: Chatbot,
): Promise<void> {
  try {
    await tenancy.made(workspace, uuid);
  } catch (error) {
    await client.deleteChatbot(uuid, AbortSignal.timeout(takingBackMs)).catch(() => undefined);
    throw error;
  }
}

export const update = defineAction({
  description: 'chatbot update',
  shownTo: 'private',
  managersOnly: true,
  options: {
    chatbot: { ...chatbotOption, required: true },
    name: nameOption,
    ...settingOptions,
  },
  async *run(context, { chatbot, name, ...given }) {
    const present = settingsOf(chatbot);
    const changed = differences(present, {
      ...(name !== undefined && { name }),
      ...toSettings(given, present.rate_limit),
    });
    if (!changed) {
      yield context.texts.nothingChanged;
      return;
    }
    const updated = await context.client.updateChatbot(chatbot.uuid, changed.after, context.signal);
    context.changed({ what: { uuid: chatbot.uuid, name: updated.name }, ...changed });
    const title = context.texts.updated(`**${escapeMarkdown(updated.name)}**`);
    yield shareable(context, `✅ ${title}\n\n${renderChatbot(updated, context)}`);
  },
  initialValues: ({ chatbot }) => (chatbot ? toTyped(settingsOf(chatbot)) : {}),
});

export const deleteChatbot = defineAction({
  description: 'chatbot delete',
  shownTo: 'private',
  managersOnly: true,
  options: { chatbot: { ...chatbotOption, required: true } },
  run: (context, { chatbot }) => deleteOrAsk(context, chatbot),
});

/** The default chatbot can't be deleted: nothing would answer where none was chosen. */
async function* deleteOrAsk(context: ActionContext, chatbot: Chatbot) {
  const { client, bindings, tenancy, texts, signal, confirmed } = context;
  const { uuid } = chatbot;
  const title = `**${escapeMarkdown(chatbot.name)}**`;
  if (uuid === bindings.fallback) {
    yield texts.chatbot.deleteFallback(title);
    return;
  }
  const tenant = await tenancy.tenantOf(context);
  if (!tenant || (await tenancy.holds(tenant, uuid)) !== 'owned') {
    yield texts.chatbot.notYours(title);
    return;
  }
  if (!confirmed) {
    const [sources, tags, agents, sessions, places] = await Promise.all([
      client.listDataSources(uuid, signal),
      client.listSourceTags(uuid, signal),
      client.listAgents(uuid, signal),
      client.listSessions(uuid, {}, signal),
      bindings.countOf(uuid),
    ]);
    yield askToConfirm(context, {
      command: 'chatbot',
      action: 'delete',
      question: texts.chatbot.deleteAsk(title, {
        sources: sources.length,
        tags: tags.length,
        agents: agents.length,
        sessions: sessions.length,
        places,
      }),
      label: texts.deleteLabel,
      values: { chatbot: uuid },
    });
    return;
  }
  await client.deleteChatbot(uuid, signal);
  await bindings.release(uuid);
  await tenancy.forget(uuid);
  context.changed({ what: { uuid, name: chatbot.name }, before: settingsOf(chatbot) });
  yield `🗑️ ${texts.deleted(title)}`;
}
