import { readdirSync } from 'node:fs';
import { messages as english } from './languages/en.ts';

export { english };

/** All that people read, in one language: what English has, every other must have as well. */
export type Messages = typeof english;

/** What a command, an action, an option or a shortcut is for: the key of its text. */
export type DescriptionKey = keyof Messages['descriptions'];

/** Each file of the folder is a language, by its code. */
const languages = new Map<string, Messages>(
  await Promise.all(
    readdirSync(new URL('languages/', import.meta.url)).map(
      async (file): Promise<[string, Messages]> => {
        const { messages } = await import(new URL(`languages/${file}`, import.meta.url).href);
        return [file.replace(/\.ts$/, ''), messages];
      },
    ),
  ),
);

/** The messages for a locale such as `de-AT`, in English where its language is not here. */
export function messagesFor(locale = 'en'): Messages {
  const [language = ''] = locale.toLowerCase().split('-');
  return languages.get(language) ?? english;
}
