import { expect, test } from 'vitest';
import type { Result } from '../../../src/bridge/commands/invocation.ts';
import { openCommands } from './open-commands.ts';
import { textFile, toPress } from '../../fixtures/press.ts';

/** Whether only the requester sees each of these. */
const arePrivate = (shown: readonly Result[]) =>
  shown.length > 0 && shown.every(({ isPrivate }) => isPrivate === true);

const handbook = () => textFile('handbook.md', '# Handbook\n\nThe lighthouse opens at nine.\n');
const member = { requester: { id: 'U2', name: 'Linus', isManager: false } };

test('that a source is added and ready is for everyone', async () => {
  await using commands = await openCommands();
  const shown = await commands.use('source upload', { file: handbook() });
  expect(shown.at(-1)?.markdown).toContain('is ready');
  expect(shown.filter(({ isPrivate }) => isPrivate)).toEqual([]);
});

test('what is wrong with a command is for the requester alone', async () => {
  await using commands = await openCommands();
  const mistyped = await commands.use('source url', { url: 'htp:/example' });
  expect(mistyped.map(({ markdown }) => markdown)).toEqual([
    expect.stringContaining('isn’t a web address.'),
  ]);
  expect(arePrivate(mistyped)).toBe(true);
  const urls = Array.from({ length: 21 }, (_, index) => `https://example.com/${index}`);
  expect(arePrivate(await commands.use('source url', { url: urls.join(' ') }))).toBe(true);
  expect(arePrivate(await commands.use('source retry'))).toBe(true);
  expect(arePrivate(await commands.use('source url', { url: 'https://a.b' }, member))).toBe(true);
  expect(arePrivate(await commands.use('source qa', { question: 'Why?' }))).toBe(true);
});

test('that a name is not clear is for the requester alone, and what follows for everyone', async () => {
  await using commands = await openCommands();
  await commands.use('source upload', { file: handbook() });
  const guessed = await commands.use('source refresh', { sources: 'handb' });
  expect(guessed[0]?.markdown).toContain('Did you mean');
  expect(arePrivate(guessed)).toBe(true);
  const [button] = guessed[0]?.buttons ?? [];
  const pressed = await commands.runner.press(toPress(button?.id ?? '', commands.context()));
  expect(pressed).toMatchObject({ place: 'instead', at: { channel: 'C' } });
});

test('that a file is refused, or is there already, is for the requester alone', async () => {
  await using commands = await openCommands();
  const picture = { file: textFile('scan.png', '\u0089PNG\r\n\u001a\n') };
  const refused = await commands.use('source upload', picture);
  // A result that says the same is not shown again: the first has to say it.
  expect(refused.find(({ markdown }) => markdown.startsWith('❌'))).toMatchObject({
    isPrivate: true,
    isRefused: true,
  });
  await commands.use('source upload', { file: handbook() });
  const again = await commands.use('source upload', { file: handbook() });
  expect(again.at(-1)).toMatchObject({
    markdown: expect.stringContaining('already a source'),
    isPrivate: true,
  });
});

test('that a source can’t be read is for the requester alone', async () => {
  await using commands = await openCommands();
  const shown = await commands.use('source url', { url: 'http://127.0.0.1:9/' });
  expect(shown.at(-1)).toMatchObject({
    markdown: expect.stringContaining('could not be added'),
    isPrivate: true,
  });
});
