import { german } from './de.ts';
import { english, type Texts } from './en.ts';

const languages: Record<string, Texts> = { en: english, de: german };

/** The languages besides English, by their codes. */
export const translations = { de: german } as const satisfies Record<string, Texts>;

/** The texts for a locale such as `de-AT`, in English where its language is not spoken here. */
export function textsFor(locale: string): Texts {
  const [language = ''] = locale.toLowerCase().split('-');
  return Object.hasOwn(languages, language) ? (languages[language] ?? english) : english;
}

const descriptionKeys = new Map<string, string>(
  Object.entries(english.descriptions).map(([key, description]) => [description, key]),
);

/** A description of the table's, which is English, in another language; another text stays as it is. */
export function translate(texts: Texts, description: string): string {
  const known: Record<string, string> = texts.descriptions;
  const key = descriptionKeys.get(description);
  return (key === undefined ? undefined : known[key]) ?? description;
}
