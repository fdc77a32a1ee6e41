import type { Message } from 'discord.js';
import { readCommandText } from '../commands/command-text.ts';
import { renderUsage } from '../commands/command-usage.ts';
import type { RunningCommands } from '../commands/running-commands.ts';
import { findSaidCommand, type SaidCommand } from '../commands/said-command.ts';
import { showTexts } from '../commands/show-texts.ts';
import { messagesFor } from '../messages/messages.ts';
import type { ReadCommand } from './events.ts';
import { toAuthor } from './people.ts';
import { createChannelOutlet, createDirectOutlet, createResultPlace } from './result-place.ts';
import { type CommandTools, createContext, type Origin } from './run-command.ts';

/**
 * Reads commands from messages, with the same words as on other platforms. Discord shows a message
 * to one person alone in answer to an interaction only: the result is a reply, which pings nobody.
 */
export function createSaidCommands(
  tools: CommandTools & { running: RunningCommands },
): ReadCommand {
  const { table, writer, running, sleep } = tools;

  async function run({ command, text }: SaidCommand, message: Message): Promise<void> {
    const { author, channelId, id } = message;
    const place = createResultPlace([
      createChannelOutlet(writer, channelId, id),
      createDirectOutlet(writer, author.id),
    ]);
    const typed = readCommandText(command, text);
    if (typed.kind === 'usage') {
      const { prefix } = table;
      const texts = messagesFor(toOrigin(message).locale);
      return place.show({
        markdown: renderUsage({ prefix, command, problem: typed.problem, texts }),
      });
    }
    const { name, values } = typed;
    const results = table.run({
      command: command.name,
      ...(name !== undefined && { action: name }),
      values,
      context: createContext(toOrigin(message), tools),
    });
    await showTexts(results, place, sleep);
  }

  return (message, text) => {
    const said = findSaidCommand(table, text);
    return said && (async () => running.start(run(said, message), said.command.name));
  };
}

/** A message tells nothing of its author's language: that of the server stands for it. */
function toOrigin({ client, guild, guildId, channel, channelId, author, member }: Message): Origin {
  const requester = toAuthor(author, member);
  const locale = guild?.preferredLocale ?? 'en-US';
  return { client, guild, guildId, channel, channelId, requester, locale };
}
