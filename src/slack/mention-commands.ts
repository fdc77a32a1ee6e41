import { type CommandNames, typedCommand } from '../commands/command-names.ts';
import { renderUsage } from '../commands/adapters/command-usage.ts';
import { findMentionCommand, type MentionCommand } from '../commands/adapters/mention-command.ts';
import { parseCommandText } from './command-text.ts';
import type { ReadCommand, WrittenMessage } from './incoming-message.ts';
import { tellRequester } from './result-target.ts';
import { type RunTools, runCommand } from './run-command.ts';
import { messagesFor } from '../messages/messages.ts';

/**
 * Reads commands from messages, because Slack has no slash commands in threads. They run with the
 * thread as context, and only the author sees the result there.
 */
export function createMentionCommands(tools: RunTools): ReadCommand {
  const { runner, clients, people, running, sleep } = tools;

  async function run(
    { command, text }: MentionCommand,
    message: WrittenMessage,
    kept: () => void,
  ): Promise<void> {
    const { channel, thread_ts: thread, user } = message;
    const typed = parseCommandText(command, text);
    if (typed.kind === 'usage') {
      const name = typedCommand(runner.names, 'slack', command.name);
      const texts = messagesFor((await people.find(user)).locale);
      const origin = { client: clients.writes, channel, thread, user, texts };
      const markdown = renderUsage({ name, command, problem: typed.problem, texts });
      return tellRequester(origin, { markdown }, sleep);
    }
    const { name, values } = typed;
    const action = name === undefined ? {} : { action: name };
    const purpose = { command: command.name, ...action, channel, thread };
    return runCommand({ purpose, user, values, kept }, tools);
  }

  return (message, text) => {
    const found = findMentionCommand(runner, toOwnName(text, runner.names));
    if (!found) return undefined;
    return () => running.finish((kept) => run(found, message, kept), found.command.name);
  };
}

/** Texts name a command `/causeway session new`, so that is what people type after the mention. */
function toOwnName(text: string, { slack }: CommandNames): string {
  return text.trim().replace(new RegExp(`^/${slack}\\s+`, 'i'), '/');
}
