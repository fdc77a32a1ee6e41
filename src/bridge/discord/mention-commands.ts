import type { Message } from 'discord.js';
import { readCommandText, renderUsage } from '../commands/adapters/command-text.ts';
import { typedCommand } from '../commands/invocation.ts';
import {
  type RunningCommands,
  isClosed,
  type ResultTarget,
  showResults,
} from '../commands/adapters/show-results.ts';
import {
  type MentionCommand,
  createSaidReader,
  type ReadSaid,
  withFiles,
} from '../commands/adapters/mention-command.ts';
import { retryWrite } from '../conversation/thread.ts';
import { textsFor } from '../texts/texts.ts';
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
 * message from others only in response to an interaction, so a private result goes to the author in a
 * direct message. Other results are public replies, which ping nobody.
 */
export function createMentionCommands(
  tools: RunTools & { running: RunningCommands; files: FileReader },
): ReadSaid<Message> {
  const { runner, writer, files, log, sleep, signal } = tools;

  async function run(
    { command, text }: MentionCommand,
    message: Message,
    kept: () => void,
  ): Promise<void> {
    const { author, channel, channelId, id, attachments } = message;
    const reply = createChannelTarget(writer, channelId, id);
    const direct = createDirectMessageTarget(writer, author.id);
    const origin = toOrigin(message);
    const texts = textsFor(origin.locale);
    const { places } = texts;
    const named = (words: string) => typedCommand(runner.names, 'discord', words);
    const typed = readCommandText(command, text);
    if (typed.kind === 'usage') {
      const { problem } = typed;
      const markdown = renderUsage({ name: named(command.name), command, problem, texts });
      return createResultTarget([reply, direct]).show({ markdown });
    }
    const { name, action } = typed;
    const attached = attachments.map((file) => files.toIncomingFile(file));
    const use = {
      command: command.name,
      ...(name !== undefined && { action: name }),
      values: withFiles(action, typed.values, attached),
      context: { ...createContext(origin, tools), kept },
    };
    if (channel.isDMBased() || (await runner.isShared(use))) {
      return showResults(runner.run(use), createResultTarget([reply, direct]), sleep);
    }
    const slash = `\`${named([command.name, name].filter(Boolean).join(' '))}\``;
    const target = createResultTarget([direct]);
    if (!(await isOpen(target, `⏳ ${slash}`))) {
      return void (await reply.post({ text: places.useSlash(slash) }));
    }
    await reply.post({ text: places.sentDirectly(slash) }).catch((error: unknown) => {
      log.info(
        { err: error, channel: channelId },
        'the hint at a direct message could not be posted',
      );
    });
    return showResults(runner.run(use), target, sleep);
  }

  /** Whether the person takes direct messages: sends one, which the first result replaces. */
  async function isOpen(target: ResultTarget, markdown: string): Promise<boolean> {
    const show = () => target.show({ markdown });
    try {
      await retryWrite(show, { passing: ['rate_limited', 'failed'], sleep, signal });
      return true;
    } catch (error) {
      if (isClosed(error)) return false;
      throw error;
    }
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
