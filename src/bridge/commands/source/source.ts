import { type DataSource, sourceMeta, sourceProgress } from '../../../shared/api/data-source.ts';
import { type ActionContext, defineAction, type Command } from '../command.ts';
import {
  renderFields,
  fold,
  foldable,
  type Folded,
  pageOption,
  renderPage,
  shareable,
} from '../outcomes.ts';
import { escapeMarkdown, quote } from '../../conversation/markdown/plain-text.ts';
import { listSources } from '../lists.ts';
import { toComparable } from '../../../shared/primitives/text.ts';
import type { Texts } from '../../texts/texts.ts';
import { renderStored } from '../../../shared/problems/problem.ts';
import { renderSource, renderSourceName, renderStatus } from './render-source.ts';
import { qa, upload, url } from './adding.ts';
import { answer } from './answering.ts';
import { deleteSources, oneSource, refresh, rename, retry, tag, usageOf } from './changing.ts';

const maxAnswerLength = 1500;

const list = defineAction({
  description: 'source list',
  shownTo: 'private',
  options: {
    filter: { type: 'text', description: 'source filter', maxLength: 100 },
    status: {
      type: 'choice',
      choices: ['ready', 'waiting', 'failed'],
      description: 'source status',
    },
    tag: { type: 'reference', to: 'tag', description: 'source list tag' },
    page: pageOption,
  },
  async run(context, { filter = '', status, tag, page }) {
    const all = await listSources(context);
    const sources = all
      .filter(({ title, file_name }) => matches(`${title} ${file_name}`, filter))
      .filter((source) => !status || sourceProgress(source.status) === status)
      .filter(({ uuid }) => !tag || tag.data_source_uuids.includes(uuid))
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    return all.length === 0
      ? context.texts.source.none(context.slash('source upload'), context.slash('source url'))
      : renderPage(context, {
          heading: context.texts.source.count(sources.length, all.length),
          lines: sources.map((source) => `- ${renderSource(source, context)}`),
          page,
        });
  },
});

const show = defineAction({
  description: 'source show',
  shownTo: 'private',
  options: {
    source: oneSource,
  },
  async run(context, { source }) {
    const usage = await usageOf(context, [source]);
    const folded = foldAnswer(source, context);
    const details = renderDetails(source, usage, context, folded?.text);
    return foldable(context, shareable(context, details), folded ? [folded] : []);
  },
});

function matches(text: string, filter: string): boolean {
  return toComparable(text).includes(toComparable(filter));
}

/** The question and answer of a Q&A source. */
function foldAnswer(source: DataSource, context: ActionContext): Folded | undefined {
  const { question, answer } = sourceMeta(source);
  if (!question || !answer) return undefined;
  return fold(context, `${question}\n${answer}`, { maxLength: maxAnswerLength, file: 'answer.md' });
}

/** How much of a source search finds by meaning, and why not all of it. */
function renderEmbedded(source: DataSource, texts: Texts): string | undefined {
  const meta = sourceMeta(source);
  const { embedded, embedding_error: error, embedding_code: code, embedding_params: params } = meta;
  const reason =
    error !== undefined
      ? escapeMarkdown(renderStored({ error, code, params }, texts))
      : embedded && embedded.refused > 0 && texts.source.refusedPassages(embedded.refused);
  if (embedded === undefined) return reason || undefined;
  const share = texts.source.passagesOf(embedded.vectors, embedded.passages);
  return reason ? `${share}. ${reason}` : share;
}

function renderDetails(
  source: DataSource,
  usage: { tags: string[]; agents: string[] },
  { texts, formats }: ActionContext,
  answer: string | undefined,
): string {
  const { fields } = texts;
  const types = new Map(Object.entries(texts.source.types));
  const { reference_source_link: link } = sourceMeta(source);
  const details = renderFields([
    [fields.status, renderStatus(source, { texts, formats })],
    [fields.meaning, renderEmbedded(source, texts)],
    [fields.type, types.get(source.type) ?? escapeMarkdown(source.type)],
    [fields.file, source.file_name && escapeMarkdown(source.file_name)],
    [fields.link, link],
    [fields.tokens, formats.number(source.tokens)],
    [fields.size, formats.size(source.file_size)],
    [fields.tags, usage.tags.join(', ')],
    [fields.agents, usage.agents.join(', ')],
    [fields.created, formats.time(source.created_at)],
    [fields.modified, formats.time(source.modified_at)],
    [fields.uuid, `\`${source.uuid}\``],
  ]);
  const quoted = answer === undefined ? [] : [quote(answer)];
  return [renderSourceName(source), details, ...quoted].join('\n\n');
}

/** `/source`: what the chatbot knows. */
export const source: Command = {
  name: 'source',
  description: 'source',
  actions: {
    upload,
    url,
    qa,
    answer,
    list,
    show,
    rename,
    delete: deleteSources,
    refresh,
    retry,
    tag,
  },
};
