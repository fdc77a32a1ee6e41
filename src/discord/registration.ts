import { createHash } from 'node:crypto';
import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  type ApplicationCommandOptionBase,
  ApplicationIntegrationType,
  InteractionContextType,
  type REST,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  Routes,
  SlashCommandBuilder,
  SlashCommandSubcommandBuilder,
} from 'discord.js';
import type { Action } from '../commands/command.ts';
import type { Option } from '../commands/option.ts';
import type { CommandTable } from '../commands/invocation.ts';
import { mostAttachments } from './commands.ts';
import { toPlatformError } from './errors.ts';

/**
 * The table as Discord registers it: docs.discord.com/developers/interactions/application-commands.
 * Throws where a name or description breaks Discord's limits.
 */
export function renderCommands(
  table: CommandTable,
): RESTPostAPIChatInputApplicationCommandsJSONBody[] {
  return table.commands.map((command) => {
    const builder = new SlashCommandBuilder()
      .setName(`${table.prefix}${command.name}`)
      .setDescription(command.description)
      .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
      .setIntegrationTypes(ApplicationIntegrationType.GuildInstall);
    if ('action' in command) return addOptions(builder, command.action).toJSON();
    for (const [name, action] of Object.entries(command.actions)) {
      const subcommand = new SlashCommandSubcommandBuilder()
        .setName(name)
        .setDescription(action.description);
      builder.addSubcommand(addOptions(subcommand, action));
    }
    return builder.toJSON();
  });
}

/** Adds the options, those that are required first, as Discord wants them. */
function addOptions<Builder extends SlashCommandBuilder | SlashCommandSubcommandBuilder>(
  builder: Builder,
  action: Action,
): Builder {
  const options = Object.entries<Option>(action.options);
  const required = options.filter(([, option]) => option.required);
  const others = options.filter(([, option]) => !option.required);
  for (const [name, option] of [...required, ...others]) addOption(builder, name, option);
  for (const [name, option] of options) {
    if (option.type === 'file' && option.many) addFurtherFiles(builder, name, option.description);
  }
  return builder;
}

/** An option takes one file, so further ones have options of their own: `file2`, `file3` and on. */
function addFurtherFiles(
  builder: SlashCommandBuilder | SlashCommandSubcommandBuilder,
  name: string,
  description: string,
): void {
  for (let number = 2; number <= mostAttachments; number += 1) {
    builder.addAttachmentOption((file) =>
      file.setName(`${name}${number}`).setDescription(description),
    );
  }
}

/** References and colours are suggested while they are typed; days have no option of Discord's. */
function addOption(
  builder: SlashCommandBuilder | SlashCommandSubcommandBuilder,
  name: string,
  option: Option,
): void {
  const { description, required = false } = option;
  const named = <Part extends ApplicationCommandOptionBase>(part: Part): Part =>
    part.setName(name).setDescription(description).setRequired(required);
  switch (option.type) {
    case 'file':
      builder.addAttachmentOption(named);
      return;
    case 'boolean':
      builder.addBooleanOption(named);
      return;
    case 'number': {
      const { min, max, whole } = option;
      if (whole) builder.addIntegerOption((part) => named(part).setMinValue(min).setMaxValue(max));
      else builder.addNumberOption((part) => named(part).setMinValue(min).setMaxValue(max));
      return;
    }
    case 'choice': {
      const choices = option.choices.map((value) => ({ name: value, value }));
      builder.addStringOption((part) => named(part).setChoices(choices));
      return;
    }
    case 'color':
    case 'reference':
      builder.addStringOption((part) => named(part).setAutocomplete(true));
      return;
    case 'date':
      builder.addStringOption(named);
      return;
    case 'text': {
      const { maxLength } = option;
      builder.addStringOption((part) =>
        maxLength === undefined ? named(part) : named(part).setMaxLength(maxLength),
      );
    }
  }
}

/**
 * Registers the table's commands for all servers, in place of those registered before. Does nothing
 * and resolves with false where they stand so already. @throws {PlatformError}
 */
export async function registerCommands(options: {
  rest: REST;
  applicationId: string;
  table: CommandTable;
}): Promise<boolean> {
  const { rest, applicationId, table } = options;
  const route = Routes.applicationCommands(applicationId);
  const body = renderCommands(table);
  try {
    const registered = (await rest.get(route)) as APIApplicationCommand[];
    if (hashOf(registered) === hashOf(body)) return false;
    await rest.put(route, { body });
    return true;
  } catch (error) {
    throw toPlatformError(error);
  }
}

/** What of a command tells whether it stands registered as the table has it. */
interface ComparedCommand {
  name: string;
  description?: string;
  contexts?: readonly number[] | null | undefined;
  integration_types?: readonly number[] | undefined;
  options?: readonly APIApplicationCommandOption[] | undefined;
}

/** The same for the same commands, whatever Discord adds to them and in whatever order it lists them. */
function hashOf(commands: readonly ComparedCommand[]): string {
  const essence = commands
    .map(({ name, description, contexts, integration_types, options = [] }) => ({
      name,
      description,
      contexts: contexts?.toSorted((a, b) => a - b),
      integrationTypes: integration_types?.toSorted((a, b) => a - b),
      options: options.map(essenceOf),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(essence)).digest('hex');
}

function essenceOf(option: APIApplicationCommandOption): object {
  const { type, name, description, required = false } = option;
  const options = 'options' in option ? (option.options ?? []).map(essenceOf) : [];
  const choices = 'choices' in option ? (option.choices ?? []).map(({ value }) => value) : [];
  return {
    type,
    name,
    description,
    required,
    autocomplete: 'autocomplete' in option ? (option.autocomplete ?? false) : false,
    limits: [
      'max_length' in option ? option.max_length : undefined,
      'min_value' in option ? option.min_value : undefined,
      'max_value' in option ? option.max_value : undefined,
    ],
    choices,
    options,
  };
}
