/**
 * A noun in each plural category of its language, such as `{ one: 'source', other: 'sources' }`.
 */
export type Noun = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/**
 * How a language writes numbers, numbers with their nouns, and lists. Each format is created when it
 * is first used, as creating them takes longer than loading the catalogue.
 */
export function createFormats(locale: string) {
  const numbers = lazy(() => new Intl.NumberFormat(locale));
  const plurals = lazy(() => new Intl.PluralRules(locale));
  const conjunctions = lazy(() => new Intl.ListFormat(locale, { type: 'conjunction' }));
  const disjunctions = lazy(() => new Intl.ListFormat(locale, { type: 'disjunction' }));
  const plural = (value: number, noun: Noun) => noun[plurals().select(value)] ?? noun.other;
  return {
    /** Such as `12,345`. */
    number: (value: number) => numbers().format(value),
    /** The form of a noun for a number, such as `sources`. */
    plural,
    /** A number with its noun, such as `1 source` or `12,345 sources`. */
    count: (value: number, noun: Noun) => `${numbers().format(value)} ${plural(value, noun)}`,
    /** Such as `a, b and c`. */
    and: (items: Iterable<string>) => conjunctions().format(items),
    /** Such as `a, b or c`. */
    or: (items: Iterable<string>) => disjunctions().format(items),
  };
}

function lazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}
