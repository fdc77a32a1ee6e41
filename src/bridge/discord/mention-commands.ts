import type { Message } from 'discord.js';
import {
  readTypedCommand,
  renderUsage,
  type TypedTokens,
} from '../commands/adapters/command-text.ts';
import { renderUnknown } from '../commands/adapters/guess.ts';
import { type Result, typedCommand } from '../commands/invocation.ts';
import { createSharedTarget, isClosed, showResults } from '../commands/adapters/show-results.ts';
import {
  type MentionCommand,
  createSaidReader,
  type ReadSaid,
  withFiles,
} from '../commands/adapters/mention-command.ts';
import { retryWrite } from '../conversation/thread.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import type { DiscordContext } from './context.ts';
import { withNames } from './message-text.ts';
import { toAuthor } from './people.ts';
import {
  createChannelTarget,
  createDirectMessageTarget,
  createResultTarget,
} from './result-target.ts';
import type { Locales } from './locales.ts';
import { createCommandContext, type Origin } from './run-command.ts';

/**
 * Reads commands from messages, with the same words as on other platforms. Discord can hide a
 * message from others only in response to an interaction, so a private result goes to the author in a
 * direct message. Other results are public replies, which ping nobody.
 */
export function createMentionCommands(discord: DiscordContext): ReadSaid<Message> {
  const { runner, writer, files, locales, log, sleep, signal } = discord;

  async function run(
    { command, text }: MentionCommand,
    message: Message,
    kept: () => void,
  ): Promise<void> {
    const { author, channel, channelId, id, attachments } = message;
    const origin = await toOrigin(message, locales);
    const texts = textsFor(origin.locale);
    const named = (words: string) => typedCommand(runner.names, 'discord', words);
    const direct = createDirectMessageTarget(writer, author.id, texts.places.notThere);
    const shared = createResultTarget([createChannelTarget(writer, channelId, id), direct]);
    /** In direct messages, where others can read the channel; `words`: what shows it there. */
    const ownTarget = (words: string) =>
      channel.isDMBased()
        ? undefined
        : createOwnTarget(message, { slash: `\`${named(words)}\``, texts });
    const tell = (markdown: string) => (ownTarget('help') ?? shared).show({ markdown });
    const toReadable = (typed: string) => withNames(message, typed);
    if (!command) {
      const { commands } = runner;
      return tell(renderUnknown(toReadable(text), { commands, texts }, named));
    }
    const typed = readTypedCommand(command, text, { patterns, toReadable });
    if (typed.kind === 'usage') {
      const { problem } = typed;
      return tell(renderUsage({ name: named(command.name), command, problem, texts }));
    }
    const { name, action } = typed;
    const words = [command.name, name].filter(Boolean).join(' ');
    const slash = `\`${named(words)}\``;
    const own = ownTarget(words);
    const attached = attachments.map((file) => files.toIncomingFile(file));
    const use = {
      command: command.name,
      action: name,
      values: withFiles(action, typed.values, attached),
      context: { ...createCommandContext(origin, discord), kept },
    };
    if (!own) return showResults(runner.run(use), shared, sleep);
    if (await runner.isShared(use)) {
      return showResults(runner.run(use), createSharedTarget({ shared, own }), sleep);
    }
    if (await own.open({ markdown: `⏳ ${slash}` })) {
      return showResults(runner.run(use), own, sleep);
    }
  }

  /** Shows results in direct messages, of which a reply tells; that is all if they are closed. */
  function createOwnTarget(
    { author, channelId, id }: Message,
    { slash, texts: { places } }: { slash: string; texts: Texts },
  ) {
    const reply = createChannelTarget(writer, channelId, id);
    const direct = createResultTarget([
      createDirectMessageTarget(writer, author.id, places.othersRead),
    ]);
    let isOpen: boolean | undefined;

    /** Shows the first result. Resolves with whether the person takes direct messages. */
    async function open(result: Result): Promise<boolean> {
      try {
        const show = () => direct.show(result);
        await retryWrite(show, { passing: ['rate_limited', 'failed'], sleep, signal });
        isOpen = true;
      } catch (error) {
        if (!isClosed(error)) throw error;
        isOpen = false;
        await reply.post({ text: places.useSlash(slash) });
        return false;
      }
      await reply.post({ text: places.sentDirectly(slash) }).catch((error: unknown) => {
        log.info(
          { err: error, channel: channelId },
          'the hint about a direct message could not be posted',
        );
      });
      return true;
    }

    return {
      ...direct,
      open,
      async show(result: Result) {
        if (isOpen === undefined) await open(result);
        else if (isOpen) await direct.show(result);
      },
    };
  }

  return createSaidReader(discord, run);
}

/** docs.discord.com/developers/reference#message-formatting. */
const patterns: TypedTokens['patterns'] = {
  channel: /^<#(\d+)>$/,
  person: /^<@!?(\d+)>$/,
  group: /^<@&(\d+)>$/,
};

async function toOrigin(message: Message, locales?: Pick<Locales, 'of'>): Promise<Origin> {
  const { client, guild, guildId, channel, channelId } = message;
  const requester = await toAuthor(message, locales);
  const { locale = 'en-US' } = requester;
  return { client, guild, guildId, channel, channelId, requester, locale };
}
