import { readdirSync } from 'node:fs';
import { messages as english } from './languages/en.ts';

export { english };

/** Everything people read, in one language. Every language has the same keys as English. */
export type Messages = typeof english;

/** What a command, an action, an option or a shortcut is for: the key of its text. */
export type DescriptionKey = keyof Messages['descriptions'];

/** Each file in the folder is a language, named by its code. */
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

/** The messages for a locale such as `de-AT`; English if its language is not available. */
export function messagesFor(locale = 'en'): Messages {
  const [language = ''] = locale.toLowerCase().split('-');
  return languages.get(language) ?? english;
}

/** The messages in every language, those for the locale first. */
export function languagesFrom(locale?: string): Messages[] {
  return [...new Set([messagesFor(locale), ...languages.values()])];
}
