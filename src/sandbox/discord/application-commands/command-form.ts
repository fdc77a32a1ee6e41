import { z } from 'zod';
import { addFault, list, text } from '../validation.ts';
import type { CommandOption } from './command-option.ts';
import { checkOptions } from './option-rules.ts';

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

const option: z.ZodType<CommandOption> = z.lazy(() =>
  z
    .object({
      type: z.int().min(1).max(11),
      name,
      description: text(1, 100),
      name_localizations: localizations.nullish(),
      description_localizations: localizations.nullish(),
      required: z.boolean().optional(),
      choices: list(choice, 0, maxChoices).nullish(),
      options: list(option, 0, maxOptions).nullish(),
      autocomplete: z.boolean().optional(),
      channel_types: z.array(z.int()).nullish(),
      min_value: z.number().nullish(),
      max_value: z.number().nullish(),
      min_length: z.int().min(0).max(6000).nullish(),
      max_length: z.int().min(1).max(6000).nullish(),
      file_types: list(text(1, 32), 0, 10).nullish(),
    })
    .superRefine((value, context) => checkOptions(context, value.options ?? [], value.type)),
);

const commandSchema = z
  .object({
    type: z.literal(Object.values(CommandType)).default(CommandType.ChatInput),
    name: text(1, 32),
    name_localizations: localizations.nullish(),
    description: text(0, 100).default(''),
    description_localizations: localizations.nullish(),
    options: list(option, 0, maxOptions).nullish(),
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
