import {
  isNested,
  OptionType,
  type CommandOption,
  CommandType,
} from '../../discord/application-commands/command-schema.ts';
import type { Command } from '../../discord/application-commands/command-registry.ts';
import type { GivenOption } from '../../discord/application-commands/invocation.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import { ControlError, type SentFile } from '../request-body.ts';
import type { Choice, Field, Input, ShownCommand, ShownShortcut } from '../shown.ts';

/** The registered slash commands, one entry per subcommand, with a field per option. */
export function toCommands(discord: DiscordServer): ShownCommand[] {
  const commands = discord.commands().filter(({ type }) => type === CommandType.ChatInput);
  return commands.flatMap(({ name, description, options }) =>
    leaves({ name, description, options: options ?? [] }).map(({ path, leaf }) => ({
      name,
      subcommand: path.join(' ') || undefined,
      description: leaf.description,
      fields: leaf.options.map((option) => toField(option, discord)),
    })),
  );
}

/** The message context menu's commands. */
export function toShortcuts(discord: DiscordServer): ShownShortcut[] {
  const commands = discord.commands().filter(({ type }) => type === CommandType.Message);
  return commands.map(({ name }) => ({ id: name, name }));
}

interface Leaf {
  name: string;
  description: string;
  options: CommandOption[];
}

/** Everything that can be called: the command itself, or its subcommands with their full names. */
function leaves(leaf: Leaf, path: string[] = []): { path: string[]; leaf: Leaf }[] {
  const nested = leaf.options.filter(isNested);
  if (nested.length === 0) return [{ path, leaf }];
  return nested.flatMap(({ name, description, options }) =>
    leaves({ name, description, options: options ?? [] }, [...path, name]),
  );
}

function toField(option: CommandOption, discord: DiscordServer): Field {
  const { name, description: hint, required = false } = option;
  const input = toInput(option, discord);
  return { kind: 'field', name, id: name, label: name, hint, required, input };
}

function toInput(option: CommandOption, discord: DiscordServer): Input {
  if (option.type === OptionType.Attachment) {
    return { kind: 'file', most: 1, types: option.file_types ?? [] };
  }
  const options = choicesOf(option, discord);
  if (options) return { kind: 'choice', options, chosen: [], multiple: false, open: false };
  const isNumber = option.type === OptionType.Integer || option.type === OptionType.Number;
  const { min_length, max_length, autocomplete } = option;
  return {
    kind: 'text',
    type: isNumber ? 'number' : 'text',
    lines: false,
    least: min_length ?? undefined,
    most: max_length ?? undefined,
    completed: autocomplete,
  };
}

/** The choices of an option; undefined if people type a value. */
function choicesOf({ type, choices }: CommandOption, discord: DiscordServer): Choice[] | undefined {
  const users = () => discord.users().map(({ id, displayName }) => toChoice(id, displayName));
  const roles = () => discord.roles().map(({ id, name }) => toChoice(id, name));
  switch (type) {
    case OptionType.Boolean:
      return [toChoice('true', 'True'), toChoice('false', 'False')];
    case OptionType.User:
      return users();
    case OptionType.Role:
      return roles();
    case OptionType.Mentionable:
      return [...users(), ...roles()];
    case OptionType.Channel:
      return discord
        .channels()
        .filter(({ recipient }) => !recipient)
        .map(({ id, name }) => toChoice(id, `#${name}`));
    default:
      return choices?.length
        ? choices.map((one) => toChoice(String(one.value), one.name))
        : undefined;
  }
}

function toChoice(value: string, label: string): Choice {
  return { value, label };
}

type Value = string | number | boolean | string[];

export interface CommandRequest {
  name: string;
  subcommand?: string;
  options: Record<string, Value>;
}

/**
 * A call of a command, with texts converted to the numbers and booleans its options need. The
 * server checks the rest.
 * @throws {ControlError} when a text can't be converted
 */
export function toInvocation(
  commands: Command[],
  { name, subcommand, options }: CommandRequest,
  files: Record<string, SentFile[]>,
  focused?: string,
): { name: string; options: GivenOption[] } {
  const path = subcommand?.split(' ').filter(Boolean) ?? [];
  const defined = findOptions(commands, name, path);
  const given: GivenOption[] = Object.entries(options)
    .filter(([key, value]) => value !== '' || key === focused)
    .map(([key, value]) => {
      const option = defined.find(({ name }) => name === key);
      return { name: key, value: toValue(option, value), focused: key === focused };
    });
  for (const [key, [file]] of Object.entries(files)) {
    if (file) given.push({ name: key, file });
  }
  const nested = path.reduceRight<GivenOption[]>(
    (inner, part) => [{ name: part, options: inner }],
    given,
  );
  return { name, options: nested };
}

function findOptions(commands: Command[], name: string, path: string[]): CommandOption[] {
  let options = commands.find((command) => command.name === name)?.options ?? [];
  for (const part of path) options = options.find((option) => option.name === part)?.options ?? [];
  return options;
}

function toValue(option: CommandOption | undefined, value: Value): string | number | boolean {
  if (Array.isArray(value)) throw new ControlError(400, `${option?.name}: accepts only one value.`);
  if (typeof value !== 'string') return value;
  if (option?.type === OptionType.Boolean && /^(true|false)$/.test(value)) return value === 'true';
  const isNumber = option?.type === OptionType.Integer || option?.type === OptionType.Number;
  if (!isNumber || value.trim() === '') return value;
  const number = Number(value);
  if (Number.isNaN(number))
    throw new ControlError(400, `${option.name}: ${value} is not a number.`);
  return number;
}
