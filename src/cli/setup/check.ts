import { ProxyError } from '../../shared/primitives/dispatcher.ts';
import { proxyOrigins } from '../../shared/primitives/proxies.ts';
import { within } from '../../shared/primitives/time.ts';
import { OpenError } from '../../shared/stores/open-error.ts';

/** What a check found, in plain words and without secrets. */
export interface Finding {
  /** `unchecked` if it could not be checked, or is worth a look: neither is a fault. */
  state: 'ok' | 'fault' | 'unchecked';
  says: string;
  /** What to do about it. */
  fix?: string;
  /** The variable whose value was refused. */
  variable?: string;
}

/** One thing that can be wrong with an installation. */
export interface Check<Asked> {
  /** What it checks, such as `Slack scopes`. */
  name: string;
  /** The name of a check that must be ok, or this one is not run. */
  needs?: string;
  /**
   * Each finding becomes a line.
   * @throws {Trouble} when the other side refuses or can't be reached
   */
  run(asked: Asked): Promise<Finding | Finding[]>;
  /** What to do about a fault for which `run` names no other fix. */
  fix?: string | ((asked: Asked) => string);
  /** The variable whose value is wrong if the other side refuses. */
  variable?: string;
  /** How long it may take, by default `checkLimitMs`. */
  limitMs?: number;
}

/** The report should take at most a minute or two, whatever hangs. */
const checkLimitMs = 15_000;

/** A line of the report. */
export interface Line extends Finding {
  name: string;
}

/** The other side of a check refuses, can't be reached, or asks to wait. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly kind: TroubleKind;

  /** @param says without secrets */
  constructor(kind: TroubleKind, says: string) {
    super(says);
    this.kind = kind;
  }
}

type TroubleKind = 'refused' | 'unreachable' | 'busy';

/**
 * The error for something that can't be reached. Names the proxy in between, if any.
 *
 * @param error why the connection failed
 */
export function unreachable(name: string, error: unknown): Trouble {
  const proxy = findProxyError(error);
  const reason = proxy ? `: ${proxy.message}` : '';
  return new Trouble('unreachable', `${name} can’t be reached${reason}.`);
}

function findProxyError(error: unknown): ProxyError | undefined {
  if (error instanceof ProxyError) return error;
  return error instanceof Error ? findProxyError(error.cause) : undefined;
}

/** Awaits calls, and turns their errors into Trouble. */
export function createAsk(toTrouble: (error: unknown) => Trouble) {
  return async function ask<Answer>(call: Promise<Answer>): Promise<Answer> {
    try {
      return await call;
    } catch (error) {
      throw toTrouble(error);
    }
  };
}

export const ok = (says: string): Finding => ({ state: 'ok', says });

/** @param fix by default the check's own */
export const fault = (says: string, fix?: string): Finding => ({ state: 'fault', says, fix });

export const unchecked = (says: string, fix?: string): Finding => ({
  state: 'unchecked',
  says,
  fix,
});

function retryFix(): string {
  const proxy = ['the proxy', ...proxyOrigins()].join(' ');
  return `Check the network, ${proxy} and the variables for addresses, then run npm run doctor again.`;
}

const laterFix = 'Run npm run doctor again in a minute.';

/** Runs the checks in order, or only those of a variable's value. */
export async function runChecks<Asked>(
  checks: readonly Check<Asked>[],
  asked: Asked,
  variable?: string,
): Promise<Line[]> {
  const lines: Line[] = [];
  const isOk = (name: string) =>
    lines.filter((line) => line.name === name).every(({ state }) => state === 'ok');
  for (const check of checks) {
    if (variable && check.variable !== variable) continue;
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
  { run, fix: usualFix, variable, limitMs = checkLimitMs }: Check<Asked>,
  asked: Asked,
): Promise<Finding | Finding[]> {
  const fix = typeof usualFix === 'function' ? usualFix(asked) : usualFix;
  try {
    const seconds = Math.ceil(limitMs / 1000);
    const findings = await within(limitMs, run(asked), () => {
      return new Trouble('unreachable', `there is no answer within ${seconds} seconds.`);
    });
    return [findings]
      .flat()
      .map((finding) =>
        finding.state === 'fault' ? { ...finding, fix: finding.fix ?? fix } : finding,
      );
  } catch (error) {
    // Its message says what to do.
    if (error instanceof OpenError) return fault(error.message);
    if (!(error instanceof Trouble)) throw error;
    if (error.kind === 'unreachable') return fault(error.message, retryFix());
    if (error.kind === 'busy') return unchecked(`not checked: ${error.message}`, laterFix);
    return { state: 'fault', says: error.message, fix, variable };
  }
}

/** A function that asks once, and then gives the same answer. */
export function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => (asked ??= ask());
}
