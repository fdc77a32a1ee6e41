import { type DataSource, sourceProgress } from '../../../shared/api/data-source.ts';
import { ChatbotError, explainError } from '../../conversation/errors.ts';
import type { ActionContext, Outcome } from '../command.ts';
import { forRequester } from '../outcomes.ts';
import { settlingMs } from '../registry/registry.ts';
import { isUnderWay, updateRow, type SourceWatch, type SourceRow } from './source-watch.ts';
import { renderRows, type RowContext } from './render-source.ts';
import type { Texts } from '../../texts/texts.ts';

/** Small sources are ready in a moment; large ones are asked about less and less often. */
const firstWaitMs = 100;
const waitGrowth = 1.5;
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

/** What watching sources needs; after a restart, this is all there is. */
export type WatchContext = RowContext &
  Pick<ActionContext, 'client' | 'gaps' | 'threads' | 'requester' | 'sleep' | 'signal'> &
  Pick<ActionContext, 'monotonicMs' | 'tell' | 'keepWatch' | 'leaveWatch'>;

/**
 * Shows the progress of sources until all have ended, and notifies the requester if that took long.
 * The watch is stored: if the process ends, the next one continues it. A resumed watch always
 * notifies, and, like one that teaches an answer, waits however long the service needs to come back.
 */
export async function* watchRows(
  context: WatchContext,
  watch: SourceWatch,
  run: { startedMs: number; isResumed?: boolean },
): AsyncGenerator<string | Outcome> {
  const isOver = yield* follow(context, watch, run);
  const { teaches = [], rows } = watch;
  if (!isOver || teaches.length === 0) return;
  const isReady = rows.every(
    ({ state }) => state.kind === 'added' && sourceProgress(state.source.status) !== 'failed',
  );
  if (isReady) yield* answerAnew(context, watch, teaches);
  else for (const { turn: id, address } of teaches) await context.gaps.release({ id, address });
}

/**
 * The answer was taught: the questions are asked again. What keeps one from that is shown. If the process
 * ends meanwhile, the next one continues, and each is asked once.
 */
async function* answerAnew(
  context: WatchContext,
  watch: SourceWatch,
  teaches: NonNullable<SourceWatch['teaches']>,
): AsyncGenerator<string> {
  const { gaps, threads, requester, texts, signal } = context;
  const added = watch.rows.map(({ state }) => (state.kind === 'added' ? state.source.uuid : ''));
  const problems = new Set<string>();
  await context.keepWatch(watch);
  for (const { turn: id, address } of teaches) {
    if (signal.aborted) return context.leaveWatch();
    const turn = { id, address };
    await gaps.taught(turn);
    const problem = await threads.answerAnew(turn, requester, added.join(' '));
    if (problem === undefined) continue;
    problems.add(problem);
    await gaps.release(turn);
  }
  const said = problems.size > 0 ? [...problems] : [texts.gaps.askedAnew(teaches.length)];
  yield [renderRows(watch.rows, context), ...said].join('\n\n');
}

/** Resolves with false if it is left before the sources are ready: the process ends, or they take too long. */
async function* follow(
  context: WatchContext,
  watch: SourceWatch,
  { startedMs, isResumed = false }: { startedMs: number; isResumed?: boolean },
): AsyncGenerator<string | Outcome, boolean> {
  const { chatbot, rows, below } = watch;
  const { client, texts, slash, monotonicMs: now, sleep, signal } = context;
  const elapsedMs = () => now() - startedMs;
  const settledAtMs = now() + settlingMs;
  const render = () => [renderRows(rows, context), ...(below ? [below] : [])].join('\n');
  const show = () => showRows(rows, render());
  const further = (note: string) => [render(), note].join('\n\n');
  let failures = 0;
  let isQuiet = false;

  if (rows.some(isUnderWay)) await context.keepWatch(watch);
  yield show();
  for (let check = 0; rows.some(isUnderWay); check += 1) {
    if (elapsedMs() > watchedForMs) {
      await context.tell(further(texts.source.takesTooLong(slash('source list'))));
      return false;
    }
    try {
      await sleep(waitMs(check, isQuiet), signal);
    } catch {
      context.leaveWatch();
      yield further(texts.source.goesOn(slash('source list')));
      return false;
    }
    const sources = await ask(context, chatbot);
    if (!client.lists('source')) {
      yield further(texts.source.notTold);
      return true;
    }
    failures = sources instanceof ChatbotError ? failures + 1 : 0;
    if (sources instanceof ChatbotError) {
      // A question must not be asked before its answer is ready.
      if (isResumed || watch.teaches || failures < maxFailures) continue;
      yield further(
        `❌ ${explainError(sources, texts)} ${texts.source.goesOn(slash('source list'))}`,
      );
      return true;
    }
    const isSettled = now() > settledAtMs;
    for (const row of rows) updateRow(row, sources, isSettled);
    if (isQuiet) continue;
    isQuiet = elapsedMs() > shownForMs && rows.some(isUnderWay);
    yield isQuiet ? further(texts.source.takesLong(slash('source list'))) : show();
  }
  if (isQuiet) yield show();
  const questions = isResumed || watch.teaches ? [] : await findQuestions(context, rows);
  if (questions.length > 0) yield withQuestions(render(), questions, texts);
  if (isResumed || elapsedMs() > quickMs) await context.tell(render());
  return true;
}

/**
 * What the rows show: if nothing comes of any of them, that concerns only the requester, and if all
 * were refused, their form can be opened again.
 */
export function showRows(rows: readonly SourceRow[], markdown: string): Outcome {
  if (rows.some(concernsAll)) return { markdown };
  const isRefused = rows.every(({ state }) => state.kind === 'refused');
  return { ...forRequester(markdown), ...(isRefused && { isRefused }) };
}

function concernsAll({ state }: SourceRow): boolean {
  if (state.kind !== 'added') return state.kind === 'waiting' || state.kind === 'adding';
  return !state.duplicate && sourceProgress(state.source.status) !== 'failed';
}

/**
 * The service's sources, or the error if it does not return them.
 * @throws {ChatbotError} when the chatbot was deleted
 */
async function ask(
  { client, signal }: WatchContext,
  chatbot: string,
): Promise<DataSource[] | ChatbotError> {
  try {
    return await client.listDataSources(chatbot, signal);
  } catch (error) {
    if (error instanceof ChatbotError && error.kind !== 'not_found') return error;
    throw error;
  }
}

function waitMs(check: number, isQuiet: boolean): number {
  return isQuiet ? quietWaitMs : Math.min(firstWaitMs * waitGrowth ** check, maxWaitMs);
}

const maxQuestions = 3;
/** More sources at once would only keep people waiting. */
const maxAsked = 3;
const timeoutMs = 5_000;

/**
 * Up to three questions that the sources answer which have become ready, from each in turn. None if
 * the service can't tell: only the built-in one can. Never rejects.
 */
async function findQuestions(
  { client, signal }: Pick<ActionContext, 'client' | 'signal'>,
  rows: readonly SourceRow[],
): Promise<string[]> {
  const ready = rows.flatMap(({ state }) =>
    state.kind === 'added' && !state.duplicate && sourceProgress(state.source.status) === 'ready'
      ? [state.source.uuid]
      : [],
  );
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const lists = await Promise.all(
      ready.slice(0, maxAsked).map((uuid) => client.listSourceQuestions(uuid, limited)),
    );
    const inTurn = [0, 1, 2].flatMap((index) =>
      lists.flatMap((questions) => questions[index] ?? []),
    );
    return [...new Set(inTurn)].slice(0, maxQuestions);
  } catch {
    return [];
  }
}

/** A result with questions to press. */
function withQuestions(markdown: string, questions: readonly string[], { source }: Texts): Outcome {
  const buttons = questions.map((label) => ({ label, onPress: { kind: 'ask' } as const }));
  return { markdown: `${markdown}\n\n${source.canAsk}`, buttons };
}
