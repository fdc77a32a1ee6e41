import { readdirSync } from 'node:fs';
import { texts as english } from './languages/en.ts';

export { english };

/** Everything people read, in one language. Every language has the same keys as English. */
export type Texts = typeof english;

/** What a command, an action, an option or a shortcut is for: the key of its text. */
export type DescriptionKey = keyof Texts['descriptions'];

/** Each file in the folder is a language, named by its code. */
const languages = new Map<string, Texts>(
  await Promise.all(
    readdirSync(new URL('languages/', import.meta.url)).map(
      async (file): Promise<[string, Texts]> => {
        const { texts } = await import(new URL(`languages/${file}`, import.meta.url).href);
        return [file.replace(/\.ts$/, ''), texts];
      },
    ),
  ),
);

/** The texts for a locale such as `de-AT`; English if its language is not available. */
export function textsFor(locale = 'en'): Texts {
  const [language = ''] = locale.toLowerCase().split('-');
  return languages.get(language) ?? english;
}

/** The texts in every language, those for the locale first. */
export function languagesFrom(locale?: string): Texts[] {
  return [...new Set([textsFor(locale), ...languages.values()])];
}

/** The words of each language that stand in questions about anything. */
const commonWordsOf = [...languages].map(([code, { aboutBot }]): [string, Set<string>] => [
  code,
  new Set(aboutBot.filler.split(' ')),
]);

/** Those of all languages. */
export const commonWords: ReadonlySet<string> = new Set(
  commonWordsOf.flatMap(([, words]) => [...words]),
);

/**
 * The code of the language whose common words a text has most of; undefined if that is none, or
 * several.
 */
export function recognizeLanguage(text: string): string | undefined {
  const words =
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/\p{L}+/gu) ?? [];
  const counts = commonWordsOf.map(([code, common]): [string, number] => [
    code,
    words.filter((word) => common.has(word)).length,
  ]);
  const most = Math.max(...counts.map(([, count]) => count));
  const [best, another] = counts.filter(([, count]) => count === most);
  return most > 0 && another === undefined ? best?.[0] : undefined;
}
