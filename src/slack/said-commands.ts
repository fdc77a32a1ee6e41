import { renderUsage } from '../commands/command-usage.ts';
import { findSaidCommand, type SaidCommand } from '../commands/said-command.ts';
import { parseCommandText } from './command-text.ts';
import type { ReadCommand, WrittenMessage } from './events.ts';
import { createPrivatePlace } from './result-place.ts';
import { type CommandTools, runCommand } from './run-command.ts';
import { messagesFor } from '../messages/messages.ts';

/**
 * Reads commands from messages, since no slash command can be used in a thread: they are run with
 * the thread as their context, and shown there to whoever wrote them.
 */
export function createSaidCommands(tools: CommandTools): ReadCommand {
  const { table, clients, people, running } = tools;

  async function run({ command, text }: SaidCommand, message: WrittenMessage): Promise<void> {
    const { channel, thread_ts: thread, user } = message;
    const typed = parseCommandText(command, text);
    if (typed.kind === 'usage') {
      const { prefix } = table;
      const texts = messagesFor((await people.find(user)).locale);
      const place = createPrivatePlace({ client: clients.writes, channel, thread, user, texts });
      const usage = renderUsage({ prefix, command, problem: typed.problem, texts });
      return place.show({ markdown: usage });
    }
    const { name, values } = typed;
    const action = name === undefined ? {} : { action: name };
    const purpose = { command: command.name, ...action, channel, thread };
    return runCommand({ purpose, user, values }, tools);
  }

  return (message, text) => {
    const said = findSaidCommand(table, text);
    return said && (async () => running.start(run(said, message), said.command.name));
  };
}
