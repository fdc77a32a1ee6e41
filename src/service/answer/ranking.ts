import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RankAnswer, RankOrder } from './rank-thread.ts';
import type { Ranked, RankedQuestion, Ranker } from './ranker.ts';

/** Ranks outside the event loop. */
type Ranking = Ranker & AsyncDisposable;

/** The heap of the thread, without vectors and the database's pages. */
const heap = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

/**
 * Ranks small questions at once, and others in a thread, which the first one starts. `isSmall` must
 * be quick. A thread that fails or runs out of memory fails its questions; the next one starts
 * another.
 *
 * @param path of the database
 */
export function createRanking(parts: {
  path: string;
  ranker: Ranker;
  isSmall: (question: RankedQuestion) => boolean;
}): Ranking {
  const { path, ranker, isSmall } = parts;
  let thread: Worker | undefined;
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<Ranked>>();

  const start = (): Worker => {
    const started = new Worker(new URL('rank-thread.ts', import.meta.url), {
      workerData: path,
      execArgv: [],
      env: toEnvironment(),
      resourceLimits: heap,
    });
    started.on('message', (answer: RankAnswer) => {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ('error' in answer) asked?.reject(answer.error);
      else asked?.resolve(answer.ranked);
    });
    const end = (error: unknown) => {
      if (thread === started) thread = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on('error', end);
    started.on('exit', () => end(new Error('The thread that ranks has ended')));
    started.unref();
    return started;
  };

  return {
    rank(question) {
      if (isSmall(question)) return ranker.rank(question);
      const asked = Promise.withResolvers<Ranked>();
      lastId += 1;
      waiting.set(lastId, asked);
      thread ??= start();
      thread.postMessage({ id: lastId, question } satisfies RankOrder);
      return asked.promise;
    },
    async [Symbol.asyncDispose]() {
      await thread?.terminate();
    },
  };
}

/** A thread uses this process's compile cache only if told to; otherwise it takes 24 MB more. */
function toEnvironment(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
