import { expect, test } from 'vitest';
import { NotAskedError } from '../../../src/bridge/conversation/questions.ts';
import { openCommands, thread } from './open-commands.ts';
import { textFile } from '../../fixtures/press.ts';

const everyone = { requester: { id: 'U2', name: 'Bert', isManager: false } };

test('a tag is created, changed, shown and deleted', async () => {
  await using commands = await openCommands();
  const { last, use, press, audit } = commands;
  await use('source qa', { question: 'Why?', answer: 'Because' });
  expect(await last('tag create', { name: 'Lamps', color: '#ABC', sources: 'why?' })).toBe(
    '✅ Created: **Lamps** · #aabbcc · 1 source',
  );
  expect(await last('tag update', { tag: 'lamps', color: 'teal', name: 'Lamps' })).toBe(
    '✅ Saved: **Lamps** · #0d9488 · 1 source',
  );
  expect(audit.at(-1)).toMatchObject({ before: { color: '#aabbcc' }, after: { color: '#0d9488' } });
  expect(await last('tag update', { tag: 'Lamps', color: 'teal' })).toMatch(/^Nothing to change/);
  expect(await last('tag show', { tag: 'Lamps' })).toContain('- Sources: Why?');
  expect(await last('tag list')).toBe('**1 tag**\n- **Lamps** · #0d9488 · 1 source');
  const [asked] = await use('tag delete', { tag: 'Lamps' });
  expect(asked?.markdown).toBe('Delete the tag **Lamps** for good? Its source stays.');
  expect((await press(asked, 'Delete'))[0]?.markdown).toBe('🗑️ **Lamps** was deleted.');
  // A double click must not say that there is no such tag.
  expect(await press(asked, 'Delete')).toEqual([]);
  expect(await last('tag list')).toMatch(/^There are no tags yet/);
  await use('tag create', { name: 'Empty', color: 'teal' });
  expect(await last('tag delete', { tag: 'Empty' })).toMatch(/for good\? It has no sources\.$/);
});

test('an agent takes every field of the interface, and only what differs is changed', async () => {
  await using commands = await openCommands();
  const { last, use, press, audit, client, chatbot } = commands;
  await use('source qa', { question: 'Why?', answer: 'Because' });
  await use('agent create', { name: 'Guide', type: 'user-facing', prompt: 'Be kind' });
  expect(await last('agent list')).toContain('- **Guide** · user-facing · ⚪ disabled');
  expect(await last('agent enable', { agent: 'guide' })).toContain('🟢 enabled');
  expect(await last('agent disable', { agent: 'guide' })).toContain('⚪ disabled');
  const fields = {
    agent: 'Guide',
    name: 'Leader',
    description: 'Leads',
    prompt: 'Be kind',
    temperature: '0,5',
    'all-sources': 'no',
    variables: 'city | string | Where they live | Bern | Basel; age | number',
    'handover-message': 'One moment',
    'handover-start': 'Here I am',
    'handover-end': 'Good bye',
    monitored: 'human please; agent',
    notifications: 'yes',
    sound: 'yes',
  };
  expect(await last('agent update', fields)).toContain('**Leader**');
  expect(audit.at(-1)?.['before']).not.toHaveProperty('prompt');
  expect(await last('agent sources', { agent: 'Leader', sources: 'Why?' })).toContain('Saved');
  const agent = (await client.listAgents(chatbot)).find(({ name }) => name === 'Leader');
  expect(agent).toMatchObject({
    description: 'Leads',
    meta: { temperature: 0.5, use_all_sources: false },
    variables: [
      { name: 'city', type: 'string', example: 'Bern', default_value: { content: 'Basel' } },
      { name: 'age', type: 'number' },
    ],
    human_escalation_settings: {
      human_requested_message: 'One moment',
      live_chat_start_announcement: 'Here I am',
      live_chat_end_announcement: 'Good bye',
      monitored_messages: ['human please', 'agent'],
      notifications_enabled: true,
      sound_enabled: true,
    },
  });
  expect(agent?.data_source_uuids).toHaveLength(1);
  expect(await last('agent show', { agent: 'Leader' })).toContain(
    '- Variables: city (string), age (number)',
  );
  expect(await last('agent update', { agent: 'Leader', variables: 'city | wrong' })).toMatch(
    /^“city \\\| wrong” isn’t a variable\./,
  );
  const [asked] = await use('agent delete', { agent: 'General Q&A' });
  expect(asked?.markdown).toContain('It’s the last one that answers people');
  expect((await press(asked, 'Delete'))[0]?.markdown).toContain('was deleted');
});

test('an initial value that nobody touched is not a change', async () => {
  await using commands = await openCommands();
  const { runner, use, last, context } = commands;
  const variables = 'city | string | Where they live; or work | Bern';
  await use('agent update', { agent: 'General Q&A', variables });
  const values = await runner.prefill({
    command: 'agent',
    action: 'update',
    values: { agent: 'General Q&A' },
    context: context(),
  });
  expect(values).toMatchObject({ agent: 'General Q&A', temperature: '0', 'all-sources': 'true' });
  expect(await last('agent update', values)).toMatch(/^Nothing to change/);
});

test('a chatbot is created, changed, chosen for a channel, and deleted with its choice', async () => {
  await using commands = await openCommands();
  const { last, use, press } = commands;
  await use('chatbot create', { name: 'Second', visibility: 'hybrid', messages: '5' });
  expect(await last('chatbot show', { chatbot: 'Second' })).toContain(
    '- Rate limit: 5 messages in 240 seconds',
  );
  expect(
    await last('chatbot update', { chatbot: 'Second', seconds: '60', citations: 'no' }),
  ).toMatch(/5 messages in 60 seconds\n- Shows sources: no/);
  expect(await last('chatbot use', { chatbot: 'Second' })).toMatch(
    /^✅ \*\*Second\*\* now answers in this channel/,
  );
  expect(await last('chatbot show')).toMatch(/^\*\*Second\*\*/);
  expect(await last('chatbot show', {}, { channel: 'D' })).toMatch(/^\*\*Guide\*\*/);
  await use('chatbot use', { chatbot: 'Second', where: 'workspace' });
  expect(await last('chatbot list', {}, { channel: 'D' })).toMatch(
    /\*\*Second\*\* · `\w+` · 💬 answers here/,
  );
  expect(await last('chatbot delete', { chatbot: 'Guide' })).toContain('can’t be deleted here');
  const [asked] = await use('chatbot delete', { chatbot: 'Second' });
  expect(asked?.markdown).toContain('0 sources, 0 tags, 1 agent and 0 sessions');
  expect(asked?.markdown).toContain('chosen for 2 channels and workspaces');
  await press(asked, 'Delete');
  expect(await last('chatbot show')).toMatch(/^\*\*Guide\*\*/);
});

test('sessions are listed by day, shown, exported and deleted; a thread starts a new one', async () => {
  let ms = Date.now();
  await using commands = await openCommands({ now: () => ms });
  const { last, use, press, client, chatbot, sessions, asked } = commands;
  const { uuid, created_at: created } = await client.createSession(chatbot);
  ms = Date.parse(created);
  await Array.fromAsync(client.streamReply(uuid, 'Hello?'));
  sessions.set('T', uuid);
  expect(await last('session list', { from: 'today', to: 'today' })).toMatch(
    /^\*\*1 session\*\*\n- \[Hello\?\]\(https:\/\/chat\.example\/T\) · [^`]+ · in this channel$/,
  );
  expect(await last('session list', { to: '2020-01-31' })).toBe('**0 sessions**');
  expect(await last('session show', {}, { thread, ...everyone })).toContain('> Hello?');
  const [exported] = await use('session export', { session: uuid, format: 'json' });
  expect(JSON.parse(exported?.files?.[0]?.text ?? '')).toMatchObject({
    session: uuid,
    messages: [{ query: 'Hello?' }],
  });
  const [readable] = await use('session export', {}, { thread });
  expect(readable?.files?.[0]?.name).toBe(`session-${uuid}.md`);
  expect(await last('session stop', {}, { thread })).toBe('Nothing to stop.');
  expect(await last('session retry', {}, { thread })).toMatch(/^I’ve answered the last question/);
  expect(await last('session new', {}, { thread })).toMatch(/The earlier one is kept/);
  expect(sessions.get('T')).not.toBe(uuid);
  expect(await last('session new')).toMatch(/^Every thread is its own session/);
  await use('session new', { question: 'And now?' });
  expect(asked).toEqual(['And now?']);
  const [question] = await use('session delete', { session: uuid });
  expect(question?.markdown).toContain('with its 1 message for good?');
  await press(question, 'Delete');
  expect(await last('session show', { session: uuid })).toMatch(/no session called/);
});

test('a new session in a thread begins with the question, once the earlier one is deleted', async () => {
  await using commands = await openCommands();
  const { last, use, press, client, chatbot, sessions } = commands;
  const asked: string[] = [];
  /** Where the session that the question is asked in takes the place of another one. */
  const inThread = {
    thread,
    async ask(question: string) {
      const all = await client.listSessions(chatbot);
      const isThere = (uuid?: string) => all.some((each) => each.uuid === uuid);
      asked.push(`${question} ${isThere(sessions.get('T'))} ${isThere(first)}`);
      return 'here' as const;
    },
  };
  const { uuid: first } = await client.createSession(chatbot);
  sessions.set('T', first);
  expect(await last('session new', { question: 'And now?' }, inThread)).toMatch(
    /The earlier one is kept.* I’m answering below your question\.$/,
  );
  expect(asked).toEqual(['And now? true true']);
  sessions.set('T', first);
  const values = { question: 'And then?', forget: 'yes' };
  const [toConfirm] = await use('session new', values, inThread);
  expect(asked).toHaveLength(1);
  expect(await press(toConfirm, 'Delete', inThread)).toMatchObject([
    { markdown: 'A new session starts here. I’m answering below your question.' },
  ]);
  expect(asked.slice(1)).toEqual(['And then? true false']);
});

test('a new session is told of although its question may not be asked', async () => {
  await using commands = await openCommands();
  const ask = async () => {
    throw new NotAskedError('That was too much for today.');
  };
  expect(await commands.last('session new', { question: 'Why?' }, { thread, ask })).toBe(
    'A new session starts here.\n\n❌ That was too much for today.',
  );
});

test('everyone may look, only managers may change; a refusal says who may', async () => {
  await using commands = await openCommands({ managers: ['U3'] });
  const { last, audit } = commands;
  const create = (id: string) =>
    last('tag create', { name: 'T', color: 'red' }, { requester: { ...everyone.requester, id } });
  expect(await create('U2')).toMatch(/^Only managers can do that: .+Slack.+Discord, and Cleo\.$/);
  expect(audit).toEqual([]);
  expect(await last('tag list', {}, everyone)).toMatch(/^There are no tags/);
  expect(await create('U3')).toContain('Created');
  expect(audit).toHaveLength(1);
});

test('a button checks who presses it: managers-only actions stay so', async () => {
  await using commands = await openCommands();
  const { use, press, client, chatbot } = commands;
  await use('tag create', { name: 'T', color: 'red' });
  const [asked] = await use('tag delete', { tag: 'T' });
  // Only the manager sees the question; they may have been one until now.
  expect((await press(asked, 'Delete', everyone))[0]?.markdown).toMatch(/^This button is too old/);
  const former = { requester: { id: 'U1', name: 'Ada', isManager: false } };
  expect((await press(asked, 'Delete', former))[0]?.markdown).toMatch(/^Only managers/);
  expect((await press(asked, 'Cancel', former))[0]?.markdown).toMatch(/^Only managers/);
  expect(await client.listSourceTags(chatbot)).toHaveLength(1);
  expect((await press(asked, 'Delete'))[0]?.markdown).toContain('was deleted');
});

test('a button is forgotten after an hour', async () => {
  let time = 1_000;
  await using commands = await openCommands({ now: () => time });
  const [listed] = await commands.use('chatbot list');
  time += 60 * 60 * 1000;
  expect((await commands.press(listed, 'Share'))[0]?.markdown).toBe(
    'This button is too old. Please use the command again.',
  );
});

test('help tells what one may do, with the prefix, in the reader’s language', async () => {
  await using commands = await openCommands({ names: { prefix: 'kb-' } });
  const german = { locale: 'de-AT' };
  expect(await commands.last('help')).toContain('- `/kb-tag create`: Create a tag');
  expect(await commands.last('help', {}, { ...everyone, ...german })).not.toContain('tag create');
  expect(await commands.last('help', { command: '/tag' }, german)).toContain(
    '- `/kb-tag create`: Ein Schlagwort anlegen',
  );
  expect(await commands.last('source list', {}, german)).toBe(
    'Der Chatbot hat noch keine Quellen. Füge eine mit `/kb-source upload` oder `/kb-source url` hinzu.',
  );
  expect(await commands.last('nonsense')).toMatch(/^I don’t know that command/);
});

test('numbers, sizes and times are the reader’s own', async () => {
  await using commands = await openCommands();
  const file = textFile('big.md', 'word '.repeat(400));
  const german = { locale: 'de-DE', timeZone: 'Asia/Tokyo' };
  expect(await commands.last('source upload', { file }, german)).toMatch(
    /ist bereit: \d+ Tokens, 2 kB$/,
  );
  expect(await commands.last('source show', { source: 'big.md' }, german)).toMatch(
    /- Angelegt: \d{1,2}\. \S+ \d{4}, \d\d:\d\d GMT\+9/,
  );
});

test('an ambiguous name asks which one, and the answer continues from there', async () => {
  await using commands = await openCommands();
  const { use, press, client, chatbot } = commands;
  await use('tag create', { name: 'Same', color: 'red' });
  await press((await use('tag create', { name: 'Same', color: 'blue' }))[0], 'Yes, a second one');
  const [asked] = await use('tag show', { tag: 'same' });
  expect(asked?.markdown).toMatch(/^There is more than one tag called “same”\. Which one\?/);
  expect(asked?.buttons).toHaveLength(2);
  const tags = await client.listSourceTags(chatbot);
  const [shown] = await press(asked, `Same (${tags[0]?.uuid.slice(0, 6)}`);
  expect(shown?.markdown).toContain(tags[0]?.uuid);
  const [guessed] = await use('tag show', { tag: 'sam' });
  expect(guessed?.markdown).toMatch(/Did you mean one of these\?/);
});

test('all problems are reported at once, with how to fix them', async () => {
  await using commands = await openCommands();
  expect(await commands.last('tag create', { color: 'mauve' })).toBe(
    [
      '**name** is missing: Name for the tag.',
      '**color**: Enter a colour such as #1f2937, or black, blue, brown, gray, green, orange, pink, purple, red, teal, white or yellow.',
    ].join('\n'),
  );
  expect(await commands.last('source rename', {}, { locale: 'de' })).toContain(
    '**title** fehlt: Neuer Titel der Quelle.',
  );
  expect(
    await commands.last('chatbot create', { name: 'X', messages: '0', citations: 'maybe' }),
  ).toBe('**messages**: Enter a whole number from 1 to 100.\n**citations**: Answer yes or no.');
  expect(await commands.last('session list', { from: '2026-02-30' })).toMatch(
    /^\*\*from\*\*: Enter a day/,
  );
  expect(await commands.last('source list', { wrong: 'x' })).toBe(
    'There is no option “wrong” here.',
  );
  expect(await commands.last('source show', { source: 'nothing' })).toBe(
    '**source**: There is no source called “nothing” here.',
  );
});

test('references, choices and colours are suggested for what was typed', async () => {
  await using commands = await openCommands();
  const { runner, use, context } = commands;
  await use('source qa', { question: 'Lamp oil?', answer: 'Whale' });
  const complete = (command: string, action: string, option: string, typed: string) =>
    runner.complete({ command, action, option, typed, context: context() });
  const [source] = await complete('source', 'show', 'source', 'lamp');
  expect(source).toMatchObject({ label: expect.stringMatching(/^Lamp oil\? · /) });
  expect(await complete('source', 'delete', 'sources', `${source?.value}, `)).toEqual([]);
  expect(await complete('tag', 'create', 'color', 'tea')).toEqual([
    { label: 'teal', value: 'teal' },
  ]);
  expect(await complete('chatbot', 'use', 'where', 'w')).toEqual([
    { label: 'workspace', value: 'workspace' },
  ]);
  expect(await complete('source', 'nonsense', 'x', '')).toEqual([]);
});

test('a list that was emptied is empty; one that was not given stays', async () => {
  await using commands = await openCommands();
  const { use, client, chatbot } = commands;
  await use('source qa', { question: 'Lamp oil?', answer: 'Whale' });
  await use('tag create', { name: 'Lamps', color: 'teal', sources: 'Lamp oil?' });
  const inTag = async () => (await client.listSourceTags(chatbot))[0]?.data_source_uuids.length;
  await use('tag update', { tag: 'Lamps', name: 'Oil' });
  expect(await inTag()).toBe(1);
  await use('tag update', { tag: 'Oil', sources: '' });
  expect(await inTag()).toBe(0);
});

test('more things than fit by their whole uuids are suggested by the beginnings of them', async () => {
  await using commands = await openCommands();
  const { runner, use, context } = commands;
  const field = { command: 'source', action: 'delete', option: 'sources', context: context() };
  const questions = ['One?', 'Two?', 'Three?', 'Four?', 'Five?'];
  for (const question of questions) await use('source qa', { question, answer: 'Yes' });
  let typed = '';
  for (const question of questions) {
    const [suggestion] = await runner.complete({ ...field, typed: `${typed}${question}` });
    typed = `${suggestion?.value ?? ''}, `;
  }
  expect(typed.length).toBeLessThanOrEqual(100);
  expect(await runner.complete({ ...field, typed })).toEqual([]);
  const [asked] = await use('source delete', { sources: typed });
  for (const question of questions) expect(asked?.markdown).toContain(question);
});

/** service-interface.md, section 4.1; 12 is what `/ask` and the threads use. */
const operations: Record<string, RegExp> = {
  'create chatbot': /^POST \/api\/v1\/chatbot\/create$/,
  'update chatbot': /^POST \/api\/v1\/chatbot\/\w+\/update$/,
  'list agents': /^GET \/api\/v1\/chatbot\/\w+\/agents$/,
  'update agent': /^POST \/api\/v1\/agent\/\w+\/update$/,
  'delete agent': /^DELETE \/api\/v1\/agent\/\w+\/delete$/,
  'upload file': /^POST \/api\/v1\/chatbot\/\w+\/data-source\/upload$/,
  'add URL': /^POST \/api\/v1\/chatbot\/\w+\/data-source\/url$/,
  'update source': /^POST \/api\/v1\/data-source\/\w+\/update$/,
  'delete source': /^POST \/api\/v1\/data-source\/\w+\/delete$/,
  'create tag': /^POST \/api\/v1\/chatbot\/\w+\/source-tag\/create$/,
  'create session': /^POST \/api\/v1\/chatbot\/\w+\/session\/create$/,
  'list messages': /^GET \/api\/v1\/session\/\w+\/messages$/,
  'list sessions': /^GET \/api\/v1\/chatbot\/\w+\/sessions$/,
};

test('every operation of the interface is reached by a command; queries are what is asked', async () => {
  await using commands = await openCommands();
  const { use, press, requests, asked } = commands;
  requests.length = 0;
  await use('chatbot create', { name: 'Second' });
  await use('chatbot update', { chatbot: 'Second', name: 'Third' });
  await use('agent update', { agent: 'General Q&A', description: 'Changed' });
  await press((await use('agent delete', { agent: 'General Q&A' }))[0], 'Delete');
  await use('source upload', { file: textFile('a.md', 'Text') });
  await use('source url', { url: 'http://127.0.0.1:9/' });
  await use('source rename', { source: 'a.md', title: 'B' });
  await press((await use('source delete', { sources: 'B' }))[0], 'Delete');
  await use('tag create', { name: 'T', color: 'red' });
  await use('session new', {}, { thread });
  await use('session show', {}, { thread });
  await use('session list');
  await use('ask', { question: 'Why?' });
  expect(asked).toEqual(['Why?']);
  const said = await use('ask', { question: 'Here?' }, { ask: async () => 'here' });
  expect(said).toMatchObject([{ markdown: 'I’m answering below your question.' }]);
  const missed = Object.entries(operations)
    .filter(([, pattern]) => !requests.some((request) => pattern.test(request)))
    .map(([name]) => name);
  expect(missed).toEqual([]);
});

test('what nobody touched in a list of an agent stays as it is, whatever separators it contains', async () => {
  await using commands = await openCommands();
  const { client, chatbot, runner, context, last } = commands;
  const created = await client.createAgent(chatbot, { name: 'Desk', type: 'user-facing' });
  const variable = {
    name: 'plan',
    type: 'string' as const,
    description: 'free | paid; ask\nif unsure',
    default_value: { content: 'free', static: 1 },
  };
  const monitored = ['a person; please', 'help\nme'];
  await client.updateAgent(created.uuid, {
    variables: [variable],
    human_escalation_settings: { monitored_messages: monitored },
  });
  const typed = await runner.prefill({
    command: 'agent',
    action: 'update',
    values: { agent: 'Desk' },
    context: context(),
  });
  const more = {
    agent: 'Desk',
    variables: `${typed['variables']}\ncity | string | Where they live`,
    monitored: `${typed['monitored']}\nagent; human`,
  };
  expect(await last('agent update', more)).toContain('Saved');
  const agent = (await client.listAgents(chatbot)).find(({ name }) => name === 'Desk');
  expect(agent?.variables).toMatchObject([
    variable,
    { name: 'city', description: 'Where they live' },
  ]);
  expect(agent?.human_escalation_settings?.monitored_messages).toEqual([
    ...monitored,
    'agent',
    'human',
  ]);
});

test('a name is found however its letters are composed: files from a Mac have decomposed ones', async () => {
  await using commands = await openCommands();
  const { last, use, runner, context } = commands;
  const composed = 'Wo ist das Büro?'.normalize('NFC');
  const decomposed = composed.normalize('NFD');
  expect(decomposed).not.toBe(composed);
  await use('source qa', { question: decomposed, answer: 'In Haus B.' });
  for (const typed of [composed, composed.toUpperCase(), decomposed]) {
    expect(await last('source show', { source: typed })).toContain('In Haus B.');
    expect(await last('source list', { filter: typed })).toMatch(/^\*\*1 source/);
    const offered = await runner.complete({
      command: 'source',
      action: 'show',
      option: 'source',
      typed: typed.slice(0, -1),
      context: context(),
    });
    expect(offered).toHaveLength(1);
  }
  const [asked] = await use('source qa', { question: composed, answer: 'In Haus C.' });
  expect(asked?.markdown).toContain('In Haus B.');
  await use('tag create', { name: composed, color: 'teal' });
  const [second] = await use('tag create', { name: decomposed, color: 'teal' });
  expect(second?.buttons).toHaveLength(2);
});
