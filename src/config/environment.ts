/** The environment variables, and the errors found in them. */
export interface Environment {
  /** The trimmed value of a variable; undefined if it is empty or not set. */
  read(name: string): string | undefined;
  /** Records what is wrong with a variable and how to fix it. Never include a secret. */
  fault(name: string, problem: string): void;
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
  name: string,
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
export function readSwitch(environment: Environment, name: string, usual: 'on' | 'off'): boolean {
  const value = environment.read(name) ?? usual;
  if (value !== 'on' && value !== 'off') {
    environment.fault(name, `is "${value}". Use on or off.`);
  }
  return value === 'on';
}

/** A comma-separated list. */
export function readList(environment: Environment, name: string): string[] {
  const items = (environment.read(name) ?? '').split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/** An HTTP URL. An invalid one is returned too, so that it counts as set. */
export function readUrl(environment: Environment, name: string): string | undefined {
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
  }
  return value;
}
