import {
  type DataSource,
  sourceFailure,
  sourceMeta,
  sourceProgress,
  sourceStage,
} from '../../../shared/api/data-source.ts';
import type { ActionContext } from '../command.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { listSources } from '../lists.ts';
import type { Texts } from '../../texts/texts.ts';
import { recognizeProblem, renderStored } from '../../../shared/problems/problem.ts';
import type { SourceRow } from './source-watch.ts';

/** Renders a source's name as Markdown. */
export function renderSourceName(source: DataSource): string {
  return bold(source.title || source.file_name || source.uuid);
}

/** The names of a chatbot's sources with these ids, in order, without deleted ones, as Markdown. */
export async function listSourceNames(
  uuids: readonly string[],
  context: ActionContext,
): Promise<string[]> {
  if (uuids.length === 0) return [];
  return (await listSources(context))
    .filter(({ uuid }) => uuids.includes(uuid))
    .map(({ title, file_name: file }) => escapeMarkdown(title || file));
}

/** Renders a source in one line: name, status (with a bar while it is being ingested) and size. */
export function renderSource(
  source: DataSource,
  { texts, formats, slash }: Pick<ActionContext, 'texts' | 'formats' | 'slash'>,
): string {
  const name = renderSourceName(source);
  switch (sourceProgress(source.status)) {
    case 'ready': {
      const { number, size } = formats;
      return `✅ ${texts.source.ready(name, number(source.tokens), size(source.file_size))}`;
    }
    case 'failed': {
      const reason = renderFailure(source, texts);
      const retry = slash('source retry');
      const { text_from: since } = sourceMeta(source);
      if (isOfFile(source)) {
        return `❌ ${texts.source.fileFailed(name, reason, slash('source upload'))}`;
      }
      if (since === undefined && source.type === 'link') {
        const commands = { retry, url: slash('source url') };
        return `❌ ${texts.source.urlFailed(name, reason, commands)}`;
      }
      if (since === undefined) return `❌ ${texts.source.failed(name, reason, retry)}`;
      return `⚠️ ${texts.source.refreshFailed(name, formats.time(since), reason, retry)}`;
    }
    case 'waiting':
      return `⏳ ${name} ${renderWaiting(source, { texts, formats })}`;
  }
}

/** Renders a source's status, without its name. */
export function renderStatus(
  source: DataSource,
  { texts, formats }: Pick<ActionContext, 'texts' | 'formats'>,
): string {
  switch (sourceProgress(source.status)) {
    case 'ready':
      return `✅ ${texts.source.states.ready}`;
    case 'failed': {
      const reason = renderFailure(source, texts);
      const { text_from: since } = sourceMeta(source);
      if (since === undefined) return `❌ ${texts.source.states.failed}: ${reason}`;
      return `⚠️ ${texts.source.worksSince(formats.time(since), reason)}`;
    }
    case 'waiting':
      return `⏳ ${renderWaiting(source, { texts, formats })}`;
  }
}

/** The stages of ingestion in order, and the progress of each in tenths. */
const stages = {
  waiting: 1,
  downloading: 2,
  reading: 4,
  cutting: 6,
  indexing: 8,
  finishing: 9,
} as const;

type Stage = keyof typeof stages;

/** Services have other words too: an unknown one is shown as it is. */
const stageOf: Record<string, Stage> = {
  await: 'waiting',
  assigned: 'waiting',
  queued: 'waiting',
  pending: 'waiting',
  downloading: 'downloading',
  extracting: 'reading',
  chunking: 'cutting',
  embedding: 'indexing',
  running: 'finishing',
  indexing: 'finishing',
};

const barLength = 10;

/** A bar, what is being done, and what the chatbot answers from meanwhile. */
function renderWaiting(
  source: DataSource,
  { texts, formats }: Pick<ActionContext, 'texts' | 'formats'>,
): string {
  const word = sourceStage(source);
  const stage = stageOf[word];
  const bar = renderShare(stages[stage ?? 'reading'] / barLength);
  const doing = `${bar} ${stage ? texts.source.stages[stage] : escapeMarkdown(word)} …`;
  const { text_from: since } = sourceMeta(source);
  return since === undefined
    ? doing
    : `${doing} ${texts.source.worksMeanwhile(formats.time(since))}`;
}

/** Renders a share from 0 to 1 as a progress bar. */
function renderShare(share: number): string {
  const full = Math.min(Math.max(Math.floor(share * barLength), 0), barLength);
  return `${'▰'.repeat(full)}${'▱'.repeat(barLength - full)}`;
}

function renderFailure(source: DataSource, texts: Texts): string {
  const { noStorage, noTokens, statusSays } = texts.source;
  const reasons: Record<string, string> = {
    'error:storage': noStorage,
    'error:token': noTokens,
  };
  return (
    escapeMarkdown(renderStored(sourceFailure(source), texts)).replace(/\.$/, '') ||
    reasons[source.status] ||
    statusSays(escapeMarkdown(source.status))
  );
}

/** Problems of a file's source that may pass, while the file stays as it is. */
const passing = new Set(['source_failed', 'storage_full', 'text_too_large']);

/** Whether it failed because of its file, so that reading that again would not help. */
function isOfFile(source: DataSource): boolean {
  const problem = recognizeProblem(sourceFailure(source));
  return source.type !== 'link' && problem !== undefined && !passing.has(problem.code);
}

/** What rendering rows needs. */
export type RowContext = Pick<ActionContext, 'texts' | 'formats' | 'slash' | 'requester'>;

/** Renders the rows, one line each; with several rows, a line above says how many are ready. */
export function renderRows(rows: readonly SourceRow[], context: RowContext): string {
  const lines = rows.map((row) => renderRow(row, context));
  if (rows.length === 1) return lines.join('');
  const ready = rows.filter(
    ({ state }) => state.kind === 'added' && sourceProgress(state.source.status) === 'ready',
  );
  const heading = context.texts.source.readyOf(ready.length, rows.length);
  return [`**${heading}**`, ...lines.map((line) => `- ${line}`)].join('\n');
}

function renderRow({ name, state }: SourceRow, context: RowContext): string {
  const { texts, formats, requester } = context;
  switch (state.kind) {
    case 'waiting':
      return `⏳ ${name}`;
    case 'adding': {
      const line = `⏳ ${texts.source.adding(escapeMarkdown(requester.name), name)}`;
      if (!state.sent) return line;
      const { bytes, of } = state.sent;
      return `${line} ${renderShare(bytes / of)} ${formats.size(bytes)}`;
    }
    case 'refused':
      return `❌ ${name}: ${state.reason}`;
    case 'deleted':
      return `❌ ${texts.source.deletedMeanwhile(name)}`;
    case 'added': {
      const line = renderSource(state.source, context);
      return state.duplicate ? `${line} (${texts.source.duplicate})` : line;
    }
  }
}
