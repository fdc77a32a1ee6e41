import type { Passage } from '../ingestion/passages.ts';
import { COMMON_WORDS } from './common-words.ts';
import { toStem } from './stem.ts';
import { CHINESE_PARTICLES, STOP_WORDS } from './stop-words.ts';

/**
 * Goes up by one whenever `tokenize` or `toHeadingTokens` gives other tokens for the same text: what
 * is indexed by those of another version is then indexed anew.
 */
export const TOKENS_VERSION = 1;

const IDEOGRAPHS = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;
const IDEOGRAPH = /^\p{Script=Han}$/u;
const PARTICLES = new RegExp(CHINESE_PARTICLES.replaceAll(' ', '|'), 'u');
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** In Japanese what joins words is written in hiragana; a single ideograph is part of many words. */
const GRAMMATICAL = /\p{Script=Hiragana}|^\p{Script=Han}$/u;
const WORD =
  /[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]&&\p{L}]+|[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+(?:[+#]+(?![\p{L}\p{N}]))?/gv;
const LINK_TARGET = /\]\([^()\s]*\)/gu;
const MAX_TOKEN_LENGTH = 64;

/**
 * The tokens of a text in their order, stop words left out: lower-case, accents folded, light
 * English and German stems; Chinese and Japanese, which write no spaces, as ideographs and pairs of
 * characters. Addresses behind Markdown links are left out too.
 */
export function tokenize(text: string): string[] {
  const tokens: string[] = [];
  for (const word of words(text)) {
    if (IDEOGRAPHS.test(word)) tokens.push(...pairs(word));
    else if (!STOP_WORDS.has(word)) tokens.push(toStem(word).slice(0, MAX_TOKEN_LENGTH));
  }
  return tokens;
}

const commonTokens = new Set([...COMMON_WORDS].map(toStem));

/** Whether a token is a word of any subject (see `COMMON_WORDS`), or much like one. */
export function isCommon(token: string): boolean {
  return commonTokens.has(token) || GRAMMATICAL.test(token);
}

/** The words of a text, folded but whole, stop words among them. */
export function words(text: string): string[] {
  return fold(text.replace(LINK_TARGET, ' ')).match(WORD) ?? [];
}

/** What a passage is found by beside its own words: those of its headings and its source's title. */
export function toHeadingTokens({ headings }: Pick<Passage, 'headings'>, title: string): string[] {
  return tokenize([title, ...headings].join('\n'));
}

/** "Écoles" → "ecoles", "Straße" → "strasse", "ﬁle" → "file", "İ" → "i". */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}+/gu, '')
    .replaceAll('ß', 'ss')
    .normalize('NFC');
}

/** The run's pairs of characters, and its ideographs one by one, for there are words of one. */
function pairs(run: string): string[] {
  const parts = KANA.test(run) ? [run] : run.split(PARTICLES);
  return parts.flatMap((part) => {
    const characters = Array.from(part);
    const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
    return [...characters.filter((character) => IDEOGRAPH.test(character)), ...pairs];
  });
}
