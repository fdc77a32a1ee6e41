import { type Chatbot, defaultRateLimit } from '../../../shared/api/chatbot.ts';
import type { Workspace } from '../../conversation/address.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { askToConfirm, differences, renderFields, shareable } from '../outcomes.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { tenantKey } from '../registry/registry-chatbots.ts';

export const chatbotOption = {
  type: 'reference',
  to: 'chatbot',
  description: 'chatbot name',
} as const;

const nameOption = {
  type: 'text',
  description: 'chatbot new name',
  maxLength: 200,
} as const;

/** The settings that can be given when a chatbot is created and changed later. */
const settingOptions = {
  visibility: {
    type: 'choice',
    choices: ['private', 'public', 'hybrid'],
    description: 'chatbot visibility',
  },
  messages: {
    type: 'number',
    min: 1,
    max: 100,
    whole: true,
    description: 'chatbot messages',
  },
  seconds: { type: 'number', min: 1, max: 360, whole: true, description: 'chatbot seconds' },
  message: { type: 'text', description: 'chatbot message', maxLength: 2000 },
  citations: { type: 'boolean', description: 'chatbot citations' },
} as const;

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
  async run(context, { name, model, prompt, temperature, ...given }) {
    const tenant = await context.tenancy.tenantOf(context);
    if (!tenant || !(await context.tenancy.isHome(tenant))) return context.texts.chatbot.homeOnly;
    const body = { name, ...toSettings(given, defaultRateLimit), model, prompt, temperature };
    const chatbot = await context.client.createChatbot(body, context.signal);
    await own(context, tenant, chatbot);
    await context.registry.remember('chatbot', await tenantKey(context), chatbot);
    context.changed({ what: { uuid: chatbot.uuid, name: chatbot.name }, after: body });
    const { texts, slash } = context;
    const title = bold(chatbot.name);
    const created = texts.chatbot.created(title, slash('chatbot use'));
    return shareable(context, `✅ ${created}\n\n${renderChatbot(chatbot, context)}`);
  },
});

const takingBackMs = 10_000;

/**
 * Stores which workspace owns a new chatbot. If that fails, deletes the chatbot: without an owner it would
 * belong to the home workspaces.
 */
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
  async run(context, { chatbot, name, ...given }) {
    const present = settingsOf(chatbot);
    const changed = differences(present, { name, ...toSettings(given, present.rate_limit) });
    if (!changed) return context.texts.nothingChanged;
    const updated = await context.client.updateChatbot(chatbot.uuid, changed.after, context.signal);
    context.changed({ what: { uuid: chatbot.uuid, name: updated.name }, ...changed });
    const title = context.texts.updated(bold(updated.name));
    return shareable(context, `✅ ${title}\n\n${renderChatbot(updated, context)}`);
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
async function deleteOrAsk(context: ActionContext, chatbot: Chatbot) {
  const { client, bindings, tenancy, texts, signal, confirmed } = context;
  const { uuid } = chatbot;
  const title = bold(chatbot.name);
  if (uuid === bindings.fallback) return texts.chatbot.deleteFallback(title);
  const tenant = await tenancy.tenantOf(context);
  if (!tenant || (await tenancy.holds(tenant, uuid)) !== 'owned') {
    return texts.chatbot.notYours(title);
  }
  if (!confirmed) {
    const [sources, tags, agents, sessions, places] = await Promise.all([
      client.listDataSources(uuid, signal),
      client.listSourceTags(uuid, signal),
      client.listAgents(uuid, signal),
      client.listSessions(uuid, {}, signal),
      bindings.countOf(uuid),
    ]);
    return askToConfirm(context, {
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
  }
  await client.deleteChatbot(uuid, signal);
  await bindings.release(uuid);
  await tenancy.forget(uuid);
  context.changed({ what: { uuid, name: chatbot.name }, before: settingsOf(chatbot) });
  return `🗑️ ${texts.deleted(title)}`;
}

/** A chatbot's settings, in the shape of an update. */
export interface ChatbotSettings {
  name: string;
  visibility: 'private' | 'public' | 'hybrid';
  rate_limit: [number, number];
  rate_limit_message: string;
  show_citations: boolean;
}

/** A chatbot's current settings. */
function settingsOf({ name, meta }: Chatbot): ChatbotSettings {
  const [messages, seconds] = meta.rate_limit ?? defaultRateLimit;
  const visibilities = settingOptions.visibility.choices;
  return {
    name,
    visibility: visibilities.find((each) => each === meta.visibility) ?? 'private',
    rate_limit: [messages ?? defaultRateLimit[0], seconds ?? defaultRateLimit[1]],
    rate_limit_message: meta.rate_limit_message,
    show_citations: meta.show_citations,
  };
}

/**
 * Converts the values of `settingOptions` to settings.
 * @param rateLimit completes a rate limit if only one of its numbers is given
 */
function toSettings(
  given: {
    visibility: ChatbotSettings['visibility'] | undefined;
    messages: number | undefined;
    seconds: number | undefined;
    message: string | undefined;
    citations: boolean | undefined;
  },
  rateLimit: readonly [number, number],
): Partial<ChatbotSettings> {
  const { visibility, messages, seconds, message, citations } = given;
  const limited = messages !== undefined || seconds !== undefined;
  return {
    visibility,
    rate_limit: limited ? [messages ?? rateLimit[0], seconds ?? rateLimit[1]] : undefined,
    rate_limit_message: message,
    show_citations: citations,
  };
}

/** Settings as people type them. */
function toTyped(present: ChatbotSettings): Record<string, string> {
  const [messages, seconds] = present.rate_limit;
  return {
    name: present.name,
    visibility: present.visibility,
    messages: String(messages),
    seconds: String(seconds),
    message: present.rate_limit_message,
    citations: String(present.show_citations),
  };
}

/** Renders a chatbot's settings, one line each. */
export function renderChatbot(
  { meta, uuid, created_at: created, modified_at: modified }: Chatbot,
  { texts, formats }: ActionContext,
): string {
  const { fields, chatbot } = texts;
  const [messages, seconds] = meta.rate_limit ?? [];
  const rate =
    messages !== undefined && seconds !== undefined ? chatbot.rate(messages, seconds) : '';
  return renderFields([
    [fields.visibility, meta.visibility],
    [fields.rateLimit, rate],
    [fields.rateLimitMessage, escapeMarkdown(meta.rate_limit_message)],
    [fields.citations, texts.yesOrNo(meta.show_citations)],
    [fields.created, formats.time(created)],
    [fields.modified, formats.time(modified)],
    [fields.uuid, `\`${uuid}\``],
  ]);
}
