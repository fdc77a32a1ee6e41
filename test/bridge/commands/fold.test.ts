import { expect, test } from 'vitest';
import { openCommands } from './open-commands.ts';

const prompt = (length: number) => `Answer briefly. ${'x'.repeat(length)} The end.`;

async function openWithPrompt(length: number) {
  const commands = await openCommands();
  const [agent] = await commands.client.listAgents(commands.chatbot);
  await commands.client.updateAgent(agent?.uuid ?? '', { prompt: prompt(length) });
  return { commands, agent: agent?.uuid ?? '' };
}

test('a long text is cut, and a button shows all of it', async () => {
  const { commands, agent } = await openWithPrompt(3_000);
  await using _ = commands;
  const [shown] = await commands.use('agent show', { agent });
  expect(shown?.markdown).toContain('> Answer briefly.');
  expect(shown?.markdown).not.toContain('The end.');
  const [whole] = await commands.press(shown, 'Show all');
  expect(whole?.markdown).toContain('The end.');
  expect(whole?.buttons?.map(({ label }) => label)).toEqual(['Share in channel']);
});

test('a text that would fill pages comes as a file', async () => {
  const { commands, agent } = await openWithPrompt(9_000);
  await using _ = commands;
  const [shown] = await commands.use('agent show', { agent }, { locale: 'de' });
  const [whole] = await commands.press(shown, 'Alles anzeigen', { locale: 'de' });
  expect(whole?.files).toEqual([{ name: 'prompt.md', text: `${prompt(9_000)}\n` }]);
});

test('a short text has no button to show it', async () => {
  const { commands, agent } = await openWithPrompt(100);
  await using _ = commands;
  const [shown] = await commands.use('agent show', { agent });
  expect(shown?.buttons?.map(({ label }) => label)).toEqual(['Share in channel']);
});

test('the answer of a source is folded as well', async () => {
  await using commands = await openCommands();
  await commands.client.addQaSource(commands.chatbot, {
    question: 'When?',
    answer: 'Soon. '.repeat(500),
  });
  const [shown] = await commands.use('source show', { source: 'When?' });
  expect(shown?.markdown.length).toBeLessThan(2_500);
  const [whole] = await commands.press(shown, 'Show all');
  expect(whole?.markdown.length).toBeGreaterThan(3_000);
});

test('a moment is shown as the platform shows it, and in files as a person writes it', async () => {
  await using commands = await openCommands();
  const renderMoment = (seconds: number) => `<t:${seconds}:f>`;
  const shown = await commands.last('chatbot show', {}, { renderMoment });
  expect(shown).toMatch(/Created: <t:\d{10}:f>/);
  expect(await commands.last('chatbot show')).toMatch(/Created: \w{3} \d+, \d{4}, .* UTC/);
});

test('long messages of a session are cut, and a button shows all of them', async () => {
  await using commands = await openCommands();
  const { client, chatbot } = commands;
  const { uuid } = await client.createSession(chatbot);
  commands.sessions.set('T', uuid);
  await Array.fromAsync(client.streamReply(uuid, `${'Why? '.repeat(100)}Really?`));
  const [shown] = await commands.use('session show', { session: uuid });
  expect(shown?.markdown).not.toContain('Really?');
  const [whole] = await commands.press(shown, 'Show all');
  expect(whole?.markdown).toContain('Really?');
});
