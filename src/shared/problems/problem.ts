import { problems as english } from './english.ts';

export type { ArchiveExcess, RefusedKind } from './english.ts';

/** The sentences for all problems, in one language. Every language has the same keys as English. */
type Problems = typeof english;

/** A language's texts, as far as they are about problems. */
interface ProblemTexts {
  problems: Problems;
}

export type ProblemCode = keyof Problems;

/** What went wrong: a code, and the params that its sentence needs. Shown by `renderProblem`. */
export type Problem = { [Code in ProblemCode]: ProblemWith<Code> }[ProblemCode];

type ProblemWith<Code extends ProblemCode> = Problems[Code] extends (params: infer Params) => string
  ? { code: Code; params: Params }
  : { code: Code; params?: undefined };

/** The codes that need no params. */
export type PlainCode = {
  [Code in ProblemCode]: Problems[Code] extends string ? Code : never;
}[ProblemCode];

/** A problem, or a plain code as one. */
function toProblem(problem: Problem | PlainCode): Problem {
  return typeof problem === 'string' ? ({ code: problem } as Problem) : problem;
}

/**
 * The problem for a service's code and params, if its English sentence is also ours; undefined if
 * another service wrote it.
 */
export function recognizeProblem(given: {
  error: string;
  code?: string;
  params?: object;
}): Problem | undefined {
  const { error, code, params } = given;
  if (code === undefined || !Object.hasOwn(english, code)) return undefined;
  const problem = { code, params } as Problem;
  try {
    return renderProblem(problem) === error ? problem : undefined;
  } catch {
    // Another service's params do not fit our sentence.
    return undefined;
  }
}

/** The sentence for a problem, by default in English, as in the logs. */
export function renderProblem(
  { code, params }: Problem,
  { problems }: ProblemTexts = { problems: english },
): string {
  const sentence = problems[code];
  return typeof sentence === 'string' ? sentence : sentence(params as never);
}

/** Something failed. The problem is for the person concerned; the message is in English. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem | PlainCode, options?: ErrorOptions) {
    super(renderProblem(toProblem(problem)), options);
    this.problem = toProblem(problem);
  }
}

/** A failure that a service stored: in the reader's language if it is ours, otherwise as it is. */
export function renderStored(
  failure: { error: string; code?: string; params?: object },
  texts: ProblemTexts,
): string {
  const problem = recognizeProblem(failure);
  return problem ? renderProblem(problem, texts) : failure.error;
}

/** The text of a reply; where it ends with the problem's English sentence, in the reader's language. */
export function translateEnd(
  text: string,
  problem: Problem | undefined,
  texts: ProblemTexts,
): string {
  const end = problem && renderProblem(problem);
  if (!end || !text.endsWith(end)) return text;
  return text.slice(0, -end.length) + renderProblem(problem, texts);
}
