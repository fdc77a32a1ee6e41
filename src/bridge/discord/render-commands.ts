import {
  ApplicationCommandType,
  type ApplicationCommandOptionBase,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  Locale,
  type LocalizationMap,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
  SlashCommandBuilder,
  SlashCommandSubcommandBuilder,
} from 'discord.js';
import type { Action } from '../commands/command.ts';
import type { Option } from '../commands/option.ts';
import { choiceLabel, describeOption } from '../commands/adapters/modal-values.ts';
import { listShortcuts, type CommandSet } from '../commands/invocation.ts';
import { english, type Texts, textsFor } from '../texts/texts.ts';
import { maxAttachments } from './slash-commands.ts';

/**
 * Renders the commands for registration:
 * docs.discord.com/developers/interactions/application-commands.
 * @throws {Error} when a name or description exceeds Discord's limits
 */
export function renderCommands(
  { commands, names: { prefix } }: CommandSet,
  maxFileBytes?: number,
): RESTPostAPIChatInputApplicationCommandsJSONBody[] {
  return commands.map((command) => {
    const builder = new SlashCommandBuilder()
      .setName(`${prefix}${command.name}`)
      .setDescription(english.descriptions[command.description])
      .setDescriptionLocalizations(
        inOtherLanguages((texts) => texts.descriptions[command.description]),
      )
      .setContexts(InteractionContextType.Guild, InteractionContextType.BotDM)
      .setIntegrationTypes(ApplicationIntegrationType.GuildInstall);
    if ('action' in command) return addOptions(builder, command.action, maxFileBytes).toJSON();
    for (const [name, action] of Object.entries(command.actions)) {
      const subcommand = new SlashCommandSubcommandBuilder()
        .setName(name)
        .setDescription(english.descriptions[action.description])
        .setDescriptionLocalizations(
          inOtherLanguages((texts) => texts.descriptions[action.description]),
        );
      builder.addSubcommand(addOptions(subcommand, action, maxFileBytes));
    }
    return builder.toJSON();
  });
}

/** Renders the message commands, which Discord offers in a message's Apps menu. */
export function renderShortcuts({
  commands,
}: CommandSet): RESTPostAPIContextMenuApplicationCommandsJSONBody[] {
  return listShortcuts(commands).map(({ name }) => ({
    type: ApplicationCommandType.Message,
    name: english.descriptions[name],
    name_localizations: inOtherLanguages((texts) => texts.descriptions[name]),
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  }));
}

/** Adds the options, required ones first, as Discord demands. */
function addOptions<Builder extends SlashCommandBuilder | SlashCommandSubcommandBuilder>(
  builder: Builder,
  action: Action,
  maxFileBytes: number | undefined,
): Builder {
  const options = Object.entries<Option>(action.options);
  const required = options.filter(([, option]) => option.required);
  const others = options.filter(([, option]) => !option.required);
  for (const [name, option] of [...required, ...others])
    addOption(builder, name, option, maxFileBytes);
  for (const [name, option] of options) {
    if (option.type === 'file' && option.many) addFurtherFiles(builder, name, option, maxFileBytes);
  }
  return builder;
}

/** An option takes one file, so further files get their own options: `file2`, `file3` and so on. */
function addFurtherFiles(
  builder: SlashCommandBuilder | SlashCommandSubcommandBuilder,
  name: string,
  option: Option,
  maxFileBytes: number | undefined,
): void {
  for (let number = 2; number <= maxAttachments; number += 1) {
    builder.addAttachmentOption((file) =>
      described(file.setName(`${name}${number}`), option, maxFileBytes),
    );
  }
}

/** docs.discord.com/developers/interactions/application-commands#application-command-object. */
const maxDescriptionLength = 100;

function described<Part extends ApplicationCommandOptionBase>(
  part: Part,
  option: Option,
  maxFileBytes: number | undefined,
): Part {
  const describe = (texts: Texts) =>
    describeOption(option, texts, { maxLength: maxDescriptionLength, maxFileBytes });
  return part
    .setDescription(describe(english))
    .setDescriptionLocalizations(inOtherLanguages(describe));
}

/** A text for each of Discord's locales other than English that has messages. */
function inOtherLanguages(say: (texts: Texts) => string): LocalizationMap {
  const translated = Object.values(Locale).filter((locale) => textsFor(locale) !== english);
  return Object.fromEntries(translated.map((locale) => [locale, say(textsFor(locale))]));
}

/** Types of channels that notices can be posted in. */
const writable = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

/**
 * References and colours get suggestions while people type; Discord has no option type for days.
 */
function addOption(
  builder: SlashCommandBuilder | SlashCommandSubcommandBuilder,
  name: string,
  option: Option,
  maxFileBytes: number | undefined,
): void {
  const { required = false } = option;
  const named = <Part extends ApplicationCommandOptionBase>(part: Part): Part =>
    described(part.setName(name), option, maxFileBytes).setRequired(required);
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
      const choices = option.choices.map((value) => ({
        name: value,
        name_localizations: inOtherLanguages((texts) => choiceLabel(value, texts)),
        value,
      }));
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
    case 'channel':
      builder.addChannelOption((part) => named(part).addChannelTypes(...writable));
      return;
    case 'person':
      builder.addUserOption(named);
      return;
    case 'group':
      builder.addRoleOption(named);
      return;
    case 'text': {
      const { maxLength } = option;
      builder.addStringOption((part) =>
        maxLength === undefined ? named(part) : named(part).setMaxLength(maxLength),
      );
    }
  }
}
