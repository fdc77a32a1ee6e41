import { isDeepStrictEqual } from 'node:util';
import { type APIApplicationCommand, ApplicationCommandType, type REST, Routes } from 'discord.js';
import { growingWaitMs, retry } from '../../shared/primitives/retry.ts';
import type { CommandSet } from '../commands/invocation.ts';
import { isPassingRefusal } from '../conversation/errors.ts';
import type { DiscordContext } from './context.ts';
import { orPlatformError } from './errors.ts';
import { renderCommands, renderShortcuts } from './render-commands.ts';

/** Where commands are registered: for all servers, or for one. */
interface Scope {
  rest: REST;
  applicationId: string;
  /** The id of a server. */
  guild?: string;
}

interface Declared {
  commands: CommandSet;
  maxFileBytes?: number;
}

/** How the registered commands differ from the declared ones, by name. */
export interface Differences {
  missing: string[];
  changed: string[];
  surplus: string[];
}

/**
 * Registers the commands for all servers, and tries again what may pass. Failures are only logged:
 * without commands, or with the old ones, the bot still answers messages. Resolves after the first
 * try; never rejects.
 */
export function keepRegistered(applicationId: string, discord: DiscordContext): Promise<void> {
  const { rest, runner: commands, maxFileBytes, exclusively, log, sleep, signal } = discord;
  const tried = Promise.withResolvers<void>();
  const attempt = () =>
    exclusively('commands of Discord', async () => {
      const changed = await registerCommands({ rest, applicationId, commands, maxFileBytes });
      log.info({ changed }, 'the commands were registered with Discord');
    });
  const waitMs = (error: unknown, failures: number) => {
    log.error({ err: error }, 'the commands could not be registered with Discord');
    tried.resolve();
    if (!isPassingRefusal(error)) return undefined;
    return Math.max(growingWaitMs(failures), error.retryAfterMs ?? 0);
  };
  retry(attempt, { waitMs, sleep, signal }).then(tried.resolve, tried.resolve);
  return tried.promise;
}

/**
 * Registers the commands, replacing those registered before. Resolves with false, and changes
 * nothing, if the same commands are already registered.
 * @throws {PlatformError}
 */
export async function registerCommands({
  rest,
  applicationId,
  guild,
  ...declared
}: Scope & Declared): Promise<boolean> {
  const scope = { rest, applicationId, guild };
  const rendered = renderAll(declared);
  const { missing, changed, surplus } = findDifferences(await listCommands(scope), rendered);
  if (missing.length + changed.length + surplus.length === 0) return false;
  await putCommands(scope, rendered);
  return true;
}

/**
 * Removes every registered command.
 * @throws {PlatformError}
 */
export async function removeCommands(scope: Scope): Promise<void> {
  await putCommands(scope, []);
}

/**
 * Compares the registered commands with the declared ones.
 * @throws {PlatformError}
 */
export async function compareCommands({
  rest,
  applicationId,
  guild,
  ...declared
}: Scope & Declared): Promise<Differences> {
  return findDifferences(await listCommands({ rest, applicationId, guild }), renderAll(declared));
}

function findDifferences(registered: readonly Named[], rendered: readonly Named[]): Differences {
  const known = new Map(registered.map((command) => [keyOf(command), command]));
  const wanted = new Map(rendered.map((command) => [keyOf(command), command]));
  const isChanged = ([key, command]: [string, Named]) => {
    const found = known.get(key);
    return found !== undefined && !isDeepStrictEqual(essenceOf(found), essenceOf(command));
  };
  return {
    missing: namesOf([...wanted].filter(([key]) => !known.has(key))),
    changed: namesOf([...wanted].filter(isChanged)),
    surplus: namesOf([...known].filter(([key]) => !wanted.has(key))),
  };
}

/**
 * The registered commands.
 * @throws {PlatformError}
 */
export async function listCommands(scope: Scope): Promise<APIApplicationCommand[]> {
  // Otherwise Discord omits the other languages.
  const query = new URLSearchParams({ with_localizations: 'true' });
  const listed = await orPlatformError(scope.rest.get(routeOf(scope), { query }));
  return listed as APIApplicationCommand[];
}

async function putCommands(scope: Scope, body: unknown[]): Promise<void> {
  await orPlatformError(scope.rest.put(routeOf(scope), { body }));
}

function routeOf({ applicationId, guild }: Scope) {
  return guild
    ? Routes.applicationGuildCommands(applicationId, guild)
    : Routes.applicationCommands(applicationId);
}

function renderAll({ commands, maxFileBytes }: Declared) {
  return [...renderCommands(commands, maxFileBytes), ...renderShortcuts(commands)];
}

interface Named {
  type?: ApplicationCommandType;
  name: string;
}

function namesOf(commands: [key: string, { name: string }][]): string[] {
  return commands.map(([, { name }]) => name);
}

function keyOf({ type = ApplicationCommandType.ChatInput, name }: Named): string {
  return `${type} ${name}`;
}

/** What a registered command has in common with the declared one, at every level. */
const compared = new Set(
  'type name name_localizations description description_localizations contexts integration_types options required autocomplete max_length min_value max_value choices value channel_types'.split(
    ' ',
  ),
);

/** Those fields, without what is empty: Discord omits some of it. It lists numbers in any order. */
function essenceOf(declared: unknown): unknown {
  if (Array.isArray(declared)) {
    const parts = declared.map(essenceOf);
    return parts.every((part) => typeof part === 'number')
      ? parts.toSorted((a, b) => a - b)
      : parts;
  }
  if (typeof declared !== 'object' || declared === null) return declared;
  const fields = Object.entries(declared).flatMap(([name, field]) => {
    if (!compared.has(name)) return [];
    const kept = name.endsWith('_localizations') ? field : essenceOf(field);
    return isEmpty(kept) ? [] : [[name, kept]];
  });
  return Object.fromEntries(fields);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return !value && value !== 0;
}
