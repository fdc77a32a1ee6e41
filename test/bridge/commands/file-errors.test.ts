import { expect, test } from 'vitest';
import { openCommands } from './open-commands.ts';
import { textFile } from '../../fixtures/press.ts';

const german = { locale: 'de-DE' };

const picture = () => textFile('scan.gif', 'GIF89a\u0001\u0000\u0001\u0000');

test('a picture is named as one, with what to do', async () => {
  await using commands = await openCommands();
  const shown = await commands.last('source upload', { file: picture() });
  expect(shown).toMatch(
    /^❌ \*\*scan\.gif\*\* \(\d+ B\): This is a picture\. Turn on text recognition \(OCR\) when you scan it, or upload its text\.$/,
  );
  const auf = await commands.last('source upload', { file: picture() }, german);
  expect(auf).toMatch(
    /^❌ \*\*scan\.gif\*\* \(\d+ B\): Das ist ein Bild\. Schalte beim Scannen die Texterkennung \(OCR\) ein oder lade den Text hoch\.$/,
  );
});

test('an empty file is a sentence, too', async () => {
  await using commands = await openCommands();
  const file = textFile('empty.md', '');
  expect(await commands.last('source upload', { file })).toMatch(
    /: This file is empty\. Check it, and upload it again\.$/,
  );
});

test('a damaged PDF is to be uploaded again, not retried', async () => {
  await using commands = await openCommands();
  const file = textFile('broken.pdf', '%PDF-1.7\nnothing of what follows');
  const shown = await commands.last('source upload', { file });
  expect(shown).toBe(
    '❌ **broken.pdf** could not be added: The PDF is damaged: it can’t be read. Save it again, then add the new copy. `/source upload` adds the corrected file.',
  );
  expect(await commands.last('source list', {}, german)).toMatch(
    /Das PDF ist beschädigt .+ `\/source upload` fügt die berichtigte Datei hinzu\.$/,
  );
});

test('an address with a password is refused with a sentence, too', async () => {
  await using commands = await openCommands();
  const shown = await commands.last('source url', { url: 'https://me:pw@example.com/' });
  expect(shown).toBe('**url**: Leave the user name and password out of the address.');
});
