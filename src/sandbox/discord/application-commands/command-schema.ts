import { z } from 'zod';
import { addFault, list, text } from '../validation.ts';

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type */
export const OptionType = {
  Subcommand: 1,
  SubcommandGroup: 2,
  String: 3,
  Integer: 4,
  Boolean: 5,
  User: 6,
  Channel: 7,
  Role: 8,
  Mentionable: 9,
  Number: 10,
  Attachment: 11,
} as const;

/** Whether an option is a subcommand or a group, which has options rather than a value. */
export function isNested({ type }: CommandOption): boolean {
  return type === OptionType.Subcommand || type === OptionType.SubcommandGroup;
}

export const CommandType = { ChatInput: 1, User: 2, Message: 3 } as const;

const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const maxOptions = 25;
const maxChoices = 25;
const maxCharacters = 8_000;

/** A name in lower case: https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-naming */
const name = z.string().superRefine((value, context) => {
  if (namePattern.test(value) && value === value.toLowerCase()) return;
  const message = 'String value did not match validation regex.';
  addFault(context, { code: 'STRING_TYPE_REGEX', message });
});

const localizations = z.record(z.string().min(2).max(8), text(1, 100));

const choice = z.object({
  name: text(1, 100),
  name_localizations: localizations.nullish(),
  value: z.union([text(0, 100), z.number()]),
});

export type Choice = z.infer<typeof choice>;

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-structure */
const option = z.object({
  type: z.int().min(1).max(11),
  name,
  description: text(1, 100),
  name_localizations: localizations.nullish(),
  description_localizations: localizations.nullish(),
  required: z.boolean().optional(),
  choices: list(choice, 0, maxChoices).nullish(),
  get options() {
    return list(checkedOption, 0, maxOptions).nullish();
  },
  autocomplete: z.boolean().optional(),
  channel_types: z.array(z.int()).nullish(),
  min_value: z.number().nullish(),
  max_value: z.number().nullish(),
  min_length: z.int().min(0).max(6000).nullish(),
  max_length: z.int().min(1).max(6000).nullish(),
  file_types: list(text(1, 32), 0, 10).nullish(),
});
const checkedOption = option.superRefine((value, context) =>
  checkOptions(context, value.options ?? [], value.type),
);

export type CommandOption = z.infer<typeof option>;

const commandSchema = z
  .object({
    type: z.literal(Object.values(CommandType)).default(CommandType.ChatInput),
    name: text(1, 32),
    name_localizations: localizations.nullish(),
    description: text(0, 100).default(''),
    description_localizations: localizations.nullish(),
    options: list(checkedOption, 0, maxOptions).nullish(),
    default_member_permissions: z.string().regex(/^\d+$/).nullish(),
    dm_permission: z.boolean().nullish(),
    contexts: z.array(z.int().min(0).max(2)).nullish(),
    integration_types: z.array(z.int().min(0).max(1)).nullish(),
    nsfw: z.boolean().nullish(),
  })
  .superRefine((command, context) => {
    if (command.type === CommandType.ChatInput) checkChatInput(command, context);
    else if (command.description !== '' || command.options?.length) {
      const message = 'Context menu commands cannot have description or options';
      addFault(context, { code: 'APPLICATION_COMMAND_INVALID_DESCRIPTION', message });
    }
    if (countCharacters(command) <= maxCharacters) return;
    const message = `Command exceeds maximum size (${maxCharacters})`;
    addFault(context, { code: 'APPLICATION_COMMAND_TOO_LARGE', message });
  });

export type CommandForm = z.infer<typeof commandSchema>;

/**
 * A list of commands, which replaces the previous one:
 * https://docs.discord.com/developers/interactions/application-commands#bulk-overwrite-global-application-commands
 */
export const commandsSchema = z.array(commandSchema).superRefine((commands, context) => {
  const seen = new Set<string>();
  for (const [index, command] of commands.entries()) {
    const key = `${command.type} ${command.name}`;
    const message = 'Application command names must be unique';
    if (seen.has(key)) {
      addFault(context, { code: 'APPLICATION_COMMANDS_DUPLICATE_NAME', message }, [index]);
    }
    seen.add(key);
  }
});

function checkChatInput(
  command: { name: string; description: string; options?: CommandOption[] | null },
  context: z.RefinementCtx,
): void {
  if (!name.safeParse(command.name).success) {
    const message = 'Command name is invalid';
    addFault(context, { code: 'APPLICATION_COMMAND_INVALID_NAME', message }, ['name']);
  }
  if (command.description === '') {
    const message = 'This field is required';
    addFault(context, { code: 'BASE_TYPE_REQUIRED', message }, ['description']);
  }
  checkOptions(context, command.options ?? [], undefined);
}

type Described = Pick<CommandOption, 'name' | 'name_localizations'> &
  Partial<Pick<CommandOption, 'description' | 'description_localizations' | 'options' | 'choices'>>;

/** Names, descriptions and values count, each in its longest localization. */
function countCharacters(described: Described): number {
  const own =
    maxLength(described.name, described.name_localizations) +
    maxLength(described.description ?? '', described.description_localizations);
  const options = (described.options ?? []).map(countCharacters);
  const choices = (described.choices ?? []).map(
    (entry) => maxLength(entry.name, entry.name_localizations) + String(entry.value).length,
  );
  return [...options, ...choices].reduce((total, part) => total + part, own);
}

function maxLength(value: string, others: Record<string, string> | null | undefined): number {
  return Math.max(value.length, ...Object.values(others ?? {}).map((other) => other.length));
}

const typesWithChoices = new Set<number>([
  OptionType.String,
  OptionType.Integer,
  OptionType.Number,
]);

/**
 * Checks the rules between the options of a command (`within` undefined), a group, or a subcommand:
 * https://docs.discord.com/developers/interactions/application-commands#subcommands-and-subcommand-groups
 */
function checkOptions(
  context: z.RefinementCtx,
  options: CommandOption[],
  within: number | undefined,
): void {
  const faultAt = (index: number, code: string, message: string, field?: string) =>
    addFault(context, { code, message }, field ? ['options', index, field] : ['options', index]);
  const hasSubcommands = options.some(isNested);
  const names = new Set<string>();
  let optionalSeen = false;

  for (const [index, option] of options.entries()) {
    if (names.has(option.name)) {
      const message = 'Option name already exists';
      faultAt(index, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', message, 'name');
    }
    names.add(option.name);
    if (!isPlaced(option, within, hasSubcommands)) {
      const message = 'Sub-command and sub-command group option types are mutually exclusive';
      faultAt(index, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', message, 'type');
    }
    if (option.required && optionalSeen) {
      const message = 'Required options must be placed before non-required options';
      faultAt(index, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', message);
    }
    if (!option.required) optionalSeen = true;
    const wrong = findChoiceFault(option);
    if (wrong) faultAt(index, 'APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID', wrong, 'choices');
  }
}

/**
 * Subcommands exclude other options. Groups belong directly in a command, and contain only
 * subcommands.
 */
function isPlaced(option: CommandOption, within: number | undefined, hasSubcommands: boolean) {
  if (hasSubcommands && !isNested(option)) return false;
  if (within === undefined) return true;
  if (within === OptionType.SubcommandGroup) return option.type === OptionType.Subcommand;
  return within === OptionType.Subcommand && !isNested(option);
}

function findChoiceFault({ type, choices, autocomplete }: CommandOption): string | undefined {
  const hasChoices = (choices?.length ?? 0) > 0;
  if ((hasChoices || autocomplete) && !typesWithChoices.has(type)) {
    return 'Only string, integer and number options have choices or autocomplete';
  }
  if (hasChoices && autocomplete) return 'Choices and autocomplete are mutually exclusive';
  const fits = (value: string | number) => {
    if (type === OptionType.String) return typeof value === 'string';
    return type === OptionType.Integer ? Number.isInteger(value) : typeof value === 'number';
  };
  return choices?.every(({ value }) => fits(value)) === false
    ? "A choice's value must be of the option's type"
    : undefined;
}
