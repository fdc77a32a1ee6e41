import type { DataSource } from '../../api/data-source.ts';
import { ChatbotError } from '../../conversation/chatbot-error.ts';
import type { ActionContext } from '../command.ts';
import { explainError } from '../../conversation/explain.ts';
import { isGone } from '../registry/registry-client.ts';
import { settlingMs } from '../registry/registry.ts';
import { isUnderWay, renderRows, type SourceRow, updateRow } from './source-rows.ts';

const firstWaitMs = 500;
const maxWaitMs = 5_000;

/** People who waited longer than this have moved on, so they get a direct message. */
const quickMs = 10_000;

/**
 * After this time, progress is no longer shown until the end: Discord allows edits of an answer for
 * 15 minutes.
 */
const shownForMs = 10 * 60 * 1000;
const quietWaitMs = 60_000;

/** Sources that take longer are no longer watched. */
const watchedForMs = 6 * 60 * 60 * 1000;

/** Max consecutive failures to get the sources' state from the service. */
const maxFailures = 5;

/**
 * Shows the progress of sources until all have ended, and notifies the requester if that took long.
 */
export async function* watchRows(
  context: ActionContext,
  watched: { chatbot: string; rows: SourceRow[]; startedMs: number },
): AsyncGenerator<string> {
  const { chatbot, rows, startedMs } = watched;
  const { client, texts, slash, monotonicMs: now, sleep, signal } = context;
  const elapsedMs = () => now() - startedMs;
  const settledAtMs = now() + settlingMs;
  const further = (note: string) => [renderRows(rows, context), note].join('\n\n');
  let failures = 0;
  let isQuiet = false;

  yield renderRows(rows, context);
  for (let check = 0; rows.some(isUnderWay); check += 1) {
    if (elapsedMs() > watchedForMs) {
      await context.tell(further(texts.source.takesTooLong(slash('source list'))));
      return;
    }
    try {
      await sleep(waitMs(check, isQuiet), signal);
    } catch {
      yield further(texts.source.goesOn(slash('source list')));
      return;
    }
    const sources = await ask(context, chatbot);
    if (!client.lists('source')) {
      yield further(texts.source.notTold);
      return;
    }
    failures = sources instanceof ChatbotError ? failures + 1 : 0;
    if (sources instanceof ChatbotError) {
      if (failures < maxFailures) continue;
      yield further(
        `❌ ${explainError(sources, texts)} ${texts.source.goesOn(slash('source list'))}`,
      );
      return;
    }
    const isSettled = now() > settledAtMs;
    for (const row of rows) updateRow(row, sources, isSettled);
    if (isQuiet) continue;
    isQuiet = elapsedMs() > shownForMs && rows.some(isUnderWay);
    yield isQuiet
      ? further(texts.source.takesLong(slash('source list')))
      : renderRows(rows, context);
  }
  if (isQuiet) yield renderRows(rows, context);
  if (elapsedMs() > quickMs) await context.tell(renderRows(rows, context));
}

/**
 * The service's sources, or the error if it does not return them.
 * @throws {ChatbotError} when the chatbot was deleted
 */
async function ask(
  { client, signal }: ActionContext,
  chatbot: string,
): Promise<DataSource[] | ChatbotError> {
  try {
    return await client.listDataSources(chatbot, signal);
  } catch (error) {
    if (error instanceof ChatbotError && !isGone(error)) return error;
    throw error;
  }
}

function waitMs(check: number, isQuiet: boolean): number {
  return isQuiet ? quietWaitMs : Math.min(firstWaitMs * 1.2 ** check, maxWaitMs);
}
