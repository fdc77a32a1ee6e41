import { expect, test } from 'vitest';
import { createFormats } from '../../../src/bridge/commands/formats.ts';
import { sendEmbeddings, startModelServer } from '../../fixtures/model-server.ts';
import { startWebsite } from '../../service/website.ts';
import { openCommands } from './open-commands.ts';
import { textFile, toPress } from '../../fixtures/press.ts';

const handbook = () => textFile('handbook.md', '# Handbook\n\nThe lighthouse opens at nine.\n');

test('a file becomes a source, from waiting to ready, and the change is in the audit log', async () => {
  await using commands = await openCommands();
  const shown = await commands.use('source upload', { file: handbook() });
  expect(shown[0]?.markdown).toMatch(/^⏳ Ada is adding \*\*handbook\.md\*\* \(42 B\) …/);
  expect(shown.at(-1)?.markdown).toMatch(/^✅ \*\*Handbook\*\* is ready: \d+ tokens, 42 B\n/);
  expect(commands.audit).toMatchObject([
    {
      audit: 'source upload',
      who: { id: 'U1', name: 'Ada' },
      where: { platform: 'fake', workspace: 'W', channel: 'C' },
      what: { name: 'handbook.md' },
    },
  ]);
});

test('under way a bar and the stage are shown', async () => {
  await using commands = await openCommands();
  const shown = await commands.use('source upload', { file: handbook() });
  expect(shown.map(({ markdown }) => markdown)).toContain(
    '⏳ **handbook.md** ▰▱▱▱▱▱▱▱▱▱ waiting its turn …',
  );
});

test('of several addresses each has a line', async () => {
  await using website = await startWebsite();
  await using commands = await openCommands();
  const url = `${website.url}/mill\n${website.url}/mill, http://127.0.0.1:9/`;
  const text = await commands.last('source url', { url });
  expect(text.split('\n').slice(0, 3)).toEqual([
    '**1 of 2 ready**',
    expect.stringMatching(/^- ✅ \*\*The Mill\*\* is ready: \d+ tokens, \d+ B$/),
    expect.stringMatching(/^- ❌ /),
  ]);
});

test('an address can have a comma in it', async () => {
  await using website = await startWebsite();
  await using commands = await openCommands();
  const url = `${website.url}/mill,1.html,HTTP://127.0.0.1:9/inland,12.html, ${website.url},`;
  const text = await commands.last('source url', { url });
  expect(text).toContain('2 of 3 ready');
  expect(text).toContain('- ❌ **http://127.0.0.1:9/inland,12.html** could not be added');
});

test.each([
  [
    'source url',
    { url: 'https://example.com nonsense' },
    '**url**: “nonsense” isn’t a web address.',
  ],
  ['source url', { url: 'ftp://example.com' }, '**url**: “ftp://example.com” isn’t a web address.'],
  ['source url', { url: 'https://ada:pw@example.com' }, '**url**: Leave the user name'],
  [
    'source qa',
    { question: 'Why?', answer: 'So.', link: 'see here' },
    '**link**: “see here” isn’t',
  ],
])(
  'an address that %s does not take is refused before anything is sent',
  async (words, values, says) => {
    await using commands = await openCommands();
    const shown = await commands.use(words, values);
    expect(shown).toMatchObject([{ markdown: expect.stringContaining(says), isRefused: true }]);
    expect(await commands.client.listDataSources(commands.chatbot)).toEqual([]);
  },
);

test('a source that exists already is reported as such', async () => {
  await using commands = await openCommands();
  await commands.use('source upload', { file: handbook() });
  expect(await commands.last('source upload', { file: handbook() })).toMatch(
    /\(already a source\)$/,
  );
  expect(commands.audit).toHaveLength(1);
});

test('a list is filtered by name, state and tag, and counts', async () => {
  await using commands = await openCommands();
  expect(await commands.last('source list')).toBe(
    'The chatbot has no sources yet. Add one with `/source upload` or `/source url`.',
  );
  await commands.use('source upload', { file: handbook() });
  await commands.use('source qa', { question: 'Who built it?', answer: 'Ada Fresnel' });
  await commands.use('tag create', { name: 'Lamps', color: 'teal', sources: 'handbook.md' });
  expect(await commands.last('source list')).toMatch(/^\*\*2 sources\*\*\n- ✅ .+\n- ✅ .+$/);
  expect(await commands.last('source list', { filter: 'BUILT' })).toMatch(
    /^\*\*1 of 2 sources\*\*\n- ✅ \*\*Who built it\?\*\*/,
  );
  expect(await commands.last('source list', { tag: 'lamps' })).toMatch(/- ✅ \*\*Handbook/);
  expect(await commands.last('source list', { status: 'failed' })).toBe('**0 of 2 sources**');
});

test('a long list has pages, each a button away, and can be shared', async () => {
  await using commands = await openCommands();
  for (let number = 1; number <= 17; number += 1) {
    await commands.client.addQaSource(commands.chatbot, {
      question: `Question ${number}?`,
      answer: 'Yes',
    });
  }
  const [first] = await commands.use('source list');
  expect(first?.markdown).toMatch(/^\*\*17 sources\*\* · page 1 of 2\n/);
  expect(first?.buttons?.map(({ label }) => label)).toEqual(['Next', 'Share in channel']);
  const [second] = await commands.press(first, 'Next');
  expect(second?.markdown).toMatch(/^\*\*17 sources\*\* · page 2 of 2\n/);
  expect(second?.markdown.split('\n')).toHaveLength(3);
  const share = second?.buttons?.find(({ label }) => label === 'Share in channel');
  const pressed = await commands.runner.press(toPress(share?.id ?? '', commands.context()));
  expect(pressed.place).toBe('channel');
  expect(await Array.fromAsync(pressed.results)).toEqual([
    { markdown: `${second?.markdown}\n\n*Shared by Ada*` },
  ]);
});

test('deletion asks first and says what goes with it; then it is gone', async () => {
  await using commands = await openCommands();
  await commands.use('source upload', { file: handbook() });
  await commands.use('tag create', { name: 'Lamps', color: '#abc', sources: 'handbook.md' });
  const [asked] = await commands.use('source delete', { sources: 'HANDBOOK.md' });
  expect(asked?.markdown).toMatch(/^Delete this source for good\?\n- \*\*Handbook\*\*/);
  expect(asked?.markdown).toContain('Tagged with Lamps.');
  expect((await commands.press(asked, 'Cancel'))[0]?.markdown).toBe('Nothing was changed.');
  expect(await commands.client.listDataSources(commands.chatbot)).toHaveLength(1);
  expect((await commands.press(asked, 'Delete'))[0]?.markdown).toBe('🗑️ **Handbook** was deleted.');
  expect(await commands.client.listDataSources(commands.chatbot)).toEqual([]);
  expect(commands.audit.at(-1)).toMatchObject({
    audit: 'source delete',
    before: { title: 'Handbook' },
  });
});

test('a source is shown, renamed, tagged and untagged', async () => {
  await using commands = await openCommands();
  await commands.use('source qa', { question: 'Who built it?', answer: 'Ada Fresnel' });
  expect(await commands.last('source rename', { source: 'Who built it?', title: 'Builder' })).toBe(
    '✅ **Who built it?** is now called **Builder**.',
  );
  await commands.use('tag create', { name: 'People', color: 'red' });
  expect(await commands.last('source tag', { sources: 'Builder', tag: 'People' })).toBe(
    '✅ **Builder** → **People**, which now has 1 source.',
  );
  const shown = await commands.last('source show', { source: 'builder' });
  expect(shown).toContain('- Tags: People');
  expect(shown).toContain('> Who built it?\n> Ada Fresnel');
  expect(
    await commands.last('source tag', { sources: 'Builder', tag: 'People', remove: 'yes' }),
  ).toMatch(/now has 0 sources\.$/);
});

test('a failed page says why, and is tried again with all that failed', async () => {
  await using website = await startWebsite();
  website.isDown = true;
  await using commands = await openCommands();
  expect(await commands.last('source url', { url: website.url })).toMatch(
    /^❌ .+ could not be added: .+\. `\/source retry` tries this address again, `\/source url` adds another one\.$/,
  );
  website.isDown = false;
  expect(await commands.last('source retry')).toMatch(/^✅ \*\*The Mill\*\* is ready/);
  expect(await commands.last('source retry')).toBe('None of these sources has failed.');
  expect(await commands.last('source refresh', { sources: 'the mill' })).toMatch(/is ready/);
});

test('why a source failed is told in the reader’s language', async () => {
  await using website = await startWebsite();
  website.isDown = true;
  await using commands = await openCommands();
  const inGerman = { locale: 'de-AT' };
  const added = await commands.last('source url', { url: website.url }, inGerman);
  expect(added).toMatch(/antwortet mit 503/);
  await commands.use('source upload', { file: textFile('empty.rtf', String.raw`{\rtf1 }`) });
  const list = await commands.last('source list', {}, inGerman);
  expect(list).toMatch(
    /antwortet mit 503[^]+Die Datei enthält keinen lesbaren Text|Die Datei enthält keinen lesbaren Text[^]+antwortet mit 503/,
  );
  expect(await commands.last('source list')).toContain('The file contains no text.');
  const shown = await commands.last('source show', { source: 'empty.rtf' }, inGerman);
  expect(shown).toContain('Die Datei enthält keinen lesbaren Text');
  expect(shown).toContain('- Art: Datei');
});

test('how much of a source is found by meaning is shown, and why not all of it', async () => {
  await using models = await startModelServer();
  const embeddings = { baseUrl: models.baseUrl, model: 'tiny' };
  await using commands = await openCommands({ service: { embeddings } });
  const upload = (name: string) =>
    commands.use('source upload', { file: textFile(name, `The ${name} opens at nine.`) });
  const show = (source: string, locale?: string) =>
    commands.last('source show', { source }, { locale });
  await upload('mill.txt');
  expect(await show('mill.txt')).toContain('- Found by meaning: 1 of 1 passage\n');

  models.embed = (response, input) =>
    input[0] === 'word'
      ? sendEmbeddings(response, [[1, 0]])
      : void response.writeHead(400).end('no');
  await upload('barn.txt');
  expect(await show('barn.txt')).toContain(
    '- Found by meaning: 0 of 1 passage. The embeddings server refused 1 passage: search finds it',
  );
  expect(await show('barn.txt', 'de')).toContain(
    'hat 1 Abschnitt abgelehnt; die Suche findet ihn nur über seine Wörter.',
  );

  models.embed = (response) => void response.writeHead(401).end('no');
  await upload('dock.txt');
  expect(await show('dock.txt')).toContain(
    '0 of 1 passage. The embeddings server answered 401: search',
  );
  expect(await show('dock.txt', 'de')).toContain(
    '0 von 1 Abschnitt. Der Embeddings-Server hat mit 401',
  );
});

const empty = 'The page is empty.';

const failedSource = {
  uuid: 'a'.repeat(32),
  title: 'Handbook',
  file_name: 'https://example.com',
  file_size: 0,
  tokens: 0,
  type: 'link',
  status: 'error',
  meta_json: '{}',
  created_at: '2026-09-12T10:00:00Z',
  modified_at: '2026-09-12T10:00:00Z',
};

test.each([
  ['ours', { error: empty, error_code: 'page_empty' }, 'Die Seite ist leer'],
  ['of an older data folder', { error: empty }, 'The page is empty'],
  ['of another service', { error: 'Broken', error_code: 'page_empty' }, 'Broken'],
  ['of a service with codes of its own', { error: 'Broken', error_code: 42 }, 'Broken'],
  ['with params of its own', { error: 'Broken', error_params: [] }, 'Broken'],
])('a German reader is told a reason %s', async (_, meta, said) => {
  const source = { ...failedSource, meta_json: JSON.stringify(meta) };
  await using commands = await openCommands({
    answer: (request) =>
      request.url.endsWith('/data-sources') ? Response.json([source]) : undefined,
  });
  expect(await commands.last('source list', {}, { locale: 'de' })).toContain(
    `konnte nicht hinzugefügt werden: ${said}.`,
  );
});

test.each([
  ['chunking', { stage: 'extracting' }, '▰▰▰▰▱▱▱▱▱▱ reading'],
  ['await', { stage: 'downloading' }, '▰▰▱▱▱▱▱▱▱▱ downloading'],
  ['embedding', { stage: 'indexing' }, '▰▰▰▰▰▰▰▰▰▱ finishing'],
  ['embedding', {}, '▰▰▰▰▰▰▰▰▱▱ indexing'],
  ['running', {}, '▰▰▰▰▰▰▰▰▰▱ finishing'],
  ['queued', { stage: 7 }, '▰▱▱▱▱▱▱▱▱▱ waiting its turn'],
  ['pondering', {}, '▰▰▰▰▱▱▱▱▱▱ pondering'],
])('a source that is %s with %j shows its stage', async (status, meta, shown) => {
  const source = { ...failedSource, status, meta_json: JSON.stringify(meta) };
  await using commands = await openCommands({
    answer: (request) =>
      request.url.endsWith('/data-sources') ? Response.json([source]) : undefined,
  });
  expect(await commands.last('source list')).toContain(`⏳ **Handbook** ${shown} …`);
});

test.each([
  [
    'en',
    '- ⚠️ **Handbook** still works with its text from TIME. The last refresh failed: The page is empty. Use `/source retry` to try again.',
    '⚠️ works with its text from TIME; the last refresh failed: The page is empty',
    '- ⏳ **Handbook** ▰▱▱▱▱▱▱▱▱▱ waiting its turn … (works with its text from TIME until then)',
  ],
  [
    'de',
    '- ⚠️ **Handbook** antwortet weiter mit dem Text vom TIME. Die letzte Aktualisierung ist fehlgeschlagen: Die Seite ist leer. Mit `/source retry` versuche ich es noch einmal.',
    '⚠️ antwortet mit dem Text vom TIME; die letzte Aktualisierung ist fehlgeschlagen: Die Seite ist leer',
    '- ⏳ **Handbook** ▰▱▱▱▱▱▱▱▱▱ in der Warteschlange … (antwortet bis dahin mit dem Text vom TIME)',
  ],
])('a source says in %s which text it still works with', async (locale, listed, shown, waiting) => {
  const textFrom = '2026-09-01T00:00:00Z';
  const meta = { text_from: textFrom, error: empty, error_code: 'page_empty' };
  let source = { ...failedSource, status: 'fail', meta_json: JSON.stringify(meta) };
  await using commands = await openCommands({
    answer: (request) =>
      request.url.endsWith('/data-sources') ? Response.json([source]) : undefined,
  });
  const time = createFormats({ locale }).time(textFrom);
  const say = (text: string) => text.replace('TIME', time);
  expect(await commands.last('source list', {}, { locale })).toContain(say(listed));
  const details = await commands.last('source show', { source: 'Handbook' }, { locale });
  expect(details).toContain(say(shown));
  source = { ...source, status: 'await' };
  expect(await commands.last('source list', {}, { locale })).toContain(say(waiting));
});

test('what is no web page is not fetched again', async () => {
  await using commands = await openCommands();
  await commands.use('source upload', { file: handbook() });
  expect(await commands.last('source refresh', { sources: 'handbook.md' })).toBe(
    '❌ **Handbook**: this isn’t a web page',
  );
});

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
