import type { Chatbot } from '../../../shared/api/chatbot.ts';
import { type ActionContext, defineAction, type Command } from '../command.ts';
import { onOrOff, pageOption, renderFields, renderPage, shareable } from '../outcomes.ts';
import { bold } from '../../conversation/markdown/plain-text.ts';
import { listChatbots } from '../registry/registry-chatbots.ts';
import { renderChatbot, chatbotOption, create, deleteChatbot, update } from './changing.ts';
import {
  context,
  follow,
  renderFollowing,
  renderUnsure,
  server,
  share,
  unsure,
  use,
} from './place.ts';
import { access, limits } from './asking.ts';
import { audit, guests, notify } from './workspace-settings.ts';
import { managers } from './managers.ts';
import { renderTags, tags } from './tags.ts';

const list = defineAction({
  description: 'chatbot list',
  shownTo: 'private',
  options: {
    page: pageOption,
  },
  async run(context, { page }) {
    const [chatbots, here] = await Promise.all([
      listChatbots(context),
      context.bindings.chatbotFor(context),
    ]);
    const { texts } = context;
    return renderPage(context, {
      heading: texts.chatbot.count(chatbots.length),
      lines: chatbots.map(({ uuid, name }) => {
        const mark = uuid === here ? ` · ${texts.chatbot.answersHere}` : '';
        return `- ${bold(name)} · \`${uuid}\`${mark}`;
      }),
      page,
    });
  },
});

const show = defineAction({
  description: 'chatbot show',
  shownTo: 'private',
  options: { chatbot: { ...chatbotOption, description: 'chatbot name or here' } },
  async run(context, { chatbot }) {
    const parts = chatbot ? [render(chatbot, context)] : await renderHere(context);
    return shareable(context, parts.join('\n'));
  },
});

/** Renders the chatbot that answers here, and what it answers in the channel. */
async function renderHere(context: ActionContext): Promise<string[]> {
  const { client, bindings, settings } = context;
  const [chatbot, here, hearing] = await Promise.all([
    bindings.chatbotFor(context).then((uuid) => client.getChatbot(uuid, context.signal)),
    settings.in(context),
    context.channelAccess(),
  ]);
  const { fields, chatbot: texts } = context.texts;
  const isDirect = hearing === 'direct';
  const rows = renderFields([
    [fields.following, renderFollowing(here.following, hearing, context)],
    [fields.unsure, isDirect ? texts.unsure.direct : await renderUnsure(here.unsure, context)],
    [fields.context, texts.context[isDirect ? 'direct' : onOrOff(here.takesContext)]],
  ]);
  const { forum } = context;
  const tagged = forum && forum.tags.length > 0 ? [`\n${await renderTags(forum, context)}`] : [];
  return [render(chatbot, context), rows, ...tagged];
}

function render(chatbot: Chatbot, context: ActionContext): string {
  return `${bold(chatbot.name)}\n\n${renderChatbot(chatbot, context)}`;
}

/** `/chatbot`: who answers, where, and who may change that. */
export const chatbot: Command = {
  name: 'chatbot',
  description: 'chatbot',
  actions: {
    list,
    show,
    create,
    update,
    delete: deleteChatbot,
    use,
    follow,
    context,
    tags,
    unsure,
    share,
    server,
    managers,
    guests,
    audit,
    notify,
    access,
    limits,
  },
};
