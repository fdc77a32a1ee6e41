import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Command } from '../../../src/bridge/commands/command.ts';
import { listShortcuts } from '../../../src/bridge/commands/invocation.ts';
import type { Option } from '../../../src/bridge/commands/option.ts';
import { createManifest } from '../../../src/app/manifest.ts';
import { commands } from '../../../src/bridge/commands/commands.ts';
import { english } from '../../../src/bridge/texts/texts.ts';
import { createAppManifest } from '../../../src/sandbox/slack/manifest.ts';
import { type Manifest, mutations } from './manifest-mutations.ts';
import { commandNames } from '../../fixtures/command-names.ts';

const says = english.descriptions;
const declared = { commands };
const manifest = JSON.parse(
  createManifest(commandNames({ prefix: 'kb-', slackShort: true })),
) as Manifest;
const overHttp = JSON.parse(
  createManifest(commandNames({ slackShort: true }), { origin: 'https://bot.example' }),
) as Manifest;

/** Slack's longest usage hint; a longer one is cut there. */
const maxHintLength = 1_000;

describe('the manifest and the list', () => {
  const { slash_commands: commands, shortcuts } = manifest.features;

  it('have the same commands', () => {
    expect(commands.map(({ command, description }) => [command, description])).toEqual([
      ['/causeway', 'Answers from what you taught it, in threads'],
      ...declared.commands.map(({ name, description }) => [`/kb-${name}`, says[description]]),
    ]);
  });

  it('name every command in the hint of the one command', () => {
    expect(commands[0]).toMatchObject({
      command: '/causeway',
      usage_hint: 'ask | source | tag | agent | chatbot | session | handover | gaps | help',
    });
  });

  it.each(declared.commands)('have the same actions and options of $name', (command) => {
    const hint = commands.find((each) => each.command === `/kb-${command.name}`)?.usage_hint ?? '';
    const expected = actionsOf(command).map(([name, action]) => [name, ...typableOf(action)]);
    const shown = readHint(hint, 'action' in command);
    // The last action and option of a hint that was cut may be cut themselves.
    const isCut = hint.length >= maxHintLength;
    const whole = isCut ? shown.slice(0, -1) : shown;
    expect(whole).toEqual(isCut ? expected.slice(0, whole.length) : expected);
  });

  it('have the same shortcuts', () => {
    expect(shortcuts.map(({ name, description }) => ({ name, description }))).toEqual(
      listShortcuts(declared.commands).map(({ name, description }) => ({
        name: says[name],
        description: says[description],
      })),
    );
  });
});

function actionsOf(command: Command): [string, Action][] {
  return 'action' in command ? [['', command.action]] : Object.entries(command.actions);
}

/** Files can't be typed. */
function typableOf({ options }: Action): string[] {
  return Object.entries<Option>(options)
    .filter(([, { type }]) => type !== 'file')
    .map(([name, { required }]) => (required ? `<${name}>` : `[${name}]`));
}

/** `list [--filter "…"] | show <source>`, as names of actions and of what they take. */
function readHint(hint: string, isSingle: boolean): string[][] {
  return hint.split(' | ').map((usage) => {
    const name = isSingle ? '' : (/^[\w-]+/.exec(usage)?.[0] ?? '');
    const options = usage.match(/<[\w-]+>|\[--[\w-]+/g) ?? [];
    return [name, ...options.map((each) => each.replace(/^\[--(.*)$/, '[$1]'))];
  });
}

describe('the sandbox', () => {
  it.each([
    ['by Socket Mode', manifest],
    ['by HTTP', overHttp],
  ])('takes the manifest %s', (_, given) => {
    const app = createAppManifest();
    app.install(given);
    expect(app.shortcuts()).toHaveLength(listShortcuts(declared.commands).length);
  });

  it('takes what goes to its limits', () => {
    const longest = structuredClone(manifest);
    const { slash_commands: commands } = longest.features;
    const [first] = commands;
    if (!first) throw new Error('no command');
    Object.assign(first, {
      command: `/${'x'.repeat(31)}`,
      description: 'x'.repeat(2_000),
      usage_hint: 'x'.repeat(1_000),
    });
    while (commands.length < 50) {
      commands.push({ command: `/more-${commands.length}`, description: 'More' });
    }
    longest.display_information.description = 'x'.repeat(140);
    expect(() => createAppManifest().install(longest)).not.toThrow();
  });

  it.each(Object.entries(mutations))('refuses the manifest with %s', (_, mutate) => {
    const app = createAppManifest();
    app.install(manifest);
    const before = app.shortcuts();
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (place, excess) => {
        const broken = structuredClone(manifest);
        mutate(broken, place, excess);
        expect(() => app.install(broken)).toThrow(/^The manifest is invalid: .*\/manifest\//);
      }),
      { numRuns: 8 },
    );
    expect(app.shortcuts()).toEqual(before);
  });
});
