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
