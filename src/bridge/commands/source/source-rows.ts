import { type DataSource, sourceProgress } from '../../../shared/api/data-source.ts';
import type { ActionContext } from '../command.ts';
import { escapeMarkdown } from '../markdown.ts';
import type { SourceRow } from './source-watch.ts';
import { renderShare, renderSource } from './render-source.ts';

/** What rendering rows needs. */
export type RowContext = Pick<ActionContext, 'texts' | 'formats' | 'slash' | 'requester'>;

/** Whether the service is still ingesting it. */
export function isUnderWay({ state }: SourceRow): boolean {
  return state.kind === 'added' && sourceProgress(state.source.status) === 'waiting';
}

/** Updates a row from the service's list; `isSettled`: the list already contains what was added. */
export function updateRow(
  row: SourceRow,
  sources: readonly DataSource[],
  isSettled: boolean,
): void {
  const { state } = row;
  if (state.kind !== 'added') return;
  const source = sources.find(({ uuid }) => uuid === state.source.uuid);
  if (source) row.state = { ...state, source };
  else if (isSettled) row.state = { kind: 'deleted' };
}

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
