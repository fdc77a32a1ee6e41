import type { DataSource } from '../../../shared/api/data-source.ts';
import type { ChatbotClient } from '../../chatbot/chatbot-client.ts';
import type { ActionContext, Outcome } from '../command.ts';
import { explainError } from '../../conversation/explain.ts';
import { isGone } from '../registry/registry-client.ts';
import { renderRows } from './source-rows.ts';
import type { RowState, SourceRow } from './source-watch.ts';
import { watchRows } from './watch-rows.ts';

/** A source to be added. */
export interface NewSource {
  /** As Markdown. */
  name: string;
  /** Bytes, of a file. */
  size?: number;
  /**
   * Adds it, or resolves with a sentence that says why it can't. `sent` is called with the bytes
   * sent so far.
   * @throws {ChatbotError}
   */
  add(
    chatbot: string,
    sent: (bytes: number) => void,
  ): ReturnType<ChatbotClient['addUrlSource']> | string;
}

/** Min milliseconds between updates of the upload progress. */
const shownMs = 1_000;

/** Adds sources one after another and shows their progress, one line each, until all have ended. */
export async function* addSources(
  context: ActionContext,
  wanted: readonly NewSource[],
): AsyncGenerator<string | Outcome> {
  const startedMs = context.monotonicMs();
  const rows = wanted.map(({ name }): SourceRow => ({ name, state: { kind: 'waiting' } }));
  const chatbot = await context.bindings.chatbotFor(context);
  for (const [index, row] of rows.entries()) {
    const each = wanted[index];
    if (!each) continue;
    for await (const state of addOne(context, chatbot, each)) {
      row.state = state;
      yield renderRows(rows, context);
    }
  }
  yield* watchRows(context, { chatbot, rows }, { startedMs });
}

/** Shows the progress of sources, with a text below, until all have ended. */
export function watchSources(
  context: ActionContext,
  { chatbot, sources, below }: { chatbot: string; sources: readonly DataSource[]; below: string },
): AsyncGenerator<string | Outcome> {
  const rows = sources.map((source): SourceRow => {
    const name = source.title || source.file_name;
    return { name, state: { kind: 'added', source, duplicate: false } };
  });
  return watchRows(context, { chatbot, rows, below }, { startedMs: context.monotonicMs() });
}

/** Yields the state of one source: about every second during the upload, and at the end. */
async function* addOne(
  context: ActionContext,
  chatbot: string,
  { size, add }: NewSource,
): AsyncGenerator<RowState> {
  const { sleep, signal } = context;
  const done = new AbortController();
  let sent = 0;
  let ended: RowState | undefined;
  const adding = tryToAdd(() => add(chatbot, (bytes) => (sent = bytes)), context)
    .then((state) => (ended = state))
    .finally(() => done.abort());
  // If the caller stops reading early, the failure has nowhere to go.
  adding.catch(() => undefined);

  yield { kind: 'adding' };
  while (size !== undefined && !done.signal.aborted && !signal.aborted) {
    const waiting = sleep(shownMs, AbortSignal.any([done.signal, signal]));
    await waiting.catch(() => undefined);
    if (!ended && sent > 0) yield { kind: 'adding', sent: { bytes: sent, of: size } };
  }
  yield await adding;
}

async function tryToAdd(
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
    // The chatbot itself is gone: the other sources would fail as well.
    if (isGone(error)) throw error;
    return { kind: 'refused', reason: explainError(error, context.texts) };
  }
}
