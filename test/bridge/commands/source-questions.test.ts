import { expect, test } from 'vitest';
import { openCommands, textFile } from './open-commands.ts';

const file = textFile(
  'hours.md',
  '# Museum\n\n## When does it open?\n\nThe museum opens at nine, all week.\n',
);

test('a source that is ready offers questions, and a button asks one for whoever presses it', async () => {
  await using commands = await openCommands();
  const { use, press, asked } = commands;
  const results = await use('source upload', { file });
  const last = results.at(-1);
  expect(last?.markdown).toMatch(/✅ \*\*Museum\*\* is ready[^]+Ask about it, for example:$/);
  expect(last?.buttons?.map(({ label }) => label)).toContain('When does it open?');
  // The message with the buttons stays as it is, for others to press.
  const grace = { requester: { id: 'U2', name: 'Grace', isManager: false } };
  expect(await press(last, 'When does it open?', grace)).toEqual([]);
  expect(await press(last, 'When does it open?')).toEqual([]);
  expect(asked).toEqual(['When does it open?', 'When does it open?']);
});

test('a service that knows no questions offers none', async () => {
  const answer = (request: Request) =>
    request.url.endsWith('/questions')
      ? Response.json({ error: 'No.' }, { status: 404 })
      : undefined;
  await using commands = await openCommands({ answer });
  const results = await commands.use('source upload', { file });
  expect(results.at(-1)?.markdown).toMatch(/✅ \*\*Museum\*\* is ready: \d+ tokens, \d+ B$/);
  expect(results.at(-1)?.buttons ?? []).toEqual([]);
});
