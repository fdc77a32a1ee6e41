import {
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Client,
  type CommandInteractionOption,
  Events,
  InteractionResponseType,
  type Message,
  type MessageContextMenuCommandInteraction,
} from 'discord.js';
import { hasOnlySubject, maxLengthOf } from '../commands/adapters/modal-values.ts';
import { findAction, listShortcuts } from '../commands/invocation.ts';
import type { Option, RawValue } from '../commands/option.ts';
import { english, textsFor } from '../texts/texts.ts';
import { shorten, withoutTurns } from '../../shared/primitives/text.ts';
import { parseTeachId, type TaughtGap } from './buttons.ts';
import type { DiscordContext } from './context.ts';
import type { DiscordFiles } from './files.ts';
import type { Modals } from './modal-handlers.ts';
import { readForwarded, readText } from './message-text.ts';
import { maxFieldLength } from './modal.ts';
import { respond } from './result-target.ts';
import {
  type AnsweredInteraction,
  createCommandContext,
  runCommand,
  type SentCommand,
  tell,
  toOrigin,
} from './run-command.ts';

/** Max files per command: each needs its own option. */
export const maxAttachments = 5;

/** Runs every command that the client receives, and suggests values while people type. */
export function handleCommands(client: Client, modals: Modals, discord: DiscordContext): void {
  const { files, running, runner } = discord;

  async function run(interaction: ChatInputCommandInteraction): Promise<void> {
    const sent = toSentCommand(interaction, runner.names.prefix, files);
    const action = findAction(runner.commands, sent.command, sent.action);
    const isChange = action && hasOnlySubject(action, sent.values);
    if (isChange && (await modals.open(interaction, sent))) return;
    await runCommand(interaction, sent, discord);
  }

  /** A shortcut passes the files or the text of a message to its action. */
  async function runShortcut(interaction: MessageContextMenuCommandInteraction): Promise<void> {
    const shortcut = listShortcuts(runner.commands).find(
      ({ name }) => english.descriptions[name] === interaction.commandName,
    );
    const { command, action: name, takes = '', values: preset = {} } = shortcut ?? {};
    const option = findAction(runner.commands, command ?? '', name)?.options[takes];
    if (command === undefined || !option) return;
    const taken = takeFrom(interaction.targetMessage, option, files);
    if (taken.length === 0) {
      const { noFiles, noWords } = textsFor(interaction.locale).forms;
      return tell(interaction, option.type === 'file' ? noFiles : noWords, discord);
    }
    const sent = { command, action: name, values: { ...preset, [takes]: taken } };
    await openOrRun(interaction, sent, Object.keys(preset));
  }

  /** Opens the modal that teaches the answer to an open question, or says why there is none. */
  async function teach(interaction: ButtonInteraction, { gap, result }: TaughtGap): Promise<void> {
    const isElsewhere = result !== undefined && !interaction.guildId;
    const place = isElsewhere ? await runner.placeOf(result, interaction.user.id) : undefined;
    if (isElsewhere && !place)
      return tell(interaction, textsFor(interaction.locale).forgotten, discord);
    await openOrRun(interaction, { command: 'source', action: 'answer', values: { gap }, place });
  }

  async function openOrRun(
    interaction: AnsweredInteraction,
    sent: SentCommand,
    preset?: string[],
  ): Promise<void> {
    const isOpen = await modals.open(interaction, sent, preset);
    if (!isOpen) await runCommand(interaction, sent, discord);
  }

  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isChatInputCommand()) running.start(run(interaction), interaction.commandName);
    if (interaction.isMessageContextMenuCommand()) {
      running.start(runShortcut(interaction), interaction.commandName);
    }
    const teaching = interaction.isButton() && parseTeachId(interaction.customId);
    if (teaching) running.start(teach(interaction, teaching), 'a button');
    if (interaction.isAutocomplete()) {
      running.start(complete(interaction, discord), interaction.commandName);
    }
  });
}

/** What a shortcut takes of a message, and of those that it forwards; empty if there is nothing. */
function takeFrom(
  message: Message,
  option: Option,
  files: DiscordFiles,
): RawValue & { length: number } {
  if (option.type !== 'file') {
    const own = readText(message, [message.client.user.id]);
    const words = [own, ...readForwarded(message)].filter(Boolean).join('\n\n');
    return shorten(words.trim(), maxLengthOf(option, maxFieldLength));
  }
  const forwarded = message.messageSnapshots.map(({ attachments }) => attachments);
  return [message.attachments, ...forwarded]
    .flatMap((each) => [...each.values()])
    .map((file) => files.toIncomingFile(file));
}

/**
 * Suggests values for the option that someone is typing; if they come too late, Discord shows none.
 */
async function complete(
  interaction: AutocompleteInteraction,
  discord: DiscordContext,
): Promise<void> {
  const { runner, rest, log } = discord;
  const { name: option, value: typed } = interaction.options.getFocused(true);
  const action = interaction.options.getSubcommand(false);
  const suggestions = await runner.complete({
    command: interaction.commandName.slice(runner.names.prefix.length),
    ...(action !== null && { action }),
    option,
    typed,
    context: createCommandContext(toOrigin(interaction), discord),
  });
  // For one empty name, Discord refuses all of them.
  const choices = suggestions.map(({ label, value }) => ({
    name: withoutTurns(label).trim() || value,
    value,
  }));
  const body = {
    type: InteractionResponseType.ApplicationCommandAutocompleteResult,
    data: { choices },
  };
  try {
    await respond(rest, interaction, body);
  } catch (error) {
    log.debug({ err: error, option }, 'suggestions came too late for Discord');
  }
}

function toSentCommand(
  { commandName, options }: ChatInputCommandInteraction,
  prefix: string,
  files: DiscordFiles,
): SentCommand {
  const command = commandName.slice(prefix.length);
  const [first] = options.data;
  const isSubcommand = first?.type === ApplicationCommandOptionType.Subcommand;
  const given = isSubcommand ? (first.options ?? []) : options.data;
  return {
    command,
    ...(isSubcommand && { action: first.name }),
    values: { ...textsOf(given), ...filesOf(given, files) },
  };
}

function textsOf(given: readonly CommandInteractionOption[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, value, attachment } of given) {
    if (value !== undefined && !attachment) texts[name] = String(value);
  }
  return texts;
}

/** Groups files by option name: `file2` is one more for `file`. */
function filesOf(
  given: readonly CommandInteractionOption[],
  files: DiscordFiles,
): Record<string, RawValue> {
  const found: Record<string, RawValue> = {};
  for (const { name, attachment } of given) {
    if (!attachment) continue;
    const option = name.replace(/(?<!\d)\d+$/, '');
    const file = files.toIncomingFile(attachment);
    const known = found[option];
    found[option] = typeof known === 'object' ? [known, file].flat() : file;
  }
  return found;
}
