import leven from 'leven';
import { shorten } from '../../../shared/primitives/text.ts';
import { renderProblem } from '../../../shared/problems/problem.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Command } from '../command.ts';

/** What somebody may have meant who typed text that begins with no command. */
export type Guess =
  /** A command in the right words, with what was typed after them. */
  { kind: 'command'; words: string } | { kind: 'question'; question: string };

/** Guesses what was meant; undefined if a single word resembles no command. */
export function guess(commands: readonly Command[], typed: string): Guess | undefined {
  const text = typed.trim();
  const word = firstWord(text);
  const rest = text.slice(word.length).trim();
  const names = commands.map(({ name }) => name);
  const noun = nearest(word.replace('/', ''), names);
  const command = commands.find(({ name }) => name === noun);
  const words = command && guessWords(command, rest);
  if (words !== undefined) return { kind: 'command', words };
  return rest === '' ? undefined : { kind: 'question', question: text };
}

/** How much of what was typed is quoted. */
const maxQuotedLength = 300;

/**
 * Says what may have been meant by text that begins with no command.
 * @param typed a command as people type it on their platform
 */
export function renderUnknown(
  text: string,
  { commands, texts }: { commands: readonly Command[]; texts: Texts },
  typed: (words: string) => string,
): string {
  const unknown = renderProblem(
    { code: 'no_action', params: { name: firstWord(text.trim()) } },
    texts,
  );
  const meant = guess(commands, text);
  const quoted = (words: string) =>
    `\`${typed(shorten(words.replaceAll('`', '’'), maxQuotedLength))}\``;
  if (meant?.kind === 'question') return texts.menu.asks(quoted(`ask ${meant.question}`));
  return meant ? `${unknown} ${texts.menu.meant(quoted(meant.words))}` : unknown;
}

/** The command with what was typed after its name; undefined if that is no action of it. */
function guessWords(command: Command, rest: string): string | undefined {
  if ('action' in command || rest === '') return [command.name, rest].filter(Boolean).join(' ');
  const word = firstWord(rest);
  const action = nearest(word, Object.keys(command.actions));
  return action && `${command.name} ${action}${rest.slice(word.length)}`;
}

function firstWord(text: string): string {
  return text.split(/\s/, 1)[0] ?? '';
}

/** The name that a word is, or is a typo of. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  // Short words resemble many others.
  const max = typed.length < 5 ? 1 : 2;
  const [best] = names
    .map((name) => ({ name, distance: isSwapped(typed, name) ? 1 : leven(typed, name) }))
    .filter(({ distance }) => distance <= max)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.name;
}

/** Whether two words have the same letters in another order. */
function isSwapped(one: string, other: string): boolean {
  return one !== other && one.split('').toSorted().join() === other.split('').toSorted().join();
}
