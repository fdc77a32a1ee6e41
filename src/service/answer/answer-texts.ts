import { shorten } from '../../shared/primitives/text.ts';
import { createFormats } from '../../shared/problems/formats.ts';
import type { Hit } from '../retrieval/retrieve.ts';
import { words } from '../retrieval/tokenize.ts';
import { englishStopWords, germanStopWords } from '../retrieval/word-lists.ts';

const en = createFormats('en-GB');
const de = createFormats('de');

/** What the service says when no source has the answer, and the questions that it suggests. */
const answerTexts = {
  en: {
    said: 'People said here:',
    nothing:
      'I found no answer to that in my sources. Try rephrasing your question, or add a source that covers it.',
    near: (places: readonly string[]) =>
      `I found no answer to that in my sources. The closest matches are in ${en.and(places)}: ask about that, or add a source that covers it.`,
    weak: (place: string) => `This may not answer it: the closest match is in ${place}.`,
    unconfirmed: (sentences: readonly string[]) =>
      `The cited passages don’t mention what this says: ${en.and(sentences)}`,
    about: (subject: string) => `What should I know about “${subject}”?`,
    whatIs: (subject: string) => `What is ${subject}?`,
    whatAre: (subject: string) => `What are ${subject}?`,
  },
  de: {
    said: 'Hier wurde gesagt:',
    nothing:
      'Dazu habe ich in meinen Quellen keine Antwort gefunden. Formuliere die Frage anders, oder füge eine passende Quelle hinzu.',
    near: (places: readonly string[]) =>
      `Dazu habe ich in meinen Quellen keine Antwort gefunden. Am ehesten passt ${de.and(places)}: Frag danach, oder füge eine passende Quelle hinzu.`,
    weak: (place: string) =>
      `Vielleicht beantwortet das die Frage nicht: Am ehesten passt ${place}.`,
    unconfirmed: (sentences: readonly string[]) =>
      `Die zitierten Stellen erwähnen nicht, was hier steht: ${de.and(sentences)}`,
    about: (subject: string) => `Was sollte ich über „${subject}“ wissen?`,
    whatIs: (subject: string) => `Was ist ${subject}?`,
    whatAre: (subject: string) => `Was sind ${subject}?`,
  },
};

const questionWords = new Set('wer wem wen wo woher wohin'.split(' '));

/**
 * Letters and spellings that languages with umlauts have, but German does not, except in words such as
 * “Café”: "många", "pingüino", "mitä".
 */
const foreignPattern = /[\p{L}--[a-zäöüßéèàêï]]|gü[ei]|[äö](?!\p{L})/iv;

const germanVerbs =
  'ist sind waren kostet kosten macht machen bedeutet bedeuten heißt passiert geschieht gilt gelten kann können muss müssen soll sollen darf dürfen braucht brauchen gibt bringt enthält tut tun wird werden steht hat haben';
/** "Was" with a verb after it, which is no English question. */
const whatPattern = new RegExp(`^\\s*was (?:${germanVerbs.replaceAll(' ', '|')})(?!\\p{L})`, 'iu');

/** Above 0 for German, below for another language. */
function weighSpelling(text: string): number {
  if (/[¿¡]/u.test(text)) return -1;
  if (/ß/iu.test(text) || whatPattern.test(text)) return 1;
  return /[äöü]/iu.test(text) && !foreignPattern.test(text) ? 1 : 0;
}

/** Judged by function words and spelling. */
export function isGerman(text: string): boolean {
  let german = weighSpelling(text);
  for (const word of words(text)) {
    const isOfGerman = germanStopWords.has(word) || questionWords.has(word);
    if (isOfGerman !== englishStopWords.has(word)) german += isOfGerman ? 1 : -1;
  }
  return german > 0;
}

/** The texts in a text's language; English if unclear. */
export function textsFor(text: string): (typeof answerTexts)['en'] {
  return answerTexts[isGerman(text) ? 'de' : 'en'];
}

const minCoverage = 0.15;
const maxNamedPlaces = 3;
const maxNameLength = 150;

/** Says in the query's language that no source answers it, and names the closest ones if any. */
export function toRefusal(query: string, hits: Hit[]): string {
  const texts = textsFor(query);
  const near = hits.filter((hit) => hit.coverage >= minCoverage).map(toPlace);
  const places = [...new Set(near)].slice(0, maxNamedPlaces);
  return places.length === 0 ? texts.nothing : texts.near(places);
}

/** Says in the query's language that what follows may be about something else, and where it is from. */
export function toCaution(query: string, [best]: Hit[]): string {
  return best === undefined ? '' : textsFor(query).weak(toPlace(best));
}

function toPlace({ passage }: Hit): string {
  const heading = passage.headings.at(-1);
  const { title, file_name } = passage.source;
  const source = title || file_name;
  const quoted = `“${shorten(source, maxNameLength)}”`;
  if (heading === undefined || heading === source) return quoted;
  return `${quoted} (${shorten(heading, maxNameLength)})`;
}
