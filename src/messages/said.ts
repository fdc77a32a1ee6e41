/**
 * Translates what the adapters and the core say, which is English, sentence by sentence: patterns
 * have `{}` for what differs, in both languages in the same order. What none fits stays as it is.
 */
export function createTranslation(
  sentences: readonly (readonly [english: string, translated: string])[],
): (said: string) => string {
  const patterns = sentences
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([english, translated]) => ({ pattern: toPattern(english), translated }));

  return (said) =>
    patterns.reduce(
      (text, { pattern, translated }) =>
        text.replace(pattern, (_, ...rest: unknown[]) => {
          const parts = rest.filter((part) => typeof part === 'string').slice(0, -1);
          return parts.reduce((filled, part) => filled.replace('{}', () => part), translated);
        }),
      said,
    );
}

function toPattern(english: string): RegExp {
  const literal = english.split('{}').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(literal.join('([^\\n]{1,500}?)'));
}
