import type { Variable } from './variables.ts';

/** The environment variables, and the errors found in them. */
export interface Environment {
  /** The trimmed value of a variable; undefined if it is empty or not set. */
  read(name: Variable): string | undefined;
  /** Records what is wrong with a variable and how to fix it. Never include a secret. */
  fault(name: Variable, problem: string): void;
  /** The errors recorded so far, in order. */
  readonly faults: readonly string[];
}

/** Wraps these variables, with no errors recorded yet. */
export function createEnvironment(variables: Record<string, string | undefined>): Environment {
  const faults: string[] = [];
  return {
    faults,
    read: (name) => variables[name]?.trim() || undefined,
    fault: (name, problem) => void faults.push(`${name} ${problem}`),
  };
}

/** An integer between `min` and `max`. Undefined if not set or invalid. */
export function readWhole(
  environment: Environment,
  name: Variable,
  { min, max }: { min: number; max: number },
): number | undefined {
  const value = environment.read(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= min && number <= max) return number;
  environment.fault(name, `is "${value}". Use an integer from ${min} to ${max}.`);
  return undefined;
}

/** A switch; `usual` is its default. */
export function readSwitch(environment: Environment, name: Variable, usual: 'on' | 'off'): boolean {
  const value = environment.read(name) ?? usual;
  if (value !== 'on' && value !== 'off') {
    environment.fault(name, `is "${value}". Use on or off.`);
  }
  return value === 'on';
}

/** A comma-separated list. */
export function readList(environment: Environment, name: Variable): string[] {
  const items = (environment.read(name) ?? '').split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/** No service issues shorter keys, and redacting shorter texts would make the log unreadable. */
const minSecretLength = 8;

/** The form of a secret, and the error for one of another form. */
interface Shape {
  pattern: RegExp;
  problem: string;
}

/**
 * A key or token, which is sent in a header. It is a fault if a header can't carry it, or if a
 * web page or a file has added something to it. A wrong one is returned too, so that it counts as set.
 */
export function readSecret(
  environment: Environment,
  name: Variable,
  shape?: Shape,
): string | undefined {
  const value = environment.read(name);
  const problem = value === undefined ? undefined : problemOf(value, shape);
  if (problem) environment.fault(name, problem);
  return value;
}

function problemOf(secret: string, shape?: Shape): string | undefined {
  if (/^(["']).*\1$/s.test(secret)) return 'has quotes around it. Leave them out.';
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return 'contains a space, a line break or a character outside ASCII. Copy it again.';
  }
  if (shape) return shape.pattern.test(secret) ? undefined : shape.problem;
  if (secret.length < minSecretLength) {
    return `is shorter than ${minSecretLength} characters, too short for a key. Copy all of it, or leave it empty if none is needed.`;
  }
  return undefined;
}

/**
 * The base URL of an HTTP API. An invalid one is returned too, so that it counts as set.
 * @param options.query whether it may have a query, which every request then includes
 */
export function readUrl(
  environment: Environment,
  name: Variable,
  { query = false } = {},
): string | undefined {
  const value = environment.read(name);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    // The value may contain a password, so the message does not repeat it.
    environment.fault(name, 'is not a web address. Use one that starts with https://.');
  } else if (url.username || url.password) {
    environment.fault(
      name,
      'contains a user name or password. Leave them out; keys have their own variables.',
    );
  } else if ((url.search && !query) || url.hash) {
    environment.fault(
      name,
      `has ${url.hash ? 'a fragment (from # on)' : 'a query (from ? on)'}, but paths are added to it. Leave that out.`,
    );
  }
  return value;
}
