import type { z } from 'zod';
import { addFault } from '../validation.ts';
import { isNested, OptionType, type CommandOption } from './command-option.ts';

const typesWithChoices = new Set<number>([
  OptionType.String,
  OptionType.Integer,
  OptionType.Number,
]);

/**
 * Checks the rules between the options of a command (`within` undefined), a group, or a subcommand:
 * https://docs.discord.com/developers/interactions/application-commands#subcommands-and-subcommand-groups
 */
export function checkOptions(
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
