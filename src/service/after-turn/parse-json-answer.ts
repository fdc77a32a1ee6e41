/**
 * The JSON object in a model's answer, whatever surrounds it: a fence, an introduction, reasoning.
 * Undefined if there is none.
 */
export function parseJsonAnswer(text: string): Record<string, unknown> | undefined {
  const end = text.lastIndexOf('}');
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && from < end && tries < maxAttempts; tries++) {
    const value = parse(text.slice(from, end + 1));
    if (value !== undefined) return value;
    from = text.indexOf('{', from + 1);
  }
  return undefined;
}

const maxAttempts = 20;

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
