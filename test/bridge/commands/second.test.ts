import { expect, test } from 'vitest';
import { openCommands } from './open-commands.ts';
import { toPress } from '../../fixtures/press.ts';

test('a second tag of a name is created only once somebody confirms', async () => {
  await using commands = await openCommands();
  const names = async () =>
    (await commands.client.listSourceTags(commands.chatbot)).map(({ name }) => name);
  await commands.use('tag create', { name: 'Lamps', color: 'teal' });
  const [asked] = await commands.use('tag create', { name: 'lamps', color: 'red' });
  expect(asked).toMatchObject({
    markdown: 'There is a tag **lamps** already. Should there be a second one?',
    isPrivate: true,
  });
  expect(await names()).toEqual(['Lamps']);
  await commands.press(asked, 'Yes, a second one');
  expect((await names()).toSorted()).toEqual(['Lamps', 'lamps']);
});

test('a tag gets the name of another one only once somebody confirms', async () => {
  await using commands = await openCommands();
  await commands.use('tag create', { name: 'Lamps', color: 'teal' });
  await commands.use('tag create', { name: 'Keys', color: 'teal' });
  const [asked] = await commands.use('tag update', { tag: 'Keys', name: 'Lamps' });
  expect(asked?.markdown).toContain('There is a tag **Lamps** already');
  expect(await commands.last('tag update', { tag: 'Keys', name: 'KEYS' })).toContain('KEYS');
});

test('a second answer to a question is added only once somebody confirms', async () => {
  await using commands = await openCommands();
  const { client, chatbot, runner } = commands;
  const question = 'Who built it?';
  await commands.use('source qa', { question, answer: 'Ada *Fresnel*' });
  const again = { question: ' who built it? ', answer: 'Nobody' };
  const [asked] = await commands.use('source qa', again);
  expect(asked).toMatchObject({
    markdown: expect.stringMatching(/^There is an answer .+:\n> Ada \*Fresnel\*\n\nShould/),
    isPrivate: true,
  });
  expect(await client.listDataSources(chatbot)).toHaveLength(1);
  const yes = asked?.buttons?.find(({ label }) => label === 'Yes, a second one');
  const { place, results } = await runner.press(toPress(yes?.id ?? '', commands.context()));
  // That there is an answer is for everyone.
  expect(place).toBe('instead');
  await Array.fromAsync(results);
  expect(await client.listDataSources(chatbot)).toHaveLength(2);
});

test('a suggested question that is clicked twice is asked once, for each person, and later again', async () => {
  let time = 0;
  await using commands = await openCommands({ now: () => time });
  const { asked, runner, context } = commands;
  const press = async (id: string) => {
    const requester = { id, name: id, isManager: true };
    const pressed = toPress('ask.0', context({ requester }), 'Who built it?');
    await Array.fromAsync((await runner.press(pressed)).results);
  };
  await Promise.all([press('U1'), press('U1'), press('U2')]);
  expect(asked).toEqual(['Who built it?', 'Who built it?']);
  time += 60_000;
  await press('U1');
  expect(asked).toHaveLength(3);
});
