/** The variables of the process, and what is found wrong with them. */
export interface Environment {
  /** The variable's value without the space around it; an empty one counts as not set. */
  read(name: string): string | undefined;
  /** Notes what is wrong with a variable and how to mend it. Never with a secret in it. */
  fault(name: string, problem: string): void;
  /** What was noted so far, in that order. */
  readonly faults: readonly string[];
}

/** An environment of these variables, with nothing noted yet. */
export function createEnvironment(variables: Record<string, string | undefined>): Environment {
  const faults: string[] = [];
  return {
    faults,
    read: (name) => variables[name]?.trim() || undefined,
    fault: (name, problem) => void faults.push(`${name} ${problem}`),
  };
}

/** A whole number from `least` to `most`. One at fault reads as not set. */
export function readWhole(
  environment: Environment,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const value = environment.read(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  environment.fault(name, `is "${value}". Use a whole number from ${least} to ${most}.`);
  return undefined;
}

/** Whether something is on; `usual` is what holds where nothing is set. */
export function readSwitch(environment: Environment, name: string, usual: 'on' | 'off'): boolean {
  const value = environment.read(name) ?? usual;
  if (value !== 'on' && value !== 'off') {
    environment.fault(name, `is "${value}". Use on or off.`);
  }
  return value === 'on';
}

/** What stands between commas. */
export function readList(environment: Environment, name: string): string[] {
  const items = (environment.read(name) ?? '').split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/** An address over HTTP. One at fault is returned too, so that it counts as set. */
export function readUrl(environment: Environment, name: string): string | undefined {
  const value = environment.read(name);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    // What stands there may hold a password, so it is not repeated.
    environment.fault(name, 'is no web address. Use one that starts with https://.');
  } else if (url.username || url.password) {
    environment.fault(
      name,
      'holds a user name or password. Leave them out; keys have variables of their own.',
    );
  }
  return value;
}
