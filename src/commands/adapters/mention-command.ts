import type { Command } from '../command.ts';
import type { CommandSet } from '../invocation.ts';

/** A command in a message to the bot, and the text after its name. */
export interface MentionCommand {
  command: Command;
  text: string;
}

/** `/session show page:2`: whether there is a slash, the name, the action, and the rest. */
const words = /^(\/?)(\S+)\s+(\S+)([^]*)/;

/**
 * Finds a command in a message to the bot, as in Slack threads, which have no slash commands: a
 * command's name followed by one of its actions. Without a slash, only `session` counts: a message
 * that begins with another command's name is more likely a question.
 */
export function findMentionCommand(
  { names: { prefix }, commands }: CommandSet,
  text: string,
): MentionCommand | undefined {
  const [, slash, name = '', action = '', rest = ''] = words.exec(text.trim()) ?? [];
  const [called, wanted] = [name.toLowerCase(), action.toLowerCase()];
  const command = commands.find((each) => [each.name, prefix + each.name].includes(called));
  if (!command || !('actions' in command) || !Object.hasOwn(command.actions, wanted)) {
    return undefined;
  }
  if (!slash && command.name !== 'session') return undefined;
  return { command, text: wanted + rest };
}
