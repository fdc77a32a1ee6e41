import { cutEndless, type Draft, type DraftBlock, IngestionError } from '../document.ts';

const maxDepth = 30;

/**
 * JSON, or JSON Lines, as readable lines: "server.port: 3000". Each entry of the outermost array or
 * object is a block of its own.
 * @throws {IngestionError} when it is not JSON, or nested too deeply to read
 */
export function fromJson(text: string): Draft {
  const value = parse(text);
  const entries = Array.isArray(value)
    ? value.map((item) => ({ path: '', item }))
    : Object.entries(toRecord(value)).map(([path, item]) => ({ path, item }));
  const blocks: DraftBlock[] = entries.flatMap(({ path, item }) =>
    cutEndless([...toLines(path, item, 0)].join('\n')).map((text) => ({ text, headings: [] })),
  );
  return { title: toTitle(value), blocks };
}

function parse(text: string): unknown {
  try {
    return parseValue(text);
  } catch (error) {
    try {
      return text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map(parseValue);
    } catch {
      const reason = error instanceof Error ? error.message : String(error);
      throw new IngestionError({ code: 'json_invalid', params: { reason } });
    }
  }
}

/** What is too deep for a reviver is too deep to read, which is said later. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** JavaScript would round an identifier of 19 digits, and write a price of 3.80 as 3.8. */
function keepDigits(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && String(value) !== source ? source : value;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : { value };
}

function toTitle(value: unknown): string {
  const { title, name } = Array.isArray(value) ? {} : toRecord(value);
  return [title, name].find((word) => typeof word === 'string') ?? '';
}

/** A line for each value, under its path; a list of plain values stands in one line. */
function* toLines(path: string, value: unknown, depth: number): Generator<string> {
  if (depth > maxDepth) {
    throw new IngestionError({ code: 'json_too_deep', params: { max: maxDepth } });
  }
  if (value === null || value === '') return;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    yield path === '' ? String(value) : `${path}: ${value}`;
  } else if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    if (value.length > 0) yield path === '' ? value.join(', ') : `${path}: ${value.join(', ')}`;
  } else {
    for (const [key, item] of Object.entries(value ?? {})) {
      const name = Array.isArray(value) ? String(Number(key) + 1) : key;
      yield* toLines(path === '' ? name : `${path}.${name}`, item, depth + 1);
    }
  }
}
