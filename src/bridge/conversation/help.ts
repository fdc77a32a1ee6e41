import { languagesFrom, type Texts } from '../texts/texts.ts';
import type { Source } from './chatbot.ts';

/** A question about the bot itself. */
export interface HelpQuestion {
  topic: keyof Texts['aboutBot']['topics'];
  /** In the language of the question. */
  texts: Texts;
  /** Whether it speaks to or of the bot. */
  isAddressed: boolean;
  /** Its words that no question about the bot has. */
  foreign: readonly string[];
}

/** What people type to give a command on a platform. */
export type TypedCommand = (platform: string, words: string) => string;

/** Says in short what people can do on a platform. */
export type RenderHelp = (platform: string, texts: Texts) => string;

const maxLength = 120;

/**
 * Recognizes a question about the bot itself, in the language that knows most of its words: the reader's
 * one if several do. A word that no such question has makes it a question about something else; if it speaks
 * to or of the bot, it may have one such word. The topic with the most words wins.
 */
export function findHelp(text: string, locale?: string): HelpQuestion | undefined {
  if (text.length > maxLength) return undefined;
  const asked = toWords(text);
  const readings = languagesFrom(locale).map((texts) => ({
    texts,
    foreign: findForeign(asked, texts),
  }));
  const [best] = readings.toSorted((one, other) => one.foreign.length - other.foreign.length);
  if (!best) return undefined;
  const { texts, foreign } = best;
  const isAddressed = text.startsWith('/') || text.includes(' /') || addresses(asked, texts);
  if (foreign.length > (isAddressed ? 1 : 0)) return undefined;
  const topic = findTopic(asked, { texts, isAddressed, foreign });
  return topic && { topic, texts, isAddressed, foreign };
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
 * the words that tell what the question is about, of which one alone tells little. If the question is
 * put to the bot, only the cited sources decide.
 */
export function beginsToAnswer(reply: string, query: string, help: HelpQuestion): boolean {
  if (help.isAddressed) return false;
  const [first = ''] = toSentences(reply.trimStart());
  return createAnswerTest(query, help)(first);
}

/**
 * Whether a cited source answers a question about the bot, too: its title asks the same, or one of its
 * sentences has all the words that tell what the question is about. If the question is put to the bot,
 * the source has its foreign word instead.
 */
export function areAnswering(
  sources: readonly Source[],
  query: string,
  help: HelpQuestion,
): boolean {
  const { topic, texts, isAddressed, foreign } = help;
  const isAnswer = createAnswerTest(query, help);
  return sources.some(({ title, quote }) => {
    const asked = toWords(title);
    const isKnown = findForeign(asked, texts).length === 0;
    if (isKnown && findTopic(asked, { ...help, foreign: [] }) === topic) return true;
    if (!isAddressed) return toSentences(quote).some(isAnswer);
    const said = `${title} ${quote}`.toLowerCase();
    return foreign.some((word) => said.includes(toStem(word)));
  });
}

/** Tells whether a sentence has all the words that tell what a question is about. */
function createAnswerTest(query: string, { texts: { aboutBot } }: HelpQuestion) {
  const { filler, whoMay } = aboutBot;
  const known = new Set(toWords(filler));
  const asked = toWords(query);
  const subject = asked.filter((word) => !known.has(word)).map(toStem);
  const permitting = asked.includes(whoMay.asked) ? toWords(whoMay.said) : undefined;
  return (sentence: string) =>
    subject.length > 1 &&
    subject.every((stem) => sentence.includes(stem)) &&
    (!permitting || toWords(sentence).some((word) => permitting.includes(word)));
}

/** The words that no question about the bot has. */
function findForeign(asked: readonly string[], { aboutBot }: Texts): string[] {
  const { filler, address, topics } = aboutBot;
  const all = Object.values(topics).flatMap((topic) => [topic.asked, topic.addressed]);
  const known = new Set(toWords([filler, address, ...all].join(' ')));
  return asked.filter((word) => !known.has(word));
}

/** Whether a question speaks to or of the bot, other than by “can you tell me” or “how do you”. */
function addresses(asked: readonly string[], { aboutBot }: Texts): boolean {
  let rest = ` ${asked.join(' ')} `;
  for (const aside of aboutBot.asides.split('; '))
    rest = rest.replaceAll(` ${toWords(aside).join(' ')} `, ' ');
  const address = new Set(toWords(aboutBot.address));
  return rest.split(' ').some((word) => address.has(word));
}

function findTopic(
  asked: readonly string[],
  { texts: { aboutBot }, isAddressed, foreign }: Omit<HelpQuestion, 'topic'>,
): HelpQuestion['topic'] | undefined {
  const { topics } = aboutBot;
  let best: HelpQuestion['topic'] | undefined;
  let most = 0;
  for (const topic of Object.keys(topics) as HelpQuestion['topic'][]) {
    const { asked: strict, addressed } = topics[topic];
    const ways = foreign.length > 0 ? [] : strict.split('; ');
    if (isAddressed) ways.push(addressed);
    const count = Math.max(...ways.map((way) => countWords(way, asked)));
    if (count > most) [best, most] = [topic, count];
  }
  return best;
}

/** How many words of a question are in the groups of one way to ask; 0 if a group has none. */
function countWords(way: string, asked: readonly string[]): number {
  if (way.startsWith('=')) return asked.join(' ') === toWords(way).join(' ') ? asked.length : 0;
  const groups = way.split(' + ').map((group) => new Set(toWords(group)));
  const isAsked = groups.every((group) => asked.some((word) => group.has(word)));
  return isAsked ? asked.filter((word) => groups.some((group) => group.has(word))).length : 0;
}

/** The words of a text in small letters, without their endings. */
function toWords(text: string): string[] {
  const words = text
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .match(/\p{L}+/gu);
  return (words ?? []).map((word) => word.replace(ending, '$1'));
}

/** What the forms of a word differ in, in any of the languages, after its first four letters. */
const ending = /^(.{4,}?)(?:ing|ed|est|et|st|en|em|es|e|n|s|t)$/u;

const stemLength = 5;

/** The part of a word that its other forms share, roughly. */
function toStem(word: string): string {
  return word.slice(0, stemLength);
}

function toSentences(text: string): string[] {
  return text.toLowerCase().split(/[.!?:;\n]/);
}
