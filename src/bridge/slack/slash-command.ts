import type { Command } from '../commands/command.ts';
import type { CommandSet } from '../commands/invocation.ts';

/** A slash command as Slack delivers it. */
export interface DeliveredCommand {
  /** Its name with the slash. */
  command: string;
  /** What was typed after it. */
  text: string;
}

/** The command that was meant, or the word where one was expected; empty if there was none. */
export type SlashCommand =
  /** `typed`: how its name was typed, such as `/causeway source`. */
  { command: Command; typed: string; text: string } | { command?: undefined; word: string };

/**
 * Reads which command was meant: `/source list`, `/kb-source list` and `/causeway source list` mean
 * the same. Slack delivers only names from the app's manifest, which may be older than the present
 * configuration, so any name is ours.
 */
export function readSlashCommand(set: CommandSet, delivered: DeliveredCommand): SlashCommand {
  const { command: typed, text } = delivered;
  const own = findByName(set, typed.slice(1));
  if (own) return { command: own, typed, text };
  const [, word = '', rest = ''] = /^\s*(\S*)([^]*)/.exec(text) ?? [];
  // Some type the slash as well, and keyboards of phones capitalise the first word.
  const noun = word.replace(/^\//, '').toLowerCase();
  const command = set.commands.find(({ name }) => name === noun);
  if (command) return { command, typed: `${typed} ${command.name}`, text: rest };
  const former = findBySuffix(set, typed.slice(1));
  return former ? { command: former, typed, text } : { word };
}

/** A command by its own name, with the present prefix or an earlier one that sets itself apart. */
function findByName({ commands, names }: CommandSet, called: string): Command | undefined {
  if (called === names.slack) return undefined;
  return commands.find(
    ({ name }) =>
      called === names.prefix + name || new RegExp(`(?:^|[-_])${name}$`, 'i').test(called),
  );
}

/** A command by its own name with any earlier prefix, such as `/kbsource`. */
function findBySuffix({ commands, names }: CommandSet, called: string): Command | undefined {
  if (called === names.slack) return undefined;
  return commands.find(({ name }) => called.endsWith(name));
}
