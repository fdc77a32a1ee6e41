import { languagesFrom, type Texts } from '../texts/texts.ts';

/** A message that asks nothing. */
export interface SmallTalk {
  kind: keyof Texts['smallTalk'];
  /** In the language to answer in. */
  texts: Texts;
}

const maxLength = 60;

/**
 * Recognizes a message that is nothing but a greeting, thanks or a call for help; every other word
 * makes it a question. The language is the reader's, or that of the words where the reader's does not
 * know them: Discord tells only a server's language.
 */
export function findSmallTalk(text: string, locale?: string): SmallTalk | undefined {
  if (text.length > maxLength) return undefined;
  const said = normalize(text);
  for (const texts of languagesFrom(locale)) {
    for (const kind of ['greeting', 'thanks', 'help'] as const) {
      if (texts.smallTalk[kind].split(', ').includes(said)) return { kind, texts };
    }
  }
  return undefined;
}

/** Words in small letters with one space between them: `Hiiii, there!! 👋` is `hi there`. */
function normalize(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/(\p{L})\1{2,}/gu, '$1');
  return words.match(/\p{L}+/gu)?.join(' ') ?? '';
}
