import { english, type Messages } from './messages.ts';

type Problems = Messages['problems'];

export type ProblemCode = keyof Problems;

/** What went wrong: a code, and what the sentence about it needs to know. Shown by `renderProblem`. */
export type Problem = { [Code in ProblemCode]: ProblemWith<Code> }[ProblemCode];

type ProblemWith<Code extends ProblemCode> = Problems[Code] extends (params: infer Params) => string
  ? { code: Code; params: Params }
  : { code: Code; params?: undefined };

/** The codes that say everything by themselves. */
export type PlainCode = {
  [Code in ProblemCode]: Problems[Code] extends string ? Code : never;
}[ProblemCode];

/** A problem, also where only its code is given. */
export function toProblem(problem: Problem | PlainCode): Problem {
  return typeof problem === 'string' ? ({ code: problem } as Problem) : problem;
}

/**
 * The problem that a service's code and params stand for, where its English sentence is ours too;
 * undefined for another service's.
 */
export function recognizeProblem(given: {
  error: string;
  code?: string;
  params?: object;
}): Problem | undefined {
  const { error, code, params } = given;
  if (code === undefined || !Object.hasOwn(english.problems, code)) return undefined;
  const problem = { code, params } as Problem;
  try {
    return renderProblem(problem) === error ? problem : undefined;
  } catch {
    // Another service's params are nothing that our sentence can be made of.
    return undefined;
  }
}

/** The sentence about a problem in a language; by default in English, as logs have it. */
export function renderProblem({ code, params }: Problem, messages: Messages = english): string {
  const message = messages.problems[code];
  return typeof message === 'string' ? message : message(params as never);
}
