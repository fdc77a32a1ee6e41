import {
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Client,
  type CommandInteractionOption,
  Events,
  InteractionResponseType,
  Routes,
} from 'discord.js';
import type { Invocation } from '../commands/invocation.ts';
import type { RawValue } from '../commands/option.ts';
import { toPlatformError } from './errors.ts';
import type { FileReader } from './files.ts';
import { type CommandTools, createContext, runCommand } from './run-command.ts';

/** Files that one command takes at most: each is an option of its own. */
export const mostAttachments = 5;

/** Commands under way. */
export interface RunningCommands {
  /** Runs every command that people send to the client. */
  listen(client: Client): void;
  /** Resolves once none is under way. */
  idle(): Promise<void>;
}

export function createCommands(options: CommandTools & { files: FileReader }): RunningCommands {
  const { files, log, table } = options;
  const running = new Set<Promise<void>>();

  function start(interaction: ChatInputCommandInteraction): void {
    const invocation = toInvocation(interaction, table.prefix, files);
    const task = runCommand(interaction, invocation, options)
      .catch((error: unknown) =>
        log.warn(
          { err: error, command: interaction.commandName },
          'a result was not shown in Discord',
        ),
      )
      .finally(() => running.delete(task));
    running.add(task);
  }

  return {
    listen(client) {
      client.on(Events.InteractionCreate, (interaction) => {
        if (interaction.isChatInputCommand()) start(interaction);
        if (interaction.isAutocomplete()) void complete(interaction, options);
      });
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Suggests values for the option that someone is typing; too late, and Discord shows none. */
async function complete(
  interaction: AutocompleteInteraction,
  options: CommandTools,
): Promise<void> {
  const { table, rest, log } = options;
  const { name: option, value: typed } = interaction.options.getFocused(true);
  const action = interaction.options.getSubcommand(false);
  const suggestions = await table.complete({
    command: interaction.commandName.slice(table.prefix.length),
    ...(action !== null && { action }),
    option,
    typed,
    context: createContext(interaction, options),
  });
  const choices = suggestions.map(({ label, value }) => ({ name: label, value }));
  const body = {
    type: InteractionResponseType.ApplicationCommandAutocompleteResult,
    data: { choices },
  };
  const { id, token } = interaction;
  try {
    await rest.post(Routes.interactionCallback(id, token), { body, auth: false });
  } catch (error) {
    log.debug({ err: toPlatformError(error), option }, 'suggestions came too late for Discord');
  }
}

function toInvocation(
  { commandName, options }: ChatInputCommandInteraction,
  prefix: string,
  files: FileReader,
): Omit<Invocation, 'context'> {
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

/** Files by the name of the option that takes several: `file2` is one more for `file`. */
function filesOf(
  given: readonly CommandInteractionOption[],
  files: FileReader,
): Record<string, RawValue> {
  const found: Record<string, RawValue> = {};
  for (const { name, attachment } of given) {
    if (!attachment) continue;
    const option = name.replace(/\d+$/, '');
    const file = files.toIncomingFile(attachment);
    const known = found[option];
    found[option] = typeof known === 'object' ? [known, file].flat() : file;
  }
  return found;
}
