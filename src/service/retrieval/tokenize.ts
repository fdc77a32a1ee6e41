import { toStem } from './stem.ts';
import type { Passage } from '../ingestion/passages.ts';
import { chineseParticles, commonWords, stopWords, toWordSet } from './word-lists.ts';

/**
 * Increase by one whenever `tokenize` or `toHeadingTokens` returns different tokens for the same
 * text: what was indexed with another version is then indexed again.
 */
export const tokensVersion = 5;

const ideographsPattern = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
const ideographPattern = /^\p{Script=Han}$/u;
const particlePattern = new RegExp(chineseParticles.replaceAll(' ', '|'), 'u');
const kanaPattern = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/**
 * In Japanese, grammatical words are written in hiragana; a single ideograph is part of many words.
 */
const grammaticalPattern = /\p{Script=Hiragana}|^\p{Script=Han}$/u;
const wordPattern =
  /[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&\p{L}]+|[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+(?:[+#]+(?![\p{L}\p{N}]))?/gv;
const linkTargetPattern = /\]\([^()\s]*\)/gu;
/**
 * A single capital letter within a sentence, except “I”, the article of “Add A User”, and those of “L’Oréal”,
 * “U.S.” and “E-Mail”.
 */
const letterPattern = /(?<=[\p{Ll}\p{N},;] )(?!I|A \p{Lu})\p{Lu}(?![\p{L}\p{M}\p{N}'’–-]|\.\S)/gu;
/** “1,000”, “10.000.000”; also “80,443”, which may be two numbers. */
export const groupedPattern = /(?<![\d.,])\d{1,3}([.,])\d{3}(?:\1\d{3})*(?!\d|\1\d)/gu;
/** What is also written as one word: “e-mail”, “Wi-Fi”, “log-in”. */
export const hyphenedPattern =
  /(?<![\p{L}\p{M}\p{N}-])(?:\p{L}{1,2}-\p{L}+|\p{L}+-\p{L}{1,2}(?!-))(?![\p{L}\p{M}\p{N}])/gu;
const pointedPattern = /(?<!\d)\d+(?:[.,]\d+)+/gu;
const maxTokenLength = 64;
/** Words that begin with the same letters, this many, count as one: "religion" and "religious". */
const cutLength = 6;
const pluralPattern = /^\p{L}{3,}[^su]s$/u;
const longWordPattern = new RegExp(`^\\p{L}{${cutLength + 1},}$`, 'u');
const endMark = '~';

/**
 * The tokens of a text in order, without stop words: lower case, accents folded, a light stem
 * cut to six letters. A longer word that is not common has a second token, its last six letters, by
 * which compounds are found ("Pestausbruch" by "Ausbruch"). Chinese and Japanese, which have no spaces, as ideographs and pairs of
 * characters. URLs of Markdown links are left out too. Last come “email” for “e-mail”, “10000” for “10.000”, and
 * what tells similar things apart: the letter of “plan A”, which would be a stop word, and “1.2.3” whole.
 */
export function tokenize(text: string): string[] {
  const tokens = tokenizeWords(text);
  const plain = withoutLinkTargets(text);
  for (const [word] of plain.matchAll(hyphenedPattern)) {
    tokens.push(...cut(fold(word.replace('-', ''))));
  }
  for (const [letter] of plain.matchAll(letterPattern)) {
    if (stopWords.has(fold(letter))) tokens.push(fold(letter));
  }
  for (const [number] of plain.matchAll(pointedPattern)) {
    tokens.push(number.replaceAll(',', '.').slice(0, maxTokenLength));
  }
  for (const [number] of plain.matchAll(groupedPattern)) {
    tokens.push(joinGroups(number).slice(0, maxTokenLength));
  }
  return tokens;
}

/** The tokens of the words alone. */
export function tokenizeWords(text: string): string[] {
  return words(text).flatMap((word) => {
    if (ideographsPattern.test(word)) return pairs(word);
    return stopWords.has(word) ? [] : cut(word);
  });
}

function cut(word: string): string[] {
  const stem = toStem(word);
  const singular = pluralPattern.test(word) ? word.slice(0, -1) : word;
  if (!longWordPattern.test(singular)) return [stem.slice(0, maxTokenLength)];
  const start = stem.slice(0, cutLength);
  return commonWords.has(word) ? [start] : [start, `${endMark}${singular.slice(-cutLength)}`];
}

/** Whether a token is the end of a word, which another token begins. */
export function isEnd(token: string): boolean {
  return token.startsWith(endMark);
}

/** Whether a token says little on its own in a language without spaces. */
export function isGrammatical(token: string): boolean {
  return grammaticalPattern.test(token);
}

/** The words of a text, folded but not stemmed, including stop words. */
export function words(text: string): string[] {
  return fold(withoutLinkTargets(text)).match(wordPattern) ?? [];
}

function withoutLinkTargets(text: string): string {
  return text.replace(linkTargetPattern, ' ');
}

/** “10.000” as “10000” */
export function joinGroups(text: string): string {
  return text.replace(groupedPattern, (number) => number.replaceAll(/[.,]/gu, ''));
}

const withinSentencePattern = /(?<=[\p{L}\p{N},;] )\p{L}+/gu;

/** The words of a text as they are written, except those that may begin a sentence. */
export function wordsWithin(text: string): string[] {
  return text.match(withinSentencePattern) ?? [];
}

export function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

/**
 * The tokens that find a passage in addition to its own: those of its headings and its source's
 * title, and the phrases of those that ask something.
 */
export function toHeadingTokens({ headings }: Pick<Passage, 'headings'>, title: string): string[] {
  const asked = new Set([title, ...headings].filter((heading) => questionPattern.test(heading)));
  return [...tokenize([title, ...headings].join('\n')), ...[...asked].flatMap(toPhrase)];
}

const questionPattern =
  /[?？]\s*$|^\s*(?:who|whose|what|when|where|which|why|how|wer|wem|wen|was|wann|wo|wohin|woher|warum|wie|welche[rs]?)\b/iu;

/** Words that change nothing of what a phrase asks. */
const fillers = toWordSet(
  'hello hi hey hallo please bitte ok okay so well just really quite exactly now then here there for me us all denn hier fur mich mir uns alles',
);
const shortForms: Record<string, string> = { s: 'is', re: 'are', m: 'am' };
const maxPhraseWords = 12;

/**
 * One token for the words of a short question, stop words included: a heading that asks the same is
 * found by it, even "Who are you?". Empty for a single word and for long texts.
 */
export function toPhrase(text: string): string[] {
  if (text.length > maxPhraseWords * maxTokenLength) return [];
  const all = words(text).filter((word) => !fillers.has(word));
  if (all.length < 2 || all.length > maxPhraseWords) return [];
  return [all.map((word) => shortForms[word] ?? word).join('+')];
}

const asciiPattern = /^[\0-\x7f]*$/;

/** "Écoles" → "ecoles", "Straße" → "strasse", "ﬁle" → "file", "İ" → "i". */
function fold(text: string): string {
  // Much faster, and most text is such.
  if (asciiPattern.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}+/gu, '')
    .replaceAll('ß', 'ss')
    .normalize('NFC');
}

/** The run's pairs of characters, and its single ideographs, because some words have only one. */
function pairs(run: string): string[] {
  const parts = kanaPattern.test(run) ? [run] : run.split(particlePattern);
  return parts.flatMap((part) => {
    const characters = Array.from(part);
    const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
    return [...characters.filter((character) => ideographPattern.test(character)), ...pairs];
  });
}
