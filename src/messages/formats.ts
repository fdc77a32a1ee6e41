/**
 * A noun in each plural category of its language, such as `{ one: 'source', other: 'sources' }`.
 */
export type Noun = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** How a language writes numbers, numbers with their nouns, and lists. */
export function createFormats(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const conjunctions = new Intl.ListFormat(locale, { type: 'conjunction' });
  const disjunctions = new Intl.ListFormat(locale, { type: 'disjunction' });
  return {
    /** Such as `12,345`. */
    number: (value: number) => numbers.format(value),
    /** The form of a noun for a number, such as `sources`. */
    plural: (value: number, noun: Noun) => noun[plurals.select(value)] ?? noun.other,
    /** A number with its noun, such as `1 source` or `12,345 sources`. */
    count: (value: number, noun: Noun) =>
      `${numbers.format(value)} ${noun[plurals.select(value)] ?? noun.other}`,
    /** Such as `a, b and c`. */
    and: (items: Iterable<string>) => conjunctions.format(items),
    /** Such as `a, b or c`. */
    or: (items: Iterable<string>) => disjunctions.format(items),
  };
}
