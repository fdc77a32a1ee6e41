const cyrillicPattern = /^[а-я]/u;
/** A word's case ending, after three letters. Folding has made ё and й to е and и. */
const caseEndingPattern =
  /^(.{3,}?)(?:[аяыи]ми|[ое](?:го|му)|[аяоеыи][мх]|[ое]в|[аеиоуыьюя]{1,2})$/u;

/**
 * The stem that a word shares with its plainest inflections: plural, -ing, -ed, -ly in English, case
 * and number endings in German and Russian. Light on purpose: it joins "adding" to "add" and "Quellen" to
 * "Quelle" and leaves alone what it can't be sure of. Expects a folded, lower-case word.
 */
export function toStem(word: string): string {
  if (cyrillicPattern.test(word)) return word.replace(caseEndingPattern, '$1');
  if (word.length < 4 || !/^[a-z]+$/u.test(word)) return word;
  return dropFinalE(undouble(dropEnding(dropPlural(word))));
}

function dropPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/u.test(word)) return word.slice(0, -2);
  if (/^[a-z]ied$/u.test(word)) return word.slice(0, -1);
  if (/[^aious]s$/u.test(word)) return word.slice(0, -1);
  return word;
}

const endings = ['ingly', 'edly', 'ing', 'ed', 'ly', 'en', 'em', 'er'];

function dropEnding(word: string): string {
  const ending = endings.find((ending) => word.endsWith(ending));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return stem.length >= 3 && /[aeiouy]/u.test(stem) ? stem : word;
}

function undouble(word: string): string {
  return /([bdfgmnprt])\1$/u.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

function dropFinalE(word: string): string {
  if (word.endsWith('i') && word.length > 3) return `${word.slice(0, -1)}y`;
  return word.endsWith('e') && word.length > 3 ? word.slice(0, -1) : word;
}
