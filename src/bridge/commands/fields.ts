/** Renders a list of fields; empty and unknown ones are left out. */
export function renderFields(fields: readonly (readonly [string, string | undefined])[]): string {
  return fields
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n');
}

/**
 * The fields of `after` that differ from `before`, and their old values: for sending only changes
 * to the service, and for the audit log.
 */
export function differences<Fields extends object>(
  before: Fields,
  after: Partial<Fields>,
): { before: Partial<Fields>; after: Partial<Fields> } | undefined {
  const changed = (Object.keys(after) as (keyof Fields)[]).filter(
    (key) => after[key] !== undefined && JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  );
  if (changed.length === 0) return undefined;
  return { before: pick(before, changed), after: pick(after, changed) };
}

function pick<Fields extends object>(
  fields: Partial<Fields>,
  keys: readonly (keyof Fields)[],
): Partial<Fields> {
  const picked: Partial<Fields> = {};
  for (const key of keys) {
    const value = fields[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}
