import { englishStopWords, germanStopWords } from '../retrieval/stop-words.ts';
import { words } from '../retrieval/tokenize.ts';

const questionWords = new Set('wer wem wen wo woher wohin'.split(' '));

/** The language of a question, by its function words and umlauts; English if unclear. */
export function toLanguage(question: string): 'en' | 'de' {
  let german = /[äöüß]/iu.test(question) ? 1 : 0;
  for (const word of words(question)) {
    const isGerman = germanStopWords.has(word) || questionWords.has(word);
    if (isGerman !== englishStopWords.has(word)) german += isGerman ? 1 : -1;
  }
  return german > 0 ? 'de' : 'en';
}
