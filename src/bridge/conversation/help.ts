import { languagesFrom, type Texts } from '../texts/texts.ts';
import type { Source } from './chatbot.ts';

/** A question about the bot itself. */
export interface HelpQuestion {
  topic: keyof Texts['aboutBot']['topics'];
  /** In the language of the question. */
  texts: Texts;
}

/** What people type to give a command on a platform. */
export type TypedCommand = (platform: string, words: string) => string;

const maxLength = 120;

/**
 * Recognizes a question about the bot itself, in the reader's language or any other: one word that no
 * such question has makes it a question about something else. The topic with the most words wins.
 */
export function findHelp(text: string, locale?: string): HelpQuestion | undefined {
  if (text.length > maxLength) return undefined;
  const asked = toWords(text);
  for (const texts of languagesFrom(locale)) {
    const topic = findTopic(asked, texts);
    if (topic) return { topic, texts };
  }
  return undefined;
}

/** The answer of the bot's own help, with the commands of a platform. */
export function renderHelpTopic(
  { topic, texts }: HelpQuestion,
  platform: string,
  typed: TypedCommand,
): string {
  return texts.aboutBot.topics[topic].answer((words) => `\`${typed(platform, words)}\``);
}

/**
 * Whether a reply's first sentence, as far as it has come, answers a question about the bot: it has all
 * the words that tell what the question is about, of which one alone tells little.
 */
export function beginsToAnswer(reply: string, query: string, help: HelpQuestion): boolean {
  const [first = ''] = toSentences(reply.trimStart());
  return createAnswerTest(query, help)(first);
}

/**
 * Whether a cited source answers a question about the bot, too: its title asks the same, or one of its
 * sentences has all the words that tell what the question is about.
 */
export function areAnswering(
  sources: readonly Source[],
  query: string,
  help: HelpQuestion,
): boolean {
  const { topic, texts } = help;
  const isAnswer = createAnswerTest(query, help);
  return sources.some(
    ({ title, quote }) =>
      findTopic(toWords(title), texts) === topic || toSentences(quote).some(isAnswer),
  );
}

/** Tells whether a sentence has all the words that tell what a question is about. */
function createAnswerTest(query: string, { texts: { aboutBot } }: HelpQuestion) {
  const { filler, whoMay } = aboutBot;
  const known = new Set(filler.split(' '));
  const asked = toWords(query);
  const subject = asked.filter((word) => !known.has(word)).map(toStem);
  const permitting = asked.includes(whoMay.asked) ? whoMay.said.split(' ') : undefined;
  return (sentence: string) =>
    subject.length > 1 &&
    subject.every((stem) => sentence.includes(stem)) &&
    (!permitting || toWords(sentence).some((word) => permitting.includes(word)));
}

function findTopic(
  asked: readonly string[],
  { aboutBot }: Texts,
): HelpQuestion['topic'] | undefined {
  const { filler, topics } = aboutBot;
  const all = Object.values(topics).map((topic) => topic.asked);
  const known = new Set(toWords([filler, ...all].join(' ')));
  if (!asked.every((word) => known.has(word))) return undefined;
  let best: HelpQuestion['topic'] | undefined;
  let most = 0;
  for (const topic of Object.keys(topics) as HelpQuestion['topic'][]) {
    const count = Math.max(...topics[topic].asked.split('; ').map((way) => countWords(way, asked)));
    if (count > most) [best, most] = [topic, count];
  }
  return best;
}

/** How many words of a question are in the groups of one way to ask; 0 if a group has none. */
function countWords(way: string, asked: readonly string[]): number {
  if (way.startsWith('=')) return asked.join(' ') === way.slice(1) ? asked.length : 0;
  const groups = way.split(' + ').map((group) => new Set(group.split(' ')));
  const isAsked = groups.every((group) => asked.some((word) => group.has(word)));
  return isAsked ? asked.filter((word) => groups.some((group) => group.has(word))).length : 0;
}

/** The words of a text in small letters. */
function toWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll(/['’]/g, '')
      .match(/\p{L}+/gu) ?? []
  );
}

const stemLength = 5;

/** The part of a word that its other forms share, roughly. */
function toStem(word: string): string {
  return word.replace(/s$/, '').slice(0, stemLength);
}

function toSentences(text: string): string[] {
  return text.toLowerCase().split(/[.!?:;\n]/);
}
