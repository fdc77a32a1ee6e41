/** What a check found, in plain words and without secrets. */
export interface Finding {
  /** `unchecked` where it could not be looked at, which need not be wrong. */
  state: 'ok' | 'fault' | 'unchecked';
  says: string;
  /** What to do about it. */
  fix?: string;
  /** The variable whose value was refused. */
  variable?: string;
}

/** One thing that can be wrong with an installation. */
export interface Check<Asked> {
  /** What it looks at, such as `Slack scopes`. */
  name: string;
  /** The check that comes first: if that one is not ok, this one is not run. */
  needs?: string;
  /**
   * Several findings are several lines.
   * @throws {Trouble} when what is asked refuses or can't be reached
   */
  run(asked: Asked): Promise<Finding | Finding[]>;
  /** What to do about a fault for which `run` names no other fix. */
  fix?: string;
  /** The variable that is refused where what is asked refuses. */
  variable?: string;
}

/** A line of the report. */
export interface Line extends Finding {
  name: string;
}

/** What a check asks refuses, or can't be reached. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly kind: 'refused' | 'unreachable';

  /** @param says without secrets */
  constructor(kind: 'refused' | 'unreachable', says: string) {
    super(says);
    this.kind = kind;
  }
}

export const ok = (says: string): Finding => ({ state: 'ok', says });

/** @param fix by default the check's own */
export const fault = (says: string, fix?: string): Finding => ({ state: 'fault', says, fix });

export const unchecked = (says: string, fix?: string): Finding => ({
  state: 'unchecked',
  says,
  fix,
});

const retryFix =
  'Check the network, the proxy and the variables for addresses, then run npm run doctor again.';

/** Runs the checks in order. */
export async function runChecks<Asked>(
  checks: readonly Check<Asked>[],
  asked: Asked,
): Promise<Line[]> {
  const lines: Line[] = [];
  const isOk = (name: string) =>
    lines.filter((line) => line.name === name).every(({ state }) => state === 'ok');
  for (const check of checks) {
    const { name, needs } = check;
    const findings =
      needs !== undefined && !isOk(needs)
        ? [unchecked(`not checked: ${needs} comes first.`)]
        : [await runCheck(check, asked)].flat();
    lines.push(...findings.map((finding) => ({ name, ...finding })));
  }
  return lines;
}

async function runCheck<Asked>(
  { run, fix, variable }: Check<Asked>,
  asked: Asked,
): Promise<Finding | Finding[]> {
  try {
    const findings = [await run(asked)].flat();
    return findings.map((finding) =>
      finding.state === 'fault' ? { ...finding, fix: finding.fix ?? fix } : finding,
    );
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    if (error.kind === 'unreachable') return fault(error.message, retryFix);
    return { state: 'fault', says: error.message, fix, variable };
  }
}

/** A function that asks once, and then gives the same answer. */
export function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => (asked ??= ask());
}
