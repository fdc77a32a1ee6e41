import { isDeepStrictEqual } from 'node:util';
import { renderProblem } from '../../../shared/problems/problem.ts';
import { toComparable } from '../../../shared/primitives/text.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { type ActionContext, defineAction, type Forum } from '../command.ts';
import { forRequester, renderFields } from '../outcomes.ts';
import { listChatbots, tenantKey } from '../registry/registry-chatbots.ts';
import { chatbotOption } from './changing.ts';

type Tag = Forum['tags'][number];

/** Discord's limit. */
const maxTagName = 20;

/** `/chatbot tags`: which chatbot answers posts with a tag, and which tag says that a post is solved. */
export const tags = defineAction({
  description: 'chatbot tags',
  shownTo: 'channel',
  managersOnly: true,
  options: {
    tag: { type: 'text', description: 'chatbot tags tag', maxLength: maxTagName },
    chatbot: { ...chatbotOption, description: 'chatbot tags chatbot' },
    means: {
      type: 'choice',
      choices: ['solved', 'nothing'],
      description: 'chatbot tags means',
    },
  },
  async run(context, { tag: wanted, chatbot, means }) {
    const { forum, texts, bindings, settings, registry } = context;
    if (!forum || forum.tags.length === 0) {
      return forRequester(forum ? texts.chatbot.tags.none : texts.chatbot.tags.onlyForums);
    }
    const tag = findTag(forum, wanted);
    if (wanted !== undefined && !tag) {
      const names = forum.tags.map(({ name }) => escapeMarkdown(name)).join(', ');
      return forRequester(texts.chatbot.tags.unknown(escapeMarkdown(wanted), names));
    }
    if (!tag || (!chatbot && !means)) return renderTags(forum, context);
    const before = await meaningOf(tag, context);
    if (means === 'nothing') await forget(tag, before, context);
    if (means === 'solved') await settings.changeIn(context, () => ({ solvedTag: tag.id }));
    if (chatbot) {
      await bindings.bindTag(context, tag.id, chatbot.uuid);
      await registry.remember('chatbot', await tenantKey(context), chatbot);
    }
    const after = await meaningOf(tag, context);
    if (!isDeepStrictEqual(before, after)) {
      context.changed({ what: { uuid: tag.id, name: tag.name }, before, after });
    }
    const lack = after.solved && forum.lacks;
    const warning = lack ? `\n\n⚠️ ${renderProblem(lack, texts)}` : '';
    return `✅ ${await renderTags(forum, context)}${warning}`;
  },
});

/** People write names of tags as they like. */
function findTag({ tags: all }: Forum, wanted = ''): Tag | undefined {
  const sought = toComparable(wanted);
  return all.find(({ id, name }) => id === sought || toComparable(name) === sought);
}

async function forget({ id }: Tag, { solved }: { solved: boolean }, context: ActionContext) {
  await context.bindings.bindTag(context, id, undefined);
  if (solved) await context.settings.changeIn(context, () => ({ solvedTag: undefined }));
}

async function meaningOf({ id }: Tag, context: ActionContext) {
  const [chatbot, { solvedTag }] = await Promise.all([
    context.bindings.boundTo(context, id),
    context.settings.in(context),
  ]);
  return { ...(chatbot !== undefined && { chatbot }), solved: solvedTag === id };
}

/** Lists what each tag means. */
export async function renderTags({ tags: all }: Forum, context: ActionContext): Promise<string> {
  const { fields, chatbot: texts } = context.texts;
  const chatbots = await listChatbots(context);
  const lines = all.map(async (tag): Promise<[string, string]> => {
    const { chatbot, solved } = await meaningOf(tag, context);
    const name = chatbots.find(({ uuid }) => uuid === chatbot)?.name;
    const meanings = [
      name !== undefined && texts.tags.chatbot(bold(name)),
      solved && texts.tags.solved,
    ].filter((meaning) => meaning !== false);
    return [escapeMarkdown(tag.name), meanings.join('; ') || texts.tags.nothing];
  });
  return `**${fields.forumTags}**\n${renderFields(await Promise.all(lines))}\n\n${texts.tags.note}`;
}
