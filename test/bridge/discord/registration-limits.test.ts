import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Action, Command } from '../../../src/bridge/commands/command.ts';
import { commands } from '../../../src/bridge/commands/commands.ts';
import { listShortcuts } from '../../../src/bridge/commands/invocation.ts';
import type { Option } from '../../../src/bridge/commands/option.ts';
import { renderCommands } from '../../../src/bridge/discord/render-commands.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import {
  type CommandRegistry,
  createCommandRegistry,
} from '../../../src/sandbox/discord/application-commands/command-registry.ts';
import type { CommandOption } from '../../../src/sandbox/discord/application-commands/command-schema.ts';
import { DiscordRefusal } from '../../../src/sandbox/discord/refusals.ts';
import { createRecords } from '../../../src/sandbox/records.ts';
import { openDatabase } from '../../../src/sandbox/schema.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';
import { openServer } from './open-server.ts';
import { mutations, type Registered, textOption } from './registration-mutations.ts';

const declared = createPlainRunner({
  commands,
  names: { prefix: 'kb-' },
  async *run() {
    yield* [];
  },
});
const says = english.descriptions;
const maxFileBytes = 25 * 1024 * 1024;

/** As it goes over the wire. */
const registered = JSON.parse(
  JSON.stringify(renderCommands(declared, maxFileBytes)),
) as Registered[];

test('the commands are registered as they are declared, through the unmodified library', async () => {
  await using server = await openServer();
  await server.connect({ commands: declared, maxFileBytes });
  const chatInput = server.discord.commands().filter(({ type }) => type === 1);
  expect(chatInput.map(({ name }) => name)).toEqual(
    declared.commands.map(({ name }) => `kb-${name}`),
  );
  expect(chatInput).toMatchObject(registered);
  const inMenu = server.discord.commands().filter(({ type }) => type === 3);
  expect(inMenu.map(({ name }) => name)).toEqual(
    listShortcuts(declared.commands).map(({ name }) => says[name]),
  );
});

describe('the payload and the list', () => {
  const actionsOf = (command: Command): [string | undefined, Action][] =>
    'action' in command ? [[undefined, command.action]] : Object.entries(command.actions);

  const inTable = declared.commands.flatMap((command) =>
    actionsOf(command).flatMap(([name, { description, options }]) => {
      const path = [`kb-${command.name}`, name].filter(Boolean).join(' ');
      const declared = Object.entries<Option>(options).map(([option, what]) =>
        describeDeclared(`${path} ${option}`, what),
      );
      return [
        `${path}: ${says[name === undefined ? command.description : description]}`,
        ...declared,
      ];
    }),
  );

  const inPayload = registered.flatMap(({ name, description, options }) => {
    const subcommands = (options ?? []).filter(({ type }) => type === 1);
    const levels = subcommands.length > 0 ? subcommands : [{ name: '', description, options }];
    return levels.flatMap((level) => {
      const path = [name, level.name].filter(Boolean).join(' ');
      const given = (level.options ?? [])
        // Of several files, each further one has an option of its own.
        .filter((option) => !(option.type === 11 && /\d$/.test(option.name)))
        .map((option) => describeRegistered(`${path} ${option.name}`, option));
      return [`${path}: ${level.description}`, ...given];
    });
  });

  it('have the same commands, subcommands and options, with type, need, choices and limits', () => {
    expect(inPayload.toSorted()).toEqual(inTable.toSorted());
    expect(new Set(inTable).size).toBe(inTable.length);
  });
});

const typeNames: Record<Option['type'], number> = {
  text: 3,
  choice: 3,
  color: 3,
  date: 3,
  reference: 3,
  number: 10,
  boolean: 5,
  person: 6,
  channel: 7,
  group: 8,
  file: 11,
};

function describeDeclared(path: string, option: Option): string {
  const { type } = option;
  return JSON.stringify([
    path,
    says[option.description],
    type === 'number' && option.whole ? 4 : typeNames[type],
    option.required ?? false,
    type === 'choice' ? option.choices : [],
    type === 'color' || type === 'reference',
    type === 'number' ? [option.min, option.max] : [],
    type === 'text' ? (option.maxLength ?? null) : null,
  ]);
}

function describeRegistered(path: string, option: CommandOption): string {
  const { min_value: min, max_value: max } = option;
  return JSON.stringify([
    path,
    // What its limits are stands behind what it is.
    option.description.replace(/ \([^()]*\d[^()]*\)$/, ''),
    option.type,
    option.required ?? false,
    (option.choices ?? []).map(({ value }) => value),
    option.autocomplete ?? false,
    min === undefined ? [] : [min, max],
    option.max_length ?? null,
  ]);
}

describe('the sandbox', () => {
  function open(): CommandRegistry {
    let next = 0;
    return createCommandRegistry({
      records: createRecords(openDatabase(':memory:')),
      application: '1',
      nextId: () => String((next += 1)),
      replaced: () => undefined,
    });
  }

  it('takes the payload, and what goes to its limits', () => {
    const commands = open();
    const longest = structuredClone(registered);
    const [first] = longest;
    if (!first) throw new Error('no command');
    first.name = 'x'.repeat(32);
    first.description = 'x'.repeat(100);
    first.options = Array.from({ length: 25 }, (_, index) => textOption(`option-${index}`));
    expect(commands.replace(registered)).toHaveLength(registered.length);
    expect(commands.replace(longest)).toHaveLength(registered.length);
  });

  it.each(Object.entries(mutations))('refuses the payload with %s', (_, mutate) => {
    const commands = open();
    commands.replace(registered);
    const before = commands.list();
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 40 }), (place, excess) => {
        const broken = structuredClone(registered);
        mutate(broken, place, excess);
        expect(() => commands.replace(broken)).toThrow(DiscordRefusal);
      }),
      { numRuns: 8 },
    );
    expect(commands.list()).toEqual(before);
  });
});
