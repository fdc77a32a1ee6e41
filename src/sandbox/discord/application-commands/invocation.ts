import { isOfType, type Upload } from '../attachments.ts';
import { type Channel, ChannelType } from '../documents.ts';
import { may, memberOf, Permission, permissionsOf } from '../permissions.ts';
import { mistake } from '../refusals.ts';
import { renderMember, renderPartialChannel, renderRole, renderUser } from '../render.ts';
import type { DiscordState } from '../state.ts';
import type { Command } from './command-registry.ts';
import { type CommandOption, isNested, OptionType } from './command-schema.ts';

/** An option's value; a subcommand has options instead. */
export interface GivenOption {
  name: string;
  value?: string | number | boolean;
  file?: Upload;
  /** Whether this option is being autocompleted. */
  focused?: boolean;
  options?: GivenOption[];
}

/** Options as in an interaction, and the resources they refer to. */
export interface ResolvedOptions {
  options: object[];
  resolved: Record<string, Record<string, object>>;
}

/** Where options are given. */
interface Place {
  state: DiscordState;
  channel: Channel;
  /** During autocomplete, values are incomplete. */
  completing: boolean;
}

interface Invocation extends Place {
  resolved: ResolvedOptions['resolved'];
}

/** @throws {DiscordRefusal} when a person may not use a command in a channel */
export function checkMayInvoke(
  state: DiscordState,
  user: string,
  channel: Channel,
  command: Command,
): void {
  const isDirect = channel.type === ChannelType.Direct;
  if (!may(state, user, Permission.ViewChannel, channel))
    throw mistake('This person cannot see the channel.');
  if (!may(state, user, Permission.UseApplicationCommands, channel)) {
    throw mistake('This person cannot use commands in this channel.');
  }
  const context = isDirect ? 1 : 0;
  const isHere = command.contexts ? command.contexts.includes(context) : true;
  if (!isHere || (isDirect && command.dm_permission === false)) {
    throw mistake(`/${command.name} cannot be used ${isDirect ? 'in direct messages' : 'here'}.`);
  }
  if (isDirect || typeof command.default_member_permissions !== 'string') return;
  const needed = BigInt(command.default_member_permissions);
  const granted = permissionsOf(state, user, channel);
  const isAdministrator = (granted & Permission.Administrator) !== 0n;
  if (isAdministrator || (needed !== 0n && (granted & needed) === needed)) return;
  throw mistake(`/${command.name} needs permissions this member does not have.`);
}

/**
 * The options of a call, checked as Discord's client checks them.
 * @throws {DiscordRefusal} when they do not fit the command
 */
export async function resolveOptions(
  place: Place,
  command: Command,
  given: GivenOption[],
): Promise<ResolvedOptions> {
  const invocation = { ...place, resolved: {} };
  const options = await resolveLevel(invocation, `/${command.name}`, command.options ?? [], given);
  return { options, resolved: invocation.resolved };
}

/** The names of the subcommand that was given, and of its group. */
export function pathOf(
  defined: CommandOption[] | null | undefined,
  given: GivenOption[],
): string[] {
  const [one] = given;
  const option = defined?.find(({ name }) => name === one?.name);
  if (!one || !option || !isNested(option)) return [];
  return [option.name, ...pathOf(option.options, one.options ?? [])];
}

async function resolveLevel(
  invocation: Invocation,
  path: string,
  defined: CommandOption[],
  given: GivenOption[],
): Promise<object[]> {
  const subcommands = defined.filter(isNested);
  if (subcommands.length > 0 && given.length !== 1) {
    throw mistake(`${path} needs one of: ${subcommands.map(({ name }) => name).join(', ')}.`);
  }
  for (const option of defined) {
    const isGiven = given.some(({ name }) => name === option.name);
    if (option.required && !isGiven && !invocation.completing) {
      throw mistake(`${path} needs the option ${option.name}.`);
    }
  }
  const options: object[] = [];
  for (const one of given) {
    const option = defined.find(({ name }) => name === one.name);
    if (!option) throw mistake(`${path} has no option ${one.name}.`);
    options.push(await resolveOption(invocation, path, option, one));
  }
  return options;
}

async function resolveOption(
  invocation: Invocation,
  path: string,
  option: CommandOption,
  given: GivenOption,
): Promise<object> {
  const { type, name } = option;
  const here = `${path} ${name}`;
  if (isNested(option)) {
    const nested = await resolveLevel(invocation, here, option.options ?? [], given.options ?? []);
    return { type, name, options: nested };
  }
  if (type === OptionType.Attachment) {
    return { type, name, value: await resolveFile(invocation, here, option, given.file) };
  }
  const { value } = given;
  if (given.focused) {
    if (!option.autocomplete) throw mistake(`${here} has no autocomplete.`);
    return { type, name, value: value ?? '', focused: true };
  }
  if (value === undefined) throw mistake(`${here} needs a value.`);
  checkValue(here, option, value);
  if (typeof value === 'string') resolveReference(invocation, here, type, value);
  return { type, name, value };
}

async function resolveFile(
  { state, channel, resolved }: Invocation,
  here: string,
  { file_types: types }: CommandOption,
  file: Upload | undefined,
): Promise<string> {
  if (!file) throw mistake(`${here} needs a file.`);
  if (!isOfType(file.name, types)) {
    throw mistake(`${here} accepts only these file types: ${types?.join(', ')}.`);
  }
  const [id] = await state.attachments.store(channel.id, [file], { ephemeral: true });
  const [attachment] = id ? state.attachments.render([id]) : [];
  if (!id || !attachment) throw mistake(`${here}: the file could not be stored.`);
  resolved['attachments'] = { ...resolved['attachments'], [id]: attachment };
  return id;
}

function checkValue(here: string, option: CommandOption, value: string | number | boolean): void {
  const { type, choices, min_value, max_value, min_length, max_length } = option;
  const expected = expectedType(type);
  if (typeof value !== expected) throw mistake(`${here} must be a ${expected}.`);
  if (type === OptionType.Integer && !Number.isInteger(value)) {
    throw mistake(`${here} must be an integer.`);
  }
  if (choices?.length && !choices.some((choice) => choice.value === value)) {
    throw mistake(`${here} must be one of: ${choices.map((choice) => choice.value).join(', ')}.`);
  }
  const isText = type === OptionType.String;
  const [size, unit] = isText ? [String(value).length, ' characters'] : [Number(value), ''];
  const min = isText ? min_length : min_value;
  const max = isText ? (max_length ?? 6000) : max_value;
  if (typeof min === 'number' && size < min) {
    throw mistake(`${here} must have at least ${min}${unit}.`);
  }
  if (typeof max === 'number' && size > max) {
    throw mistake(`${here} must have at most ${max}${unit}.`);
  }
}

function expectedType(type: number): 'string' | 'number' | 'boolean' {
  if (type === OptionType.Boolean) return 'boolean';
  return type === OptionType.Integer || type === OptionType.Number ? 'number' : 'string';
}

/** Adds the user, channel or role of an option to the interaction's resolved resources. */
function resolveReference(
  { state, channel, resolved }: Invocation,
  here: string,
  type: number,
  id: string,
): void {
  const { documents, self } = state;
  const add = (kind: string, document: object) => {
    resolved[kind] = { ...resolved[kind], [id]: document };
  };
  const takesUsers = type === OptionType.User || type === OptionType.Mentionable;
  const takesRoles = type === OptionType.Role || type === OptionType.Mentionable;
  if (!takesUsers && !takesRoles && type !== OptionType.Channel) return;

  const user = takesUsers ? documents.users.get(id) : undefined;
  const member = user && memberOf(state, channel.guild, id);
  const role = takesRoles ? documents.roles.get(id) : undefined;
  const other = type === OptionType.Channel ? documents.channels.get(id) : undefined;
  if (user) add('users', renderUser(user));
  if (member) {
    const permissions = permissionsOf(state, id, undefined, channel.guild).toString();
    const { deaf: _deaf, mute: _mute, ...partial } = renderMember(member);
    add('members', { ...partial, permissions });
  }
  if (role) add('roles', renderRole(role, self.user));
  if (other) add('channels', { ...renderPartialChannel(other), permissions: '0' });
  if (!user && !role && !other)
    throw mistake(`${here}: there is no “${id}”. Choose one from the list.`);
}
