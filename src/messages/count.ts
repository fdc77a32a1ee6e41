/** Numbers with their nouns in a language, as `1 source` or `12,345 sources`. */
export function createCount(locale: string) {
  const numbers = new Intl.NumberFormat(locale);
  return (number: number, one: string, many: string) =>
    `${numbers.format(number)} ${number === 1 ? one : many}`;
}
