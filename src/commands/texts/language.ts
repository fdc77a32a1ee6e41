import { german } from './de.ts';
import { english, type Texts } from './en.ts';

const languages: Record<string, Texts> = { en: english, de: german };

/** The texts for a locale such as `de-AT`, in English where its language is not spoken here. */
export function textsFor(locale: string): Texts {
  const [language = ''] = locale.toLowerCase().split('-');
  return Object.hasOwn(languages, language) ? (languages[language] ?? english) : english;
}

/** What a command does, by its words such as `source list`; what has no translation stays. */
export function describe({ descriptions }: Texts, words: string, fallback: string): string {
  const known: Record<string, string> = descriptions;
  return Object.hasOwn(known, words) ? (known[words] ?? fallback) : fallback;
}
