import type { Message } from 'discord.js';
import { readCommandText } from '../commands/adapters/command-text.ts';
import { typedCommand } from '../commands/command-names.ts';
import { renderUsage } from '../commands/adapters/command-usage.ts';
import type { RunningCommands } from '../commands/adapters/running-commands.ts';
import {
  type MentionCommand,
  createSaidReader,
  type ReadSaid,
  withFiles,
} from '../commands/adapters/mention-command.ts';
import { showResults } from '../commands/adapters/show-results.ts';
import { messagesFor } from '../messages/messages.ts';
import type { FileReader } from './files.ts';
import { toAuthor } from './people.ts';
import {
  createChannelTarget,
  createDirectMessageTarget,
  createResultTarget,
} from './result-target.ts';
import { type RunTools, createContext, type Origin } from './run-command.ts';

/**
 * Reads commands from messages, with the same words as on other platforms. Discord can hide a
 * message from others only in response to an interaction, so the result is a public reply, which
 * pings nobody.
 */
export function createMentionCommands(
  tools: RunTools & { running: RunningCommands; files: FileReader },
): ReadSaid<Message> {
  const { runner, writer, files, sleep } = tools;

  async function run(
    { command, text }: MentionCommand,
    message: Message,
    kept: () => void,
  ): Promise<void> {
    const { author, channelId, id, attachments } = message;
    const target = createResultTarget([
      createChannelTarget(writer, channelId, id),
      createDirectMessageTarget(writer, author.id),
    ]);
    const typed = readCommandText(command, text);
    if (typed.kind === 'usage') {
      const name = typedCommand(runner.names, 'discord', command.name);
      const texts = messagesFor(toOrigin(message).locale);
      return target.show({
        markdown: renderUsage({ name, command, problem: typed.problem, texts }),
      });
    }
    const { name, action } = typed;
    const attached = attachments.map((file) => files.toIncomingFile(file));
    const values = withFiles(action, typed.values, attached);
    const results = runner.run({
      command: command.name,
      ...(name !== undefined && { action: name }),
      values,
      context: { ...createContext(toOrigin(message), tools), kept },
    });
    await showResults(results, target, sleep);
  }

  return createSaidReader(tools, run);
}

/** A message does not contain its author's language, so the server's is used. */
function toOrigin(message: Message): Origin {
  const { client, guild, guildId, channel, channelId } = message;
  const requester = toAuthor(message);
  const locale = guild?.preferredLocale ?? 'en-US';
  return { client, guild, guildId, channel, channelId, requester, locale };
}
