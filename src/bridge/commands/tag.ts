import type { SourceTag } from '../../shared/api/data-source.ts';
import { type ActionContext, type Command, defineAction, type Outcome } from './command.ts';
import {
  askToConfirm,
  differences,
  renderFields,
  pageOption,
  renderPage,
  shareable,
} from './outcomes.ts';
import { bold, escapeMarkdown } from '../conversation/markdown/plain-text.ts';
import { listTags } from './lists.ts';
import { toComparable } from '../../shared/primitives/text.ts';
import { listSourceNames } from './source/render-source.ts';

const maxNameLength = 200;
const maxShown = 20;

const sources = {
  type: 'reference',
  to: 'source',
  many: true,
  description: 'tag sources',
} as const;

const tagOption = {
  type: 'reference',
  to: 'tag',
  description: 'tag name',
  required: true,
} as const;

/** Whether another tag has the name, which nobody has confirmed. */
async function isSecond(context: ActionContext, name: string, own?: SourceTag): Promise<boolean> {
  if (context.confirmed) return false;
  const tags = await listTags(context);
  const wanted = toComparable(name);
  return tags.some((tag) => tag.uuid !== own?.uuid && toComparable(tag.name) === wanted);
}

function askAboutSecond(context: ActionContext, name: string): Outcome {
  const { tag, secondLabel: label } = context.texts;
  const question = tag.secondAsk(escapeMarkdown(name));
  return askToConfirm(context, { question, label, isHarmless: true });
}

const create = defineAction({
  description: 'tag create',
  shownTo: 'private',
  managersOnly: true,
  options: {
    name: {
      type: 'text',
      description: 'tag new name',
      required: true,
      maxLength: maxNameLength,
    },
    color: { type: 'color', description: 'color', required: true },
    sources,
  },
  async run(context, { name, color, sources = [] }) {
    const chatbot = await context.bindings.chatbotFor(context);
    if (await isSecond(context, name)) return askAboutSecond(context, name);
    const body = { name, color, data_source_uuids: sources.map(({ uuid }) => uuid) };
    const tag = await context.client.createSourceTag(chatbot, body, context.signal);
    context.changed({ what: { uuid: tag.uuid, name: tag.name }, after: body });
    return shareable(context, `✅ ${context.texts.tag.created(renderTag(tag, context))}`);
  },
});

const list = defineAction({
  description: 'tag list',
  shownTo: 'private',
  options: {
    page: pageOption,
  },
  async run(context, { page }) {
    const tags = await listTags(context);
    const { texts, slash } = context;
    return tags.length === 0
      ? texts.tag.none(slash('tag create'))
      : renderPage(context, {
          heading: texts.tag.count(tags.length),
          lines: tags.map((tag) => `- ${renderTag(tag, context)}`),
          page,
        });
  },
});

const show = defineAction({
  description: 'tag show',
  shownTo: 'private',
  options: { tag: tagOption },
  async run(context, { tag }) {
    const names = await listSourceNames(tag.data_source_uuids, context);
    const { fields } = context.texts;
    const rest = names.length > maxShown ? ` … +${names.length - maxShown}` : '';
    const details = renderFields([
      [fields.sources, `${names.slice(0, maxShown).join(', ')}${rest}`],
      [fields.created, context.formats.time(tag.created_at)],
      [fields.modified, context.formats.time(tag.modified_at)],
      [fields.uuid, `\`${tag.uuid}\``],
    ]);
    return shareable(context, `${renderTag(tag, context)}\n\n${details}`);
  },
});

const update = defineAction({
  description: 'tag update',
  shownTo: 'private',
  managersOnly: true,
  options: {
    tag: tagOption,
    name: { type: 'text', description: 'tag new name', maxLength: maxNameLength },
    color: { type: 'color', description: 'color' },
    sources: { ...sources, description: 'tag update sources' },
  },
  async run(context, { tag, name, color, sources }) {
    if (name !== undefined && (await isSecond(context, name, tag))) {
      return askAboutSecond(context, name);
    }
    const before = {
      name: tag.name,
      color: tag.color,
      data_source_uuids: tag.data_source_uuids,
    };
    const changed = differences(before, {
      name,
      color,
      data_source_uuids: sources?.map(({ uuid }) => uuid),
    });
    if (!changed) return context.texts.nothingChanged;
    const updated = await context.client.updateSourceTag(tag.uuid, changed.after, context.signal);
    context.changed({ what: { uuid: tag.uuid, name: updated.name }, ...changed });
    return shareable(context, `✅ ${context.texts.updated(renderTag(updated, context))}`);
  },
  initialValues: ({ tag }) =>
    tag && { name: tag.name, color: tag.color, sources: tag.data_source_uuids.join(', ') },
});

const deleteTag = defineAction({
  description: 'tag delete',
  shownTo: 'private',
  managersOnly: true,
  options: { tag: tagOption },
  async run(context, { tag }) {
    const { texts, confirmed, signal } = context;
    const { uuid, name, color } = tag;
    if (!confirmed) {
      return askToConfirm(context, {
        question: texts.tag.deleteAsk(escapeMarkdown(name), tag.data_source_uuids.length),
        label: texts.deleteLabel,
        values: { tag: uuid },
      });
    }
    await context.client.deleteSourceTag(uuid, signal);
    context.changed({
      what: { uuid, name },
      before: { name, color, data_source_uuids: tag.data_source_uuids },
    });
    return `🗑️ ${texts.deleted(bold(name))}`;
  },
});

function renderTag({ name, color, data_source_uuids: uuids }: SourceTag, context: ActionContext) {
  return `${bold(name)} · ${color} · ${context.texts.tag.sources(uuids.length)}`;
}

/** `/tag`: groups of sources. */
export const tag: Command = {
  name: 'tag',
  description: 'tag',
  actions: { create, list, show, update, delete: deleteTag },
};
