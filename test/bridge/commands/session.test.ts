import { expect, test } from 'vitest';
import { openCommands, thread } from './open-commands.ts';

const everyone = { requester: { id: 'U2', name: 'Grace', isManager: false } };

test('a thread that is with people says so, and is answered in again by command', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot, sessions, handedOver } = commands;
  const { uuid } = await client.createSession(chatbot);
  sessions.set('T', uuid);
  handedOver.set('T', 'A*da');
  expect(await last('session show', {}, { thread })).toContain(
    String.raw`**0 messages · with people, requested by A\*da**`,
  );
  expect(await last('session show', {}, { thread, locale: 'de-DE' })).toContain(
    'an Menschen übergeben',
  );
  expect(await last('session resume', {}, { thread, ...everyone })).toBe('Only a manager can.');
  expect(await last('session resume', { session: uuid })).toBe(
    'I’m answering in that thread again.',
  );
  expect(await last('session stop', {}, { thread })).toBe('Nothing to stop.');
  expect(await last('session show', {}, { thread })).toContain('**0 messages**');
});

test('what can’t be found to answer in again is told', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot } = commands;
  const { uuid } = await client.createSession(chatbot);
  expect(await last('session resume')).toMatch(/^There’s no session here/);
  expect(await last('session resume', { session: uuid })).toMatch(/There is no session called/);
  commands.places.set(uuid, { address: thread, isCurrent: false });
  expect(await last('session resume', { session: uuid })).toMatch(
    /^This session isn’t in any thread I know/,
  );
});

test('what was said in another workspace does not exist for the managers of this one', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot, sessions, handedOver } = commands;
  const { uuid } = await client.createSession(chatbot);
  sessions.set('T', uuid);
  handedOver.set('T', 'Ada');
  const elsewhere = { workspace: 'W2' };
  const values = { session: uuid };
  for (const action of ['show', 'export', 'stop', 'retry', 'resume', 'delete']) {
    expect(await last(`session ${action}`, values, elsewhere)).toBe(
      `**session**: There is no session called “${uuid}” here.`,
    );
    expect(await last(`session ${action}`, values, { channel: 'C2' })).not.toContain('no session');
  }
  expect(await last('session list', {}, elsewhere)).toBe('**0 sessions**');
});

test('the list shows what was asked first, and where, to everyone of the workspace', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot, sessions } = commands;
  const { uuid } = await client.createSession(chatbot);
  await Array.fromAsync(client.streamReply(uuid, 'When is\n[lunch](https://x.example)?'));
  await Array.fromAsync(client.streamReply(uuid, 'And dinner?'));
  sessions.set('T', uuid);
  const first = `- [When is [lunch] (https://x.example)?](https://chat.example/T) · `;
  expect(await last('session list', {}, everyone)).toContain(first);
  expect(await last('session list', {}, { channel: 'C2', ...everyone })).toContain(first);
});

test('a session goes by its first question, not by its id', async () => {
  await using commands = await openCommands();
  const { use, last, client, chatbot, sessions, runner } = commands;
  const { uuid } = await client.createSession(chatbot);
  await Array.fromAsync(client.streamReply(uuid, 'When is lunch?'));
  sessions.set('T', uuid);
  expect(await last('session list')).not.toContain(uuid);
  const suggested = await runner.complete({
    command: 'session',
    action: 'show',
    option: 'session',
    typed: 'lunch',
    context: commands.context(),
  });
  expect(suggested).toMatchObject([
    { label: expect.stringMatching(/^When is lunch\? · /), value: uuid },
  ]);
  expect(await last('session show', { session: 'when is lunch?' })).toContain('> When is lunch?');
  const [asked] = await use('session delete', { session: 'When is lunch?' });
  expect(asked?.markdown).toMatch(/^Delete the session “When is lunch\?” with its 1 message/);
  const [deleted] = await commands.press(asked, 'Delete');
  expect(deleted?.markdown).toBe('🗑️ “When is lunch?” was deleted.');
});

test('a question that was deleted no longer names its session', async () => {
  let now = 0;
  await using commands = await openCommands({ now: () => now });
  const { client, chatbot, sessions, runner } = commands;
  const { uuid } = await client.createSession(chatbot);
  for (const query of ['Am I ill?', 'When is lunch?']) {
    await Array.fromAsync(client.streamReply(uuid, query));
  }
  sessions.set('T', uuid);
  const suggested = async () => {
    const context = commands.context();
    const use = { command: 'session', action: 'show', option: 'session', typed: '', context };
    return (await runner.complete(use)).map(({ name }) => name);
  };
  expect(await suggested()).toEqual(['Am I ill?']);
  const [first] = await client.listMessages(uuid);
  await client.call('deleteMessage', { params: { uuid: first?.uuid ?? '' } });
  now += 60_000;
  expect(await suggested()).toEqual(['When is lunch?']);
});

test('why a thread can’t be given back is told in the reader’s language', async () => {
  await using commands = await openCommands();
  const { last } = commands;
  expect(await last('session resume', {}, { thread })).toMatch(/^I’m already answering here/);
  expect(await last('session resume', {}, { thread, locale: 'de-DE' })).toMatch(
    /^Ich antworte hier schon/,
  );
});

test('why a reply failed is shown and exported in the reader’s language', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot, sessions } = commands;
  for (const { uuid } of await client.listAgents(chatbot)) {
    await client.updateAgent(uuid, { enabled: false });
  }
  const { uuid } = await client.createSession(chatbot);
  sessions.set('T', uuid);
  const reply = await Array.fromAsync(client.streamReply(uuid, 'Why?'));
  expect(reply.join('')).toMatch(/^None of this chatbot’s agents is switched on/);
  expect(await last('session show', {}, { thread })).toContain(reply.join(''));
  expect(await last('session show', {}, { thread, locale: 'de' })).toContain(
    'Kein Agent dieses Chatbots ist zum Antworten aktiviert.',
  );
  const [exported] = await commands.use('session export', {}, { thread, locale: 'de' });
  expect(exported?.files?.[0]?.text).toContain('Kein Agent dieses Chatbots');
});

test('the messages of a session are shown without what people said before them', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot, sessions } = commands;
  const { uuid } = await client.createSession(chatbot);
  sessions.set('T', uuid);
  const query =
    '(People talked here meanwhile:\nAda: It is late.\nWhat follows is said to you.)\n\nHow?';
  await Array.fromAsync(client.streamReply(uuid, query));
  const shown = await last('session show', {}, { thread });
  expect(shown).toContain('> How?');
  expect(shown).not.toContain('It is late');
});

/** Commands before a service whose session in this thread has these messages. */
async function openStored(...messages: { response: string; cite_data_json?: string }[]) {
  const rows = messages.map((message) => ({ ...storedMessage, ...message }));
  const commands = await openCommands({
    answer: ({ url }) => (url.endsWith('/messages') ? Response.json(rows) : undefined),
  });
  const { uuid } = await commands.client.createSession(commands.chatbot);
  commands.sessions.set('T', uuid);
  return commands;
}

const storedMessage = {
  uuid: '11111111-1111-4111-8111-111111111111',
  query: 'How?',
  created_at: '2026-03-03T09:00:00Z',
  modified_at: '2026-03-03T09:00:00Z',
};

test('code in a long answer ends where the answer is cut', async () => {
  const code = `So:\n\n\`\`\`js\n${'run();\n'.repeat(200)}\`\`\``;
  await using commands = await openStored({ response: code }, { response: 'Later.' });
  const shown = await commands.last('session show', {}, { thread });
  expect(shown).toMatch(/run\(\);\n.*…\n```\n\n[^`]+\n> How\?\n\nLater\.$/);
});

test('an answer is shown and exported with the numbers of its sources, not their markers', async () => {
  await using commands = await openStored({
    response: 'At nine [3.4], not ten [73.1].',
    cite_data_json: JSON.stringify({ '3.4': { title: 'Handbook' } }),
  });
  const shown = 'At nine [1], not ten.';
  expect(await commands.last('session show', {}, { thread })).toContain(shown);
  const [exported] = await commands.use('session export', {}, { thread });
  expect(exported?.files?.[0]?.text).toContain(shown);
});
