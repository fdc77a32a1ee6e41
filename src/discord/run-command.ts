import type {
  AutocompleteInteraction,
  ButtonInteraction,
  ChatInputCommandInteraction,
  REST,
} from 'discord.js';
import type { CommandContext } from '../commands/command.ts';
import { type CommandTable, findAction, type Invocation } from '../commands/invocation.ts';
import { escapeMarkdown } from '../commands/markdown.ts';
import { splitMarkdown } from '../conversation/markdown/split-markdown.ts';
import { PlatformError } from '../conversation/platform-error.ts';
import type { IncomingMessage, Log } from '../conversation/ports.ts';
import { findThread, type OpenThread } from './events.ts';
import { textLimits } from './message.ts';
import { toRequester } from './people.ts';
import type { Permissions } from './permissions.ts';
import { renderMarkdown } from './render.ts';
import { acknowledge } from './responder.ts';
import {
  createChannelOutlet,
  createDirectOutlet,
  createResultPlace,
  type Outlet,
} from './result-place.ts';
import { showTexts, type Sleep } from '../commands/show-texts.ts';
import type { Writer } from './writer.ts';

/** What running a command needs of the rest of the adapter. */
export interface CommandTools {
  table: CommandTable;
  rest: REST;
  writer: Writer;
  permissions: Permissions;
  openThread: OpenThread;
  receive: (message: IncomingMessage) => Promise<void>;
  log: Log;
  sleep: Sleep;
  signal: AbortSignal;
}

/** Runs a command and shows what comes of it. @throws {PlatformError} where it can't be shown */
export async function runCommand(
  interaction: ChatInputCommandInteraction,
  { command, action, values }: Omit<Invocation, 'context'>,
  tools: CommandTools,
): Promise<void> {
  const { table, sleep } = tools;
  const isPrivate = findAction(table, command, action)?.shownTo !== 'channel';
  const place = createResultPlace(await findOutlets(interaction, isPrivate, tools));
  const texts = table.run({
    command,
    ...(action !== undefined && { action }),
    values,
    context: createContext(interaction, tools),
  });
  await showTexts(texts, place, sleep);
}

/** The command's own answer, while it can be given; then the channel, or a direct message. */
async function findOutlets(
  interaction: ChatInputCommandInteraction,
  isPrivate: boolean,
  { rest, writer, log }: CommandTools,
): Promise<[Outlet, ...Outlet[]]> {
  const direct = createDirectOutlet(writer, interaction.user.id);
  const channel = createChannelOutlet(writer, interaction.channelId);
  const others: [Outlet, ...Outlet[]] = isPrivate ? [direct] : [channel, direct];
  try {
    return [await acknowledge(rest, interaction, isPrivate), ...others];
  } catch (error) {
    log.warn({ err: error, command: interaction.commandName }, 'a command came too late to answer');
    return others;
  }
}

/** What a person who used a command, or pressed a button of its result, is and can have done. */
export function createContext(
  interaction: ChatInputCommandInteraction | ButtonInteraction | AutocompleteInteraction,
  { writer, permissions, openThread, receive, signal }: CommandTools,
): CommandContext {
  const { channel, channelId, guildId, locale } = interaction;
  const requester = toRequester(interaction);
  const parent = channel?.isThread() ? channel.parentId : null;
  const place = {
    platform: 'discord',
    workspace: guildId ?? 'dm',
    channel: parent ?? channelId,
  };
  const isThread = parent !== null || channel?.isDMBased() === true;

  /** The bot's own post stands for the question, since what a command was given nobody else sees. */
  async function postQuestion(question: string): Promise<string> {
    const text = `**${escapeMarkdown(requester.name)}** asks: ${question}`;
    let id = '';
    for (const piece of splitMarkdown(text, textLimits)) {
      id = await writer.post(channelId, { text: renderMarkdown(piece) });
    }
    return id;
  }

  return {
    requester,
    ...place,
    ...(isThread && { thread: { ...place, thread: channelId } }),
    locale,
    signal,
    async ask(question) {
      if (!channel) {
        const message = 'I can’t see this channel. Ask where I am a member, or invite me to it.';
        throw new PlatformError('forbidden', message);
      }
      const id = await postQuestion(question);
      const addressed = channel.isDMBased() ? 'direct' : 'mention';
      const thread = findThread(channel, {
        question: { id, text: question },
        addressed,
        permissions,
        openThread,
      });
      // The answer is the thread's: the command is done once the question stands.
      void receive({ id, author: requester, text: question, addressed, thread });
    },
  };
}
