import {
  ApplicationCommandOptionType,
  type ChatInputCommandInteraction,
  type Client,
  type CommandInteractionOption,
  Events,
} from 'discord.js';
import type { Invocation } from '../commands/invocation.ts';
import type { FileReader } from './files.ts';
import { type CommandTools, runCommand } from './run-command.ts';

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
      });
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
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
  const values = Object.fromEntries(
    given.flatMap((option) => {
      const value = toValue(option, files);
      return value === undefined ? [] : [[option.name, value]];
    }),
  );
  return { command, ...(isSubcommand && { action: first.name }), values };
}

function toValue(
  { attachment, value }: CommandInteractionOption,
  files: FileReader,
): Invocation['values'][string] | undefined {
  if (attachment) return files.toIncomingFile(attachment);
  return value === undefined ? undefined : String(value);
}
