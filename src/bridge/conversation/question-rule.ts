/**
 * Whether a message looks like a question that anybody may answer: a sentence of it ends with a
 * question mark, in any script, or begins as questions do in English or German. What is quoted, code
 * or a link does not count, nor does a question of one or two words.
 */
export function looksLikeQuestion(text: string): boolean {
  return toSentences(withoutOthersWords(text.slice(0, maxLength))).some(isQuestion);
}

/** Whether a text begins with a mention, perhaps after a greeting: it is addressed to whoever is named. */
export function isToSomebody(text: string, mention: RegExp): boolean {
  return mention.test(text.trimStart().replace(greeting, ''));
}

/** Longer messages are announcements or files. */
const maxLength = 4_000;
/** “Why?” and “Any ideas?” need what was said before. */
const minWords = 3;
/** Without a question mark, more words are needed. */
const minUnmarkedWords = 4;
/** Where words have no spaces between them. */
const minLetters = 5;

const greeting =
  /^(?:hi|hey|hello|yo|dear|thanks|thank you|thx|ok|okay|good \p{L}+|hallo|moin|servus|danke|liebe[rs]?|guten \p{L}+)(?:[ \t]+(?:all|everyone|everybody|folks|zusammen|alle))?(?!\p{L})[\s,!.:–-]*/iu;

/** Each stands for a word of the sentence around it. */
const othersWords = [
  /```[^]*?(?:```|$)|`[^`\n]*`/g,
  /^[ \t]*>.*$/gm,
  /„[^„“”]*[“”]|“[^“”]*”|«[^«»]*»|"[^"\n]*"/g,
  /\b(?:https?:\/\/|www\.)\S+/gi,
];

function withoutOthersWords(text: string): string {
  return othersWords.reduce((rest, pattern) => rest.replace(pattern, ' x '), text);
}

/** The full stop of “18. Jahrhundert” and “Heinrich III.” ends no sentence. */
const sentenceEnd = /(?<=\p{Ll}\p{Ll}\.|[!?…:\u037E;])\s+|(?<=[？。！؟])|\n+/u;

function toSentences(text: string): string[] {
  return text.split(sentenceEnd).map((one) => one.trim());
}

const mark = /[?？؟՞፧\u037E][!\s)\]'’]*$|\p{Script=Greek};$|¿/u;
/** “Lunch is at noon, ok?” asks for no answer. */
const seeksConsent = /,\s*(?:ok|okay|deal|ja|gell|ne)\s*\?+$/i;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const word = /[\p{L}\p{N}]+(?:['.-][\p{L}\p{N}]+)*/gu;

function isQuestion(sentence: string): boolean {
  const words = toWords(sentence);
  if (mark.test(sentence)) {
    const isLong = words.length >= minWords || countOf(sentence, unspaced) >= minLetters;
    return (isLong || sentence.includes('¿')) && !seeksConsent.test(sentence);
  }
  if (/[.!]$/.test(sentence)) return false;
  const said = `${toWords(sentence.replace(greeting, '')).join(' ')} `;
  return words.length >= minUnmarkedWords && openings.some((opening) => opening.test(said));
}

function toWords(text: string): string[] {
  return text.toLowerCase().replaceAll('’', "'").match(word) ?? [];
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

const be = "is|are|am|was|were|isn't|aren't";
const auxiliary = `${be}|do|does|did|don't|doesn't|didn't|can|can't|could|should|will|won't|would|must|may|has|have|had`;
const verb =
  'kann|kannst|können|könnt|könnte|muss|musst|müssen|soll|sollte|sollen|darf|dürfen|will|wollen|ist|sind|war|waren|hat|hatte|habt|haben|wird|werden|wurde|wurden|würde|geht|gehen|gibt|macht|machen|kommt|kommen|bekommt|findet|finden|funktioniert|heißt|hieß|bedeutet|kostet|kosten|dauert|braucht|steht|liegt|läuft|öffnet|schließt|beginnt|lautet|passiert|gehört|gilt|gelten';
const asking =
  'wie|wo|was|wann|warum|wieso|weshalb|wer|wen|wem|woher|wohin|womit|wofür|wozu|woran|worin|wodurch';

/** How questions begin, after a greeting, in small letters and with a space after each word. */
const openings = [
  `(?:how|why|when|where|who|what)(?:'s|'re| (?:${auxiliary}))`,
  'how (?:to|many|much|long|often|far|big|large|old|fast|soon|come)',
  'what (?:kind|type|sort|time|happens)',
  `(?:which|what|whose) (?!(?:i|you|we|they|he|she|it|${be}) )\\S+ (?:${auxiliary})`,
  `(?:${be}) (?:there|it|this|that|these|those|any)`,
  '(?:do|does|did|can|could|should|would|will|has|have|may|must) (?:i|we|they|anyone|anybody|someone|somebody)',
  '(?:does|can|could|should|would|will|has) (?:it|this|that|there)',
  '(?:can|could|would) you (?:tell|explain|show|help)',
  'any(?:one|body) (?:know|knows|here|have|has|got|tried)',
  'any (?:idea|ideas|way|chance|clue|tip|tips|advice|suggestion|suggestions)',
  'wie (?:lange|viele?|oft|groß|hoch|weit|spät|schnell)',
  `(?:${asking})(?: genau| denn)? (?:${verb}|\\S+e ich|\\S+t man|\\S+en wir)`,
  `welche[rsmn]? \\S+ (?:${verb}|\\S+e ich|\\S+t man|\\S+en wir)`,
  "(?:gibt es|gibt's|gibts|(?:weiß|weiss|kennt|hat) (?:hier |schon )?jemand|kann (?:mir |uns )?jemand|ist es möglich)",
].map((opening) => new RegExp(`^(?:${opening}) `));
