import { createFormats } from '../../shared/problems/formats.ts';

const en = createFormats('en-GB');
const de = createFormats('de');

/** What the service itself says where no source has the answer, and the questions it suggests. */
export const answerTexts = {
  en: {
    nothing:
      'I found no answer to that in my sources. Try rephrasing your question, or add a source that covers it.',
    near: (places: readonly string[]) =>
      `I found no answer to that in my sources. The closest matches are in ${en.and(places)}: ask about that, or add a source that covers it.`,
    about: (subject: string) => `What should I know about “${subject}”?`,
    whatIs: (subject: string) => `What is ${subject}?`,
    whatAre: (subject: string) => `What are ${subject}?`,
  },
  de: {
    nothing:
      'Dazu habe ich in meinen Quellen keine Antwort gefunden. Formuliere die Frage anders, oder füge eine passende Quelle hinzu.',
    near: (places: readonly string[]) =>
      `Dazu habe ich in meinen Quellen keine Antwort gefunden. Am ehesten passt ${de.and(places)}: Frag danach, oder füge eine passende Quelle hinzu.`,
    about: (subject: string) => `Was sollte ich über „${subject}“ wissen?`,
    whatIs: (subject: string) => `Was ist ${subject}?`,
    whatAre: (subject: string) => `Was sind ${subject}?`,
  },
};
