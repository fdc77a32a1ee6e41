import { type DataSource, sourceProgress } from '../../../shared/api/data-source.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { askToConfirm, forRequester } from '../outcomes.ts';
import { listAgents, listSources, listTags } from '../lists.ts';
import { explainError } from '../../conversation/errors.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { watchSources } from './adding.ts';
import { renderSourceName } from './render-source.ts';

/** The option that names one source. */
export const oneSource = {
  type: 'reference',
  to: 'source',
  description: 'source name',
  required: true,
} as const;

const some = {
  type: 'reference',
  to: 'source',
  many: true,
  description: 'source names',
} as const;

export const rename = defineAction({
  description: 'source rename',
  shownTo: 'private',
  managersOnly: true,
  options: {
    source: oneSource,
    title: { type: 'text', description: 'source title', required: true, maxLength: 500 },
  },
  async run(context, { source, title }) {
    const renamed = await context.client.updateDataSource(source.uuid, { title }, context.signal);
    const before = source.title;
    context.changed({
      what: { uuid: source.uuid, name: title },
      before: { title: before },
      after: { title: renamed.title },
    });
    return `✅ ${context.texts.renamed(escapeMarkdown(before || source.file_name), escapeMarkdown(renamed.title))}`;
  },
  initialValues: ({ source }) => source && { title: source.title },
});

export const deleteSources = defineAction({
  description: 'source delete',
  shownTo: 'private',
  managersOnly: true,
  options: { sources: { ...some, required: true } },
  run: (context, { sources }) =>
    context.confirmed ? deleteAll(context, sources) : askWhether(context, sources),
});

export const refresh = defineAction({
  description: 'source refresh',
  shownTo: 'channel',
  managersOnly: true,
  options: { sources: { ...some, required: true } },
  run: (context, { sources }) => startAgain(context, sources, 'rescrapeUrlSources'),
});

export const retry = defineAction({
  description: 'source retry',
  shownTo: 'channel',
  managersOnly: true,
  options: { sources: { ...some, description: 'source retry names' } },
  async *run(context, { sources }) {
    const all = sources ?? (await listSources(context));
    const failed = all.filter(({ status }) => sourceProgress(status) === 'failed');
    if (failed.length === 0) yield forRequester(context.texts.source.noneFailed);
    else yield* startAgain(context, failed, 'restartDataSources');
  },
});

export const tag = defineAction({
  description: 'source tag',
  shownTo: 'private',
  managersOnly: true,
  options: {
    sources: { ...some, required: true },
    tag: { type: 'reference', to: 'tag', description: 'source tag tag', required: true },
    remove: { type: 'boolean', description: 'source tag remove' },
  },
  async run(context, { sources, tag, remove = false }) {
    const given = sources.map(({ uuid }) => uuid);
    const before = tag.data_source_uuids;
    const after = remove
      ? before.filter((uuid) => !given.includes(uuid))
      : [...new Set([...before, ...given])];
    const body = { data_source_uuids: after };
    await context.client.updateSourceTag(tag.uuid, body, context.signal);
    context.changed({
      what: { uuid: tag.uuid, name: tag.name },
      before: { sources: before },
      after: { sources: after },
    });
    const names = sources.map(renderSourceName).join(', ');
    const { tagged, untagged } = context.texts.source;
    return `✅ ${(remove ? untagged : tagged)(names, escapeMarkdown(tag.name), after.length)}`;
  },
});

async function askWhether(context: ActionContext, sources: readonly DataSource[]) {
  const { texts, formats } = context;
  const { tags, agents } = await usageOf(context, sources);
  const lines = sources.map(
    (source) =>
      `- ${renderSourceName(source)} (${texts.source.amount(formats.number(source.tokens), formats.size(source.file_size))})`,
  );
  return askToConfirm(context, {
    question: [
      texts.source.deleteAsk(sources.length),
      ...lines,
      texts.source.deleteUsage(tags, agents),
    ].join('\n'),
    label: texts.source.deleteLabel(sources.length),
    values: { sources: sources.map(({ uuid }) => uuid).join(', ') },
  });
}

async function deleteAll(context: ActionContext, sources: readonly DataSource[]) {
  const { client, texts, signal } = context;
  const lines: string[] = [];
  for (const source of sources) {
    const { uuid, title, file_name: file } = source;
    try {
      await client.deleteDataSource(uuid, signal);
      context.changed({
        what: { uuid, name: title || file },
        before: { title, type: source.type },
      });
      lines.push(`🗑️ ${texts.deleted(renderSourceName(source))}`);
    } catch (error) {
      lines.push(`❌ ${renderSourceName(source)}: ${explainError(error, texts)}`);
    }
  }
  return lines.join('\n');
}

/** Makes the service ingest sources again, and watches those that it accepts. */
async function* startAgain(
  context: ActionContext,
  sources: readonly DataSource[],
  operation: 'rescrapeUrlSources' | 'restartDataSources',
) {
  const { client, bindings, signal, texts } = context;
  const uuids = sources.map(({ uuid }) => uuid);
  const answers = await client.call(operation, { body: { uuids }, signal });
  const refused = new Map(
    answers.flatMap(({ uuid, ...answer }) =>
      'error' in answer ? [[uuid, String(answer.error)] as const] : [],
    ),
  );
  const started = sources.filter(({ uuid }) => !refused.has(uuid));
  for (const { uuid, title, file_name: file, status } of started) {
    context.changed({ what: { uuid, name: title || file }, before: { status } });
  }
  const isRefresh = operation === 'rescrapeUrlSources';
  const problems = sources
    .filter(({ uuid }) => refused.has(uuid))
    .map((source) => {
      const reason =
        isRefresh && source.type !== 'link' ? texts.source.noPage : refused.get(source.uuid);
      return `❌ ${renderSourceName(source)}: ${escapeMarkdown(reason ?? '')}`;
    });
  if (started.length === 0) {
    yield forRequester(problems.join('\n'));
    return;
  }
  const chatbot = await bindings.chatbotFor(context);
  const current = await client.listDataSources(chatbot, signal);
  const watched = started.map(
    (source) => current.find(({ uuid }) => uuid === source.uuid) ?? source,
  );
  yield* watchSources(context, { chatbot, sources: watched, below: problems.join('\n') });
}

/** The tags and agents that use any of the sources. */
export async function usageOf(
  context: ActionContext,
  sources: readonly DataSource[],
): Promise<{ tags: string[]; agents: string[] }> {
  const [tags, agents] = await Promise.all([listTags(context), listAgents(context)]);
  const uuids = new Set(sources.map(({ uuid }) => uuid));
  const named = (each: { name: string; data_source_uuids: string[] }) =>
    each.data_source_uuids.some((uuid) => uuids.has(uuid)) ? [escapeMarkdown(each.name)] : [];
  return { tags: tags.flatMap(named), agents: agents.flatMap(named) };
}
