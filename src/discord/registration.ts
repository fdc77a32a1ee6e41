import { createHash } from 'node:crypto';
import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandType,
  type REST,
  Routes,
} from 'discord.js';
import type { CommandSet } from '../commands/invocation.ts';
import { toPlatformError } from './errors.ts';
import { renderCommands, renderShortcuts } from './render-commands.ts';

/**
 * Registers the commands for all servers, replacing those registered before. Resolves with false,
 * and changes nothing, if the same commands are already registered.
 * @throws {PlatformError}
 */
export async function registerCommands(options: {
  rest: REST;
  applicationId: string;
  commands: CommandSet;
  maxFileBytes?: number;
}): Promise<boolean> {
  const { rest, applicationId, commands, maxFileBytes } = options;
  const route = Routes.applicationCommands(applicationId);
  // Without it, Discord lists commands without their other languages.
  const query = new URLSearchParams({ with_localizations: 'true' });
  const body = [...renderCommands(commands, maxFileBytes), ...renderShortcuts(commands)];
  try {
    const registered = (await rest.get(route, { query })) as APIApplicationCommand[];
    if (hashOf(registered) === hashOf(body)) return false;
    await rest.put(route, { body });
    return true;
  } catch (error) {
    throw toPlatformError(error);
  }
}

type Localizations = Readonly<Record<string, string | null | undefined>> | null | undefined;

/** The fields that decide whether a registered command equals the declared one. */
interface ComparedCommand {
  type?: ApplicationCommandType;
  name: string;
  description?: string;
  description_localizations?: Localizations;
  name_localizations?: Localizations;
  contexts?: readonly number[] | null;
  integration_types?: readonly number[];
  options?: readonly APIApplicationCommandOption[];
}

/**
 * A hash that does not depend on the fields Discord adds or on the order in which it lists
 * commands.
 */
function hashOf(commands: readonly ComparedCommand[]): string {
  const essence = commands
    .map(
      ({ type, name, description = '', contexts, integration_types, options = [], ...more }) => ({
        type: type ?? ApplicationCommandType.ChatInput,
        name,
        description,
        localized: [sorted(more.name_localizations), sorted(more.description_localizations)],
        contexts: contexts?.toSorted((a, b) => a - b),
        integrationTypes: integration_types?.toSorted((a, b) => a - b),
        options: options.map(essenceOf),
      }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(essence)).digest('hex');
}

function essenceOf(option: APIApplicationCommandOption): object {
  const { type, name, description, required = false } = option;
  const options = 'options' in option ? (option.options ?? []).map(essenceOf) : [];
  const choices =
    'choices' in option
      ? (option.choices ?? []).map(({ value, name_localizations: names }) => [value, sorted(names)])
      : [];
  return {
    type,
    name,
    description,
    localized: sorted(option.description_localizations),
    required,
    autocomplete: 'autocomplete' in option ? (option.autocomplete ?? false) : false,
    limits: [
      'max_length' in option ? option.max_length : undefined,
      'min_value' in option ? option.min_value : undefined,
      'max_value' in option ? option.max_value : undefined,
    ],
    choices,
    channels: 'channel_types' in option ? (option.channel_types ?? []) : [],
    options,
  };
}

/** Discord lists languages in any order, and omits the field if there are none. */
function sorted(localizations: Localizations): [locale: string, text: string | null | undefined][] {
  return Object.entries(localizations ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
