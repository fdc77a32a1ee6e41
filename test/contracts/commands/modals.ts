import { expect, test } from 'vitest';
import type { Option } from '../../../src/bridge/commands/option.ts';
import type { NamedAction } from './completeness.ts';
import type { Asked } from './seat.ts';
import { plausibleValue } from './wrong-values.ts';
import type { World } from './world.ts';

/**
 * What is missing is asked for by a form that begins with what was given, or not sent at all by the
 * platform's client.
 */
export function testMissingValues({ words, action }: NamedAction, world: () => World): void {
  const options = Object.entries<Option>(action.options);
  const required = options.filter(([, option]) => option.required).map(([name]) => name);
  if (required.length === 0) return;

  test('asks for what is missing', async () => {
    const asked = await world().manager.begin({ command: words, values: {} });
    expectAsked(asked, {
      missing: new RegExp(`needs the option (?:${required.join('|')})`),
      // What is to be changed is asked for first: the rest then begins with what stands there.
      form: (fields) =>
        expect(Object.keys(fields)).toEqual(
          options.map(([name]) => name).slice(0, action.initialValues ? 1 : undefined),
        ),
    });
  });

  const typed = options.find(([, option]) => option.type === 'text' && !option.required);
  if (!typed || action.initialValues) return;
  const [name, option] = typed;

  test('keeps what was given', async () => {
    const value = plausibleValue(option);
    const asked = await world().manager.begin({ command: words, values: { [name]: value } });
    expectAsked(asked, { form: (fields) => expect(fields[name]).toBe(value) });
  });
}

/** What is true of the form that opened, or, where the platform's client refused, what it said. */
function expectAsked(
  asked: Asked,
  {
    form,
    missing = /needs the option/,
  }: { form(fields: Record<string, string>): void; missing?: RegExp },
): void {
  if (asked.kind === 'form') {
    form(asked.fields);
    return;
  }
  expect(asked.text).toMatch(missing);
}

/** A change of which only the thing to change was said: what stands there now, by field. */
interface PresentValues {
  command: string;
  option: string;
  name?: string;
  given(world: World): Promise<unknown>;
  stands: Record<string, string>;
}

const thing = 'Stands as it is';

const presentValues: readonly PresentValues[] = [
  {
    command: 'source rename',
    option: 'source',
    async given({ addSource, client }) {
      const { uuid } = await addSource('Has another title');
      await client.updateDataSource(uuid, { title: thing });
    },
    stands: { title: thing },
  },
  {
    command: 'source answer',
    option: 'gap',
    name: 'Is that always known, too?',
    given: ({ converse }) => converse('Is that always known, too?'),
    stands: { question: 'Is that always known, too?' },
  },
  {
    command: 'tag update',
    option: 'tag',
    given: ({ client, chatbot }) =>
      client.createSourceTag(chatbot, { name: thing, color: '#0d9488' }),
    stands: { name: thing, color: '#0d9488' },
  },
  {
    command: 'agent update',
    option: 'agent',
    given: ({ client, chatbot }) =>
      client.createAgent(chatbot, {
        name: thing,
        type: 'user-facing',
        description: 'For the night',
        prompt: 'Be quiet.',
        model: 'large',
        temperature: 0.5,
      }),
    stands: {
      name: thing,
      description: 'For the night',
      prompt: 'Be quiet.',
      model: 'large',
      temperature: '0.5',
    },
  },
  {
    command: 'agent sources',
    option: 'agent',
    name: `${thing} too`,
    given: ({ client, chatbot }) =>
      client.createAgent(chatbot, { name: `${thing} too`, type: 'user-facing' }),
    stands: { 'all-sources': 'yes' },
  },
  {
    command: 'chatbot update',
    option: 'chatbot',
    given: ({ client }) => client.createChatbot({ name: thing, visibility: 'hybrid' }),
    stands: { name: thing, visibility: 'hybrid', messages: '20', seconds: '240' },
  },
];

/**
 * A change of which only the thing was said opens a form with what stands there, or is not sent by
 * the platform's client, where more is needed.
 */
export function testPresentValues({ words, action }: NamedAction, world: () => World): void {
  if (!action.initialValues) return;
  const present = presentValues.find(({ command }) => command === words);
  const others = Object.values<Option>(action.options).slice(1);

  test('begins with what stands there', async () => {
    if (!present) throw new Error('it is not said what stands there');
    const { option, name = thing, given, stands } = present;
    await given(world());
    const asked = await world().manager.begin({ command: words, values: { [option]: name } });
    expect(asked.kind === 'form' || others.some(({ required }) => required)).toBe(true);
    expectAsked(asked, { form: (fields) => expect(fields).toMatchObject(stands) });
  });
}
