import { expect, test } from 'vitest';
import { openCommands } from '../open-commands.ts';

const here = { platform: 'fake', workspace: 'W', channel: 'C' };
const memory = { name: 'Handbook', color: '#1f2937' };

/** A service with the interface's fourteen operations alone: what is not in section 4.1 is not there. */
function withoutExtras(request: Request): Response | undefined {
  const { pathname } = new URL(request.url);
  const extra =
    /^\/api\/v1\/(?:chatbots$|chatbot\/(?!create$)[^/]+(?:$|\/delete$|\/data-sources$|\/source-tags$|\/agent\/create$|\/data-source\/qa$)|source-tag\/)/;
  return extra.test(pathname)
    ? Response.json({ error: 'No such path.' }, { status: 404 })
    : undefined;
}

test('what a service can’t list is remembered, for all who share the chatbot', async () => {
  await using commands = await openCommands({ answer: withoutExtras });
  await commands.use('tag create', memory);
  expect(await commands.last('tag list')).toContain('**Handbook** · #1f2937');
  expect(await commands.last('tag show', { tag: 'handbook' })).toContain('**Handbook**');
  expect(await commands.last('tag list', {}, { workspace: 'W2' })).toContain('**Handbook**');
});

test('a source that the service does not list is shown, and not waited for', async () => {
  await using commands = await openCommands({ answer: withoutExtras });
  const url = 'http://127.0.0.1:9/page';
  expect(await commands.last('source url', { url })).toContain('doesn’t report progress');
  expect(await commands.last('source list')).toContain(url);

  expect(await commands.last('source rename', { source: url, title: 'Page' })).toContain('✅');
  expect(await commands.last('source list')).toContain('Page');

  const asked = (await commands.use('source delete', { sources: 'Page' })).at(-1);
  expect((await commands.press(asked, 'Delete')).at(-1)?.markdown).toContain('was deleted');
  expect(await commands.last('source list')).toContain('has no sources yet');
});

test('a remembered source that was deleted disappears when noticed, with a note to the requester', async () => {
  await using commands = await openCommands({ answer: withoutExtras });
  const url = 'http://127.0.0.1:9/page';
  await commands.use('source url', { url });
  const [uuid = ''] =
    /[0-9a-f]{32}/.exec(await commands.last('source show', { source: url })) ?? [];
  await commands.client.deleteDataSource(uuid);

  const problem = await commands.last('source rename', { source: url, title: 'Page' });
  expect(problem).toContain('It may have been deleted there');
  const list = await commands.last('source list');
  expect(list).toContain('has no sources yet');
  expect(list).toContain(`The source **${url}** was deleted elsewhere.`);
  expect(await commands.last('source list')).not.toContain('elsewhere');
});

test('where the service lists, it is the truth: what is gone is told once, and then forgotten', async () => {
  let ms = Date.now();
  await using commands = await openCommands({ now: () => ms });
  await commands.use('tag create', memory);
  const [tag] = await commands.client.listSourceTags(commands.chatbot);
  await commands.client.deleteSourceTag(tag?.uuid ?? '');
  ms += 61_000;

  const shown = await commands.last('tag show', { tag: 'Handbook' }, { locale: 'de' });
  expect(shown).toContain('kein Schlagwort namens „Handbook“');
  expect(shown).toContain('Das Schlagwort **Handbook** wurde anderswo gelöscht.');
  expect(await commands.last('tag list')).not.toContain('Handbook');
});

test('what was just made, and a list does not have yet, was not deleted elsewhere', async () => {
  let lags = true;
  const answer = ({ method, url }: Request) =>
    lags && method === 'GET' && url.endsWith('/source-tags') ? Response.json([]) : undefined;
  let ms = Date.now();
  await using commands = await openCommands({ answer, now: () => ms });
  await commands.use('tag create', memory);
  ms += 59_000;
  expect(await commands.last('tag list')).not.toContain('elsewhere');
  lags = false;
  ms += 60_000;
  expect(await commands.last('tag list')).toContain('**Handbook**');
  lags = true;
  expect(await commands.last('tag list')).toContain('**Handbook** was deleted elsewhere');
});

test('what a command deletes was not deleted elsewhere', async () => {
  await using commands = await openCommands();
  await commands.use('tag create', memory);
  const asked = (await commands.use('tag delete', { tag: 'Handbook' })).at(-1);
  expect((await commands.press(asked, 'Delete')).at(-1)?.markdown).not.toContain('elsewhere');
  expect(await commands.last('tag list')).not.toContain('elsewhere');
});

test('a list that fails in another way is a failure, not a memory', async () => {
  let isDown = false;
  const answer = () => (isDown ? Response.json({ error: 'No.' }, { status: 500 }) : undefined);
  await using commands = await openCommands({ answer });
  await commands.use('tag create', memory);
  isDown = true;
  expect(await commands.last('tag list')).toBe(
    '❌ I can’t reach the chatbot service right now. Please try again in a moment.',
  );
});

test('of the chatbots that one key sees, a workspace lists its own, and at home those of nobody', async () => {
  await using commands = await openCommands({ workspaces: ['W', 'W3'] });
  const { client, use, last } = commands;
  await client.createChatbot({ name: 'Made elsewhere' });
  await use('chatbot create', { name: 'Ours' });
  const namesIn = async (workspace: string) =>
    [...(await last('chatbot list', {}, { workspace })).matchAll(/\*\*(?!\d)(.+)\*\*/g)]
      .map(([, name = '']) => name)
      .toSorted((a, b) => a.localeCompare(b));
  expect(await namesIn('W')).toEqual(['Guide', 'Made elsewhere', 'Ours']);
  expect(await last('chatbot list', {}, { workspace: 'W2' })).toMatch(/^I don’t work here yet/);
  const offered = await last('chatbot share', { chatbot: 'Ours' });
  const code = /code:(\S+)`/.exec(offered)?.[1] ?? '';
  await use('chatbot share', { code }, { workspace: 'W2' });
  expect(await namesIn('W2')).toEqual(['Ours']);
  // Who was lent one makes none; another workspace of the home has its own.
  expect(await last('chatbot create', { name: 'Mine' }, { workspace: 'W2' })).toMatch(/WORKSPACES/);
  expect(await namesIn('W2')).toEqual(['Ours']);
  await use('chatbot create', { name: 'Theirs' }, { workspace: 'W3' });
  expect(await namesIn('W3')).toEqual(['Guide', 'Made elsewhere', 'Theirs']);
  expect(await namesIn('W')).not.toContain('Theirs');
});

test('a service that lists no chatbots shows those of this workspace', async () => {
  await using commands = await openCommands({ answer: withoutExtras });
  await commands.client.createChatbot({ name: 'Foreign' });
  await commands.use('chatbot create', { name: 'Ours' });
  const list = await commands.last('chatbot list');
  expect(list).toContain('**2 chatbots**');
  expect(list).toContain('**Ours**');
  expect(list).toContain(commands.chatbot);
  expect(await commands.last('chatbot use', { chatbot: 'ours' })).toContain('**Ours** now answers');
});

test('a chosen chatbot that was deleted elsewhere gives way to the one before, and the channel is told once', async () => {
  await using commands = await openCommands();
  await commands.use('chatbot create', { name: 'Ours' });
  await commands.use('chatbot use', { chatbot: 'Ours' });
  const ours = (await commands.client.listChatbots()).find(({ name }) => name === 'Ours');
  await commands.client.deleteChatbot(ours?.uuid ?? '');

  const [one, other] = await Promise.all([
    commands.last('source list'),
    commands.last('source list'),
  ]);
  expect([one, other].join('\n')).toContain(
    'deleted elsewhere. **Guide** answers here again. Please use',
  );
  expect(commands.notices).toEqual([
    expect.objectContaining({
      to: { channel: 'C' },
      markdown: expect.stringContaining('was deleted elsewhere'),
    }),
  ]);
  expect(await commands.last('source list')).toContain('The chatbot has no sources yet');
  expect(await commands.last('chatbot show')).toContain('**Guide**');
});

test.each([
  ['as the service lists it', () => undefined],
  ['though the service can’t list it', withoutExtras],
])('a chosen chatbot that is back answers again, %s', async (_, without) => {
  let isGone = false;
  let ours = '-';
  const answer = (request: Request) =>
    isGone && request.url.includes(ours)
      ? Response.json({ error: 'There is no such chatbot.' }, { status: 404 })
      : without(request);
  await using commands = await openCommands({ answer });
  await commands.use('chatbot create', { name: 'Ours' });
  await commands.use('chatbot use', { chatbot: 'Ours' });
  ours = await commands.bindings.chatbotFor(here);
  isGone = true;
  expect(await commands.last('source list')).toContain('was deleted elsewhere');
  isGone = false;
  expect(await commands.last('chatbot list')).toContain('**Ours**');
  expect(await commands.last('chatbot show')).toContain('**Ours**');
});

test('a proxy that answers 404 makes nothing forgotten', async () => {
  let isAway = false;
  const answer = (request: Request) =>
    isAway
      ? new Response('<h1>404</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
      : withoutExtras(request);
  await using commands = await openCommands({ answer });
  const url = 'http://127.0.0.1:9/page';
  await commands.use('chatbot create', { name: 'Ours' });
  await commands.use('chatbot use', { chatbot: 'Ours' });
  await commands.use('source url', { url });
  isAway = true;
  for (const use of ['chatbot list', 'source list']) {
    expect(await commands.last(use)).toContain('can’t reach the chatbot service');
  }
  isAway = false;
  expect(await commands.last('source list')).toContain(url);
  expect(await commands.last('chatbot show')).toContain('**Ours**');
  expect(commands.notices).toEqual([]);
});

test('the command that deletes a chatbot ends the choice of it', async () => {
  await using commands = await openCommands();
  const { use, last, press } = commands;
  await use('chatbot create', { name: 'Ours' });
  await use('chatbot use', { chatbot: 'Ours' });
  const ours = await commands.bindings.chatbotFor(here);
  const asked = (await use('chatbot delete', { chatbot: 'Ours' })).at(-1);
  expect(asked?.markdown).toContain('chosen for 1 channel');
  expect((await press(asked, 'Delete')).at(-1)?.markdown).toContain('was deleted');
  expect(await last('chatbot show')).toContain('**Guide**');
  expect(await commands.bindings.countOf(ours)).toBe(0);
});

test('if the workspace has chosen its own, that one answers again', async () => {
  await using commands = await openCommands();
  const { use, last, client } = commands;
  await use('chatbot create', { name: 'For all' });
  await use('chatbot create', { name: 'For here' });
  await use('chatbot use', { chatbot: 'For all', where: 'workspace' });
  await use('chatbot use', { chatbot: 'For here' });
  const chosen = (await client.listChatbots()).find(({ name }) => name === 'For here');
  await client.deleteChatbot(chosen?.uuid ?? '');
  expect(await last('source list', {}, { locale: 'de' })).toContain(
    'gelöscht. **For all** antwortet hier wieder.',
  );
  expect(await last('chatbot show')).toContain('**For all**');
});

test('a chatbot that answers is not given up because something of it is gone', async () => {
  await using commands = await openCommands();
  await commands.use('chatbot create', { name: 'Ours' });
  await commands.use('chatbot use', { chatbot: 'Ours' });
  await commands.use('tag create', memory);
  const ours = (await commands.client.listChatbots()).find(({ name }) => name === 'Ours');
  const asked = (await commands.use('tag delete', { tag: 'Handbook' })).at(-1);
  const [tag] = await commands.client.listSourceTags(ours?.uuid ?? '');
  await commands.client.deleteSourceTag(tag?.uuid ?? '');

  expect((await commands.press(asked, 'Delete')).at(-1)?.markdown).toContain('no tag called');
  expect(await commands.last('chatbot show')).toContain('**Ours**');
  expect(commands.notices).toEqual([]);
});
