import { type DataSource, sourceProgress } from '../../api/data-source.ts';
import type { ChatbotClient } from '../../chatbot/chatbot-client.ts';
import type { ActionContext } from '../command.ts';
import type { CommandTools } from '../command-tools.ts';
import { explainFailure } from '../explain-failure.ts';
import { renderSource } from './render-source.ts';

/** Something to become a source. */
export interface NewSource {
  /** As Markdown. */
  name: string;
  /** Adds it, or says in words why it can't be. @throws {ChatbotError} */
  add(chatbot: string): ReturnType<ChatbotClient['addUrlSource']> | string;
}

type RowState =
  | { kind: 'waiting' }
  | { kind: 'adding' }
  | { kind: 'refused'; reason: string }
  | { kind: 'added'; source: DataSource; duplicate: boolean }
  | { kind: 'deleted' };

interface Row {
  name: string;
  state: RowState;
}

/** Adds sources one after another and shows how they come along, a line each, until all have ended. */
export async function* addSources(
  tools: CommandTools,
  context: ActionContext,
  wanted: readonly NewSource[],
): AsyncGenerator<string> {
  const rows = wanted.map(({ name }): Row => ({ name, state: { kind: 'waiting' } }));
  const chatbot = await tools.bindings.chatbotFor(context);
  for (const [index, { name, add }] of wanted.entries()) {
    const row = rows[index] ?? { name, state: { kind: 'waiting' } };
    row.state = { kind: 'adding' };
    yield renderRows(rows, context);
    row.state = await addOne(() => add(chatbot), context);
  }
  yield* watchRows(tools, context, chatbot, rows);
}

/** Shows how sources come along until none is under way. */
export function watchSources(
  tools: CommandTools,
  context: ActionContext,
  chatbot: string,
  sources: readonly DataSource[],
): AsyncGenerator<string> {
  const rows = sources.map((source): Row => {
    const name = source.title || source.file_name;
    return { name, state: { kind: 'added', source, duplicate: false } };
  });
  return watchRows(tools, context, chatbot, rows);
}

async function addOne(
  add: () => ReturnType<NewSource['add']>,
  context: ActionContext,
): Promise<RowState> {
  try {
    const added = await add();
    if (typeof added === 'string') return { kind: 'refused', reason: added };
    const { source, duplicate } = added;
    if (!duplicate) {
      const { uuid, title, file_name: file, type } = source;
      context.changed({ what: { uuid, name: title || file }, after: { type } });
    }
    return { kind: 'added', ...added };
  } catch (error) {
    return { kind: 'refused', reason: explainFailure(error, context.texts) };
  }
}

const firstWaitMs = 500;
const longestWaitMs = 5000;

/** Sources that take longer go on alone; the list tells how they end. */
const mostChecks = 120;

async function* watchRows(
  tools: CommandTools,
  context: ActionContext,
  chatbot: string,
  rows: Row[],
): AsyncGenerator<string> {
  yield renderRows(rows, context);
  for (let check = 0; rows.some(isUnderWay); check += 1) {
    if (check === mostChecks) {
      const { texts, slash } = context;
      yield `${renderRows(rows, context)}\n\n${texts.source.takesLong(slash('source list'))}`;
      return;
    }
    await tools.sleep(Math.min(firstWaitMs * 1.2 ** check, longestWaitMs), context.signal);
    const sources = await tools.client.listDataSources(chatbot, context.signal);
    for (const row of rows) update(row, sources);
    yield renderRows(rows, context);
  }
}

function isUnderWay({ state }: Row): boolean {
  return state.kind === 'added' && sourceProgress(state.source.status) === 'waiting';
}

function update(row: Row, sources: readonly DataSource[]): void {
  const { state } = row;
  if (state.kind !== 'added') return;
  const source = sources.find(({ uuid }) => uuid === state.source.uuid);
  row.state = source ? { ...state, source } : { kind: 'deleted' };
}

function renderRows(rows: readonly Row[], context: ActionContext): string {
  const lines = rows.map((row) => renderRow(row, context));
  if (rows.length === 1) return lines.join('');
  const ready = rows.filter(
    ({ state }) => state.kind === 'added' && sourceProgress(state.source.status) === 'ready',
  );
  const heading = context.texts.source.readyOf(ready.length, rows.length);
  return [`**${heading}**`, ...lines.map((line) => `- ${line}`)].join('\n');
}

function renderRow({ name, state }: Row, context: ActionContext): string {
  const { texts, requester } = context;
  switch (state.kind) {
    case 'waiting':
      return `⏳ ${name}`;
    case 'adding':
      return `⏳ ${texts.source.adding(requester.name, name)}`;
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
