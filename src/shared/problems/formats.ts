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
    /** Bytes, as `formatSize` writes them. */
    size: (bytes: number) => formatSize(bytes, locale),
    /** Such as `a, b and c`. */
    and: (items: Iterable<string>) => conjunctions().format(items),
    /** Such as `a, b or c`. */
    or: (items: Iterable<string>) => disjunctions().format(items),
  };
}

const sizeUnits = ['B', 'kB', 'MB', 'GB'];

/**
 * Bytes, such as `640 B`, `12 kB`, `3.4 MB` or `25 GB`. A unit is 1024 of the one before, as in the
 * limits that operators set (`UPLOAD_MAX_MB`) and in those of the platforms.
 */
export function formatSize(bytes: number, locale: string): string {
  let value = bytes;
  let unit = 0;
  // 1023.5 kB would be rounded to 1,024.
  while (value >= 1023.5 && unit < sizeUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: unit < 2 ? 0 : 1 });
  return `${numbers.format(value)} ${sizeUnits[unit]}`;
}

function lazy<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= create());
}

/**
 * A day in UTC as people write it in a sentence, such as "3 March"; with its year, unless that is the
 * one of `nowMs`.
 */
export function formatDay(
  ms: number,
  { locale, nowMs }: { locale: string; nowMs?: number },
): string {
  const day = new Date(ms);
  const isThisYear =
    nowMs !== undefined && day.getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  return day.toLocaleDateString(locale, {
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
    timeZone: 'UTC',
  });
}
