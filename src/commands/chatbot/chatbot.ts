import { type Chatbot, defaultRateLimit } from '../../api/chatbot.ts';
import { type ActionContext, type Command, defineAction } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { askFirst } from '../confirm.ts';
import { differences } from '../fields.ts';
import { escapeMarkdown } from '../markdown.ts';
import { renderPage, shareable } from '../pages.ts';
import { english } from '../texts/en.ts';
import { renderChatbot } from './render-chatbot.ts';

const says = english.descriptions;

const name = { type: 'text', description: says['chatbot new name'], maxLength: 200 } as const;

/** What can be set both when a chatbot is created and later. */
const settings = {
  visibility: {
    type: 'choice',
    choices: ['private', 'public', 'hybrid'],
    description: says['chatbot visibility'],
  },
  messages: {
    type: 'number',
    min: 1,
    max: 100,
    whole: true,
    description: says['chatbot messages'],
  },
  seconds: { type: 'number', min: 1, max: 360, whole: true, description: says['chatbot seconds'] },
  message: { type: 'text', description: says['chatbot message'], maxLength: 2000 },
  citations: { type: 'boolean', description: says['chatbot citations'] },
} as const;

const chatbotOption = {
  type: 'reference',
  to: 'chatbot',
  description: says['chatbot name'],
} as const;

interface Settings {
  name: string;
  visibility: 'private' | 'public' | 'hybrid';
  rate_limit: [number, number];
  rate_limit_message: string;
  show_citations: boolean;
}

/** `/chatbot`: who answers, and where. */
export function createChatbotCommand(tools: CommandTools): Command {
  const { client, bindings } = tools;

  async function boundHere(context: ActionContext): Promise<Chatbot> {
    return client.getChatbot(await bindings.chatbotFor(context), context.signal);
  }

  return {
    name: 'chatbot',
    description: says['chatbot'],
    actions: {
      create: defineAction({
        description: says['chatbot create'],
        shownTo: 'private',
        managersOnly: true,
        options: {
          name: { ...name, required: true },
          ...settings,
          model: { type: 'text', description: says['agent model'], maxLength: 100 },
          prompt: {
            type: 'text',
            description: says['agent prompt'],
            maxLength: 6000,
            multiline: true,
          },
          temperature: { type: 'number', min: 0, max: 1, description: says['agent temperature'] },
        },
        async *run(context, { name, model, prompt, temperature, ...given }) {
          const body = {
            name,
            ...toSettings(given, defaultRateLimit),
            ...(model !== undefined && { model }),
            ...(prompt !== undefined && { prompt }),
            ...(temperature !== undefined && { temperature }),
          };
          const chatbot = await client.createChatbot(body, context.signal);
          context.changed({ what: { uuid: chatbot.uuid, name: chatbot.name }, after: body });
          const { texts, slash } = context;
          const title = `**${escapeMarkdown(chatbot.name)}**`;
          const created = texts.chatbot.created(title, slash('chatbot use'));
          yield shareable(context, `✅ ${created}\n\n${renderChatbot(chatbot, context)}`);
        },
      }),
      list: defineAction({
        description: says['chatbot list'],
        shownTo: 'private',
        options: {
          page: { type: 'number', description: says['page'], min: 1, max: 10_000, whole: true },
        },
        async *run(context, { page }) {
          const [chatbots, here] = await Promise.all([
            client.listChatbots(context.signal),
            bindings.chatbotFor(context),
          ]);
          const { texts } = context;
          yield renderPage(context, {
            command: 'chatbot',
            action: 'list',
            heading: texts.chatbot.count(chatbots.length),
            lines: chatbots.map(({ uuid, name }) => {
              const mark = uuid === here ? ` · ${texts.chatbot.answersHere}` : '';
              return `- **${escapeMarkdown(name)}** · \`${uuid}\`${mark}`;
            }),
            page,
          });
        },
      }),
      show: defineAction({
        description: says['chatbot show'],
        shownTo: 'private',
        options: { chatbot: { ...chatbotOption, description: says['chatbot name or here'] } },
        async *run(context, { chatbot }) {
          const shown = chatbot ?? (await boundHere(context));
          yield shareable(
            context,
            `**${escapeMarkdown(shown.name)}**\n\n${renderChatbot(shown, context)}`,
          );
        },
      }),
      update: defineAction({
        description: says['chatbot update'],
        shownTo: 'private',
        managersOnly: true,
        options: { chatbot: { ...chatbotOption, required: true }, name, ...settings },
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
          const updated = await client.updateChatbot(chatbot.uuid, changed.after, context.signal);
          context.changed({ what: { uuid: chatbot.uuid, name: updated.name }, ...changed });
          const title = context.texts.updated(`**${escapeMarkdown(updated.name)}**`);
          yield shareable(context, `✅ ${title}\n\n${renderChatbot(updated, context)}`);
        },
        present: ({ chatbot }) => (chatbot ? toTyped(settingsOf(chatbot)) : {}),
      }),
      use: defineAction({
        description: says['chatbot use'],
        shownTo: 'channel',
        managersOnly: true,
        options: {
          chatbot: { ...chatbotOption, required: true },
          where: {
            type: 'choice',
            choices: ['channel', 'workspace'],
            description: says['chatbot where'],
          },
        },
        async *run(context, { chatbot, where = 'channel' }) {
          const before = await bindings.chatbotFor(context);
          await bindings.bind(context, where, chatbot.uuid);
          context.changed({
            what: { uuid: chatbot.uuid, name: chatbot.name },
            before: { chatbot: before },
            after: { chatbot: chatbot.uuid, scope: where },
          });
          yield `✅ ${context.texts.chatbot.used[where](`**${escapeMarkdown(chatbot.name)}**`)}`;
        },
      }),
      delete: defineAction({
        description: says['chatbot delete'],
        shownTo: 'private',
        managersOnly: true,
        options: { chatbot: { ...chatbotOption, required: true } },
        run: (context, { chatbot }) => deleteChatbot(tools, context, chatbot),
      }),
    },
  };
}

/** The chatbot that answers where none was chosen can't go: nobody would answer there. */
async function* deleteChatbot(tools: CommandTools, context: ActionContext, chatbot: Chatbot) {
  const { client, bindings } = tools;
  const { texts, signal, confirmed } = context;
  const { uuid } = chatbot;
  const title = `**${escapeMarkdown(chatbot.name)}**`;
  if (uuid === bindings.fallback) {
    yield texts.chatbot.deleteFallback(title);
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
    yield askFirst(context, {
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
  context.changed({ what: { uuid, name: chatbot.name }, before: settingsOf(chatbot) });
  yield `🗑️ ${texts.deleted(title)}`;
}

function settingsOf({ name, meta }: Chatbot): Settings {
  const [messages, seconds] = meta.rate_limit ?? defaultRateLimit;
  const visibilities = settings.visibility.choices;
  return {
    name,
    visibility: visibilities.find((each) => each === meta.visibility) ?? 'private',
    rate_limit: [messages ?? defaultRateLimit[0], seconds ?? defaultRateLimit[1]],
    rate_limit_message: meta.rate_limit_message,
    show_citations: meta.show_citations,
  };
}

/** @param rateLimit what holds of a rate limit where one of its numbers is given alone */
function toSettings(
  given: {
    visibility: Settings['visibility'] | undefined;
    messages: number | undefined;
    seconds: number | undefined;
    message: string | undefined;
    citations: boolean | undefined;
  },
  rateLimit: readonly [number, number],
): Partial<Settings> {
  const { visibility, messages, seconds, message, citations } = given;
  const limited = messages !== undefined || seconds !== undefined;
  return {
    ...(visibility && { visibility }),
    ...(limited && { rate_limit: [messages ?? rateLimit[0], seconds ?? rateLimit[1]] }),
    ...(message !== undefined && { rate_limit_message: message }),
    ...(citations !== undefined && { show_citations: citations }),
  };
}

function toTyped(present: Settings): Record<string, string> {
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
