import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Option } from '../../src/bridge/commands/option.ts';
import { commands } from '../../src/bridge/commands/commands.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { actionsOf, type NamedAction } from './commands/completeness.ts';
import { testMissingValues, testPresentValues } from './commands/modals.ts';
import { testOperations } from './commands/operations.ts';
import { testMentionCommands } from './commands/mention-commands.ts';
import { type Scenario, textFile, toValues } from './commands/scenario.ts';
import { scenarios } from './commands/scenarios.ts';
import type { Seats, Use } from './commands/seat.ts';
import { testSuggestions } from './commands/suggestions.ts';
import { openWorld, type World } from './commands/world.ts';
import { plausibleValue, wrongValues } from './commands/wrong-values.ts';

const actions = actionsOf(commands);

/** What the commands do on every platform, through its unmodified library and the sandbox. */
export function testCommands(platform: string, seats: (sandbox: Sandbox) => Seats): void {
  describe(`commands on ${platform}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(seats);
    });
    afterAll(() => world[Symbol.asyncDispose]());

    describe('the operations of the interface', () => {
      testOperations(() => world);
    });

    describe('said in a thread', () => {
      testMentionCommands(() => world);
    });

    describe.each(actions)('/$words', ({ words, action }) => {
      const isHere = ({ command }: Scenario) => command === words;
      const mayAll = action.managersOnly === undefined;

      test.each(scenarios.works.filter(isHere))('$does', (scenario) =>
        runScenario(world, scenario, mayAll),
      );
      test.each(scenarios.refuses.filter(isHere))('refuses $does', (scenario) =>
        runScenario(world, scenario, mayAll),
      );
      test.each(action.managersOnly ? ['member'] : [])('is refused to a %s', async () => {
        const use = { command: words, ...plausibly(action) };
        expect(await world.member.attempt(use)).toMatch(/^Only managers can do that/);
      });
      test.each(wrongOptions({ words, action }))('refuses a $name that is wrong', (wrong) =>
        refuseWrong(world, { words, action }, wrong),
      );
      testMissingValues({ words, action }, () => world);
      testPresentValues({ words, action }, () => world);
      testSuggestions({ words, action }, () => world);
    });
  });
}

async function runScenario(world: World, scenario: Scenario, mayAll: boolean): Promise<void> {
  const { command, files, button, by = mayAll ? 'member' : 'manager', shows } = scenario;
  const given = (await scenario.given?.(world)) ?? {};
  const values = toValues(scenario, given);
  const use: Use = { command, values, button, ...(files && { files }) };
  const seen = await world[by].use(use, shows instanceof RegExp ? shows : shows(given));
  await scenario.check?.(world, seen, given);
}

interface NamedOption {
  name: string;
  option: Option;
}

function wrongOptions({ action }: NamedAction): NamedOption[] {
  return Object.entries<Option>(action.options)
    .map(([name, option]) => ({ name, option }))
    .filter(({ option }) => wrongValues(option).length > 0);
}

async function refuseWrong(
  { manager, clientRefuses }: World,
  { words, action }: NamedAction,
  { name, option }: NamedOption,
): Promise<void> {
  for (const { value, says } of wrongValues(option)) {
    const { values, files } = plausibly(action);
    const use =
      typeof value === 'string'
        ? { values: { ...values, [name]: value }, ...(files && { files }) }
        : { values, files: value };
    const text = await manager.attempt({ command: words, ...use });
    const byClient = clientRefuses[option.type];
    if (byClient?.test(text)) continue;
    expect(text).toContain(`**${name}**`);
    expect(text).toMatch(says);
  }
}

/** Something for every option, so that nothing but what a test is about is wrong or missing. */
function plausibly(action: NamedAction['action']): Omit<Use, 'command'> {
  const options = Object.entries<Option>(action.options);
  const values = options.filter(([, option]) => option.type !== 'file' && option.required);
  const optional = options.find(([, option]) => option.type !== 'file' && !option.required);
  const given = action.initialValues && optional ? [...values, optional] : values;
  const takesFiles = options.some(([, option]) => option.type === 'file');
  return {
    values: Object.fromEntries(given.map(([name, option]) => [name, plausibleValue(option)])),
    ...(takesFiles && { files: [textFile('some.txt', 'Some text.')] }),
  };
}
