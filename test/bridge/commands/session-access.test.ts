import { expect, test } from 'vitest';
import { commands as allCommands } from '../../../src/bridge/commands/commands.ts';
import type { Result } from '../../../src/bridge/commands/invocation.ts';
import { openCommands } from './open-commands.ts';
import { toPress } from '../../fixtures/press.ts';

/** Every action that takes a session, of any command. */
const onSessions = allCommands.flatMap((command) =>
  'actions' in command
    ? Object.entries(command.actions).flatMap(([action, { options }]) =>
        Object.entries(options).flatMap(([option, declared]) =>
          declared.type === 'reference' && declared.to === 'session'
            ? [{ command: command.name, action, option }]
            : [],
        ),
      )
    : [],
);

const privateThread = { platform: 'fake', workspace: 'W', channel: 'P', thread: 'T' };

/** A conversation in a private channel, where nobody but those who use a command there is. */
async function openPrivate() {
  const opened = await openCommands();
  const { client, chatbot, places } = opened;
  const { uuid } = await client.createSession(chatbot);
  await Array.fromAsync(client.streamReply(uuid, 'Where is the treasure?'));
  places.set(uuid, { address: privateThread, isCurrent: true });
  return { ...opened, uuid, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

test('a session of a private channel does not exist for a manager elsewhere, whatever the command', async () => {
  await using opened = await openPrivate();
  const { runner, client, context, last, uuid } = opened;
  expect(onSessions.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['show', 'export', 'stop', 'retry', 'resume', 'delete']),
  );
  for (const { command, action, option } of onSessions) {
    const use = { command, action, context: context() };
    expect(await last(`${command} ${action}`, { [option]: uuid })).toBe(
      `**${option}**: There is no session called “${uuid}” here.`,
    );
    expect(await runner.complete({ ...use, option, typed: '' })).toEqual([]);
    const inside = { ...use, context: context({ channel: 'P' }) };
    const offered = await runner.complete({ ...inside, option, typed: '' });
    expect(offered.map(({ value }) => value)).toEqual([uuid]);
  }
  expect(await last('session list')).toBe('**0 sessions**');
  expect(await last('session list', {}, { channel: 'P' })).toContain('treasure');
  expect(await client.listMessages(uuid)).toHaveLength(1);
});

test('a direct message is read by its person there, and by no manager, after a new session too', async () => {
  await using opened = await openCommands();
  const { client, chatbot, sessions, places, last, use, press } = opened;
  const direct = { platform: 'fake', workspace: 'W', channel: 'D1', thread: 'D1' };
  const { uuid } = await client.createSession(chatbot);
  await Array.fromAsync(client.streamReply(uuid, 'Am I ill?'));
  sessions.set('D1', uuid);
  places.set(uuid, { address: direct, isCurrent: true });
  sessions.delete('D1');
  const person = {
    requester: { id: 'U2', name: 'Grace', isManager: false },
    channel: 'D1',
    thread: direct,
  };
  places.set(uuid, { address: direct, isCurrent: false });
  const elsewhere = { channel: 'D2' };
  for (const place of [{}, elsewhere, { workspace: 'W2' }]) {
    expect(await last('session show', { session: uuid }, place)).toMatch(/no session called/);
    expect(await last('session export', { session: uuid }, place)).toMatch(/no session called/);
    expect(await last('session list', {}, place)).toBe('**0 sessions**');
  }
  expect(await last('session show', { session: uuid }, person)).toContain('> Am I ill?');
  const [question] = await use('session delete', { session: uuid }, person);
  expect((await press(question, 'Delete', person))[0]?.markdown).toContain('was deleted');
  await expect(client.listMessages(uuid)).rejects.toMatchObject({ kind: 'not_found' });
});

test('a new session says that the one before is kept, or deletes it where its person wants that', async () => {
  await using opened = await openCommands();
  const { client, chatbot, sessions, places, last, use, press } = opened;
  const thread = { platform: 'fake', workspace: 'W', channel: 'C', thread: 'T' };
  const { uuid } = await client.createSession(chatbot);
  sessions.set('T', uuid);
  const member = { requester: { id: 'U2', name: 'Grace', isManager: false }, thread };
  expect(await last('session new', { forget: 'yes' }, member)).toMatch(/^Only managers/);
  expect(sessions.get('T')).toBe(uuid);
  expect(await last('session new', {}, member)).toMatch(
    /The earlier one is kept .*`\/session list` shows it/,
  );
  expect(places.get(uuid)).toEqual({ address: thread, isCurrent: false });
  const second = sessions.get('T') ?? '';
  const [question] = await use('session new', { forget: 'yes' }, { thread });
  expect(question?.markdown).toMatch(/^Delete the session/);
  expect((await press(question, 'Delete', { thread }))[0]?.markdown).toBe(
    'A new session starts here.',
  );
  await expect(client.listMessages(second)).rejects.toMatchObject({ kind: 'not_found' });
  expect(sessions.get('T')).not.toBe(second);
  expect(places.has(second)).toBe(false);
});

test('what a manager reads is in the audit log, and so is what they export', async () => {
  await using opened = await openCommands();
  const { client, chatbot, sessions, last, audit } = opened;
  const { uuid } = await client.createSession(chatbot);
  sessions.set('T', uuid);
  const everyone = { requester: { id: 'U2', name: 'Grace', isManager: false } };
  await last('session show', { session: uuid }, everyone);
  expect(audit).toEqual([]);
  await last('session show', { session: uuid });
  await last('session export', { session: uuid });
  expect(audit).toMatchObject([
    { audit: 'session show', who: { id: 'U1' }, what: { uuid } },
    { audit: 'session export', who: { id: 'U1' }, what: { uuid } },
  ]);
});

test('a private conversation can be shared only where its people are', async () => {
  await using opened = await openPrivate();
  const { use, press, uuid, client } = opened;
  await Array.fromAsync(client.streamReply(uuid, `Where else? ${'Tell me. '.repeat(100)}`));
  const there = { channel: 'P', thread: { ...privateThread } };
  const labelsOf = (results: Result[]) => results.at(-1)?.buttons?.map(({ label }) => label);
  const shown = await use('session show', { session: uuid }, there);
  expect(labelsOf(shown)).toEqual(['Show all', 'Share in channel']);
  // The result is in a direct message, and is turned to there.
  const elsewhere = { workspace: 'dm', channel: 'D1' };
  const turned = await press(shown.at(-1), 'Show all', elsewhere);
  expect(labelsOf(turned) ?? []).not.toContain('Share in channel');
});

test('a refused press leaves a result as it is, and uses nothing up', async () => {
  await using opened = await openCommands();
  const { runner, context, use, press, client, chatbot } = opened;
  await use('source qa', { question: 'Q?', answer: 'A.' });
  const [listed] = await use('source list');
  const next = listed?.buttons?.[0]?.id ?? '';
  const stranger = { requester: { id: 'U9', name: 'Eve', isManager: false } };
  expect(await runner.press(toPress(next, context(stranger)))).toMatchObject({ place: 'private' });
  expect(await runner.press(toPress('unknown', context()))).toMatchObject({ place: 'private' });
  const [question] = await use('source delete', { sources: 'Q?' });
  const outsider = {
    requester: { id: 'U1', name: 'Ada', isManager: true, outsider: 'unknown' as const },
  };
  const button = question?.buttons?.[0]?.id ?? '';
  expect(await runner.press(toPress(button, context(outsider)))).toMatchObject({
    place: 'private',
  });
  expect(await client.listDataSources(chatbot)).toHaveLength(1);
  await press(question, 'Delete');
  expect(await client.listDataSources(chatbot)).toEqual([]);
});

test('a private result in a direct message works where its command was used, for those still there', async () => {
  await using opened = await openCommands({ managers: ['U1', 'U2'] });
  const { use, press, runner, context, client, chatbot } = opened;
  await use('source qa', { question: 'Q?', answer: 'A.' });
  const direct = { workspace: 'dm', channel: 'D1' };
  // In a direct message, nobody is known as a manager.
  const gone = { requester: { id: 'U2', name: 'Grace', isManager: false } };
  const [theirs] = await use('source delete', { sources: 'Q?' }, gone);
  const button = theirs?.buttons?.[0]?.id ?? '';
  expect(await runner.press(toPress(button, context({ ...direct, ...gone })))).toMatchObject({
    place: 'private',
  });
  expect(await client.listDataSources(chatbot)).toHaveLength(1);
  const [question] = await use('source delete', { sources: 'Q?' });
  await press(question, 'Delete', {
    ...direct,
    requester: { id: 'U1', name: 'Ada', isManager: false },
  });
  expect(await client.listDataSources(chatbot)).toEqual([]);
});

test('values are suggested only to those who may run the command', async () => {
  await using opened = await openCommands();
  const { runner, context, use } = opened;
  await use('tag create', { name: 'Secret', color: 'red' });
  const complete = (change: Parameters<typeof context>[0]) =>
    runner.complete({
      command: 'tag',
      action: 'delete',
      option: 'tag',
      typed: '',
      context: context(change),
    });
  expect(await complete({})).toHaveLength(1);
  const requester = { id: 'U2', name: 'Grace', isManager: false };
  expect(await complete({ requester })).toEqual([]);
  expect(
    await complete({ requester: { ...requester, isManager: true, outsider: 'guest' } }),
  ).toEqual([]);
  expect(await complete({ workspace: 'W9' })).toEqual([]);
});

test('a workspace to which no chatbot belongs gets one sentence, whatever the command', async () => {
  await using opened = await openCommands();
  const { runner, last, context } = opened;
  for (const command of allCommands) {
    const actions = 'actions' in command ? Object.keys(command.actions) : [undefined];
    for (const action of actions) {
      if (['share', 'server', 'forget'].includes(action ?? '')) continue;
      const words = [command.name, action].filter(Boolean).join(' ');
      expect(await last(words, {}, { workspace: 'W9' })).toMatch(/^I don’t work here yet/);
      const use = { command: command.name, ...(action && { action }) };
      expect(await runner.mayUse({ ...use, context: context({ workspace: 'W9' }) })).toBe(false);
    }
  }
});

test('guests may ask and nothing else, and only where a manager allows it', async () => {
  await using opened = await openCommands();
  const { last, asked } = opened;
  const guest = {
    requester: { id: 'U7', name: 'Gil', isManager: false, outsider: 'guest' as const },
  };
  expect(await last('ask', { question: 'Hm?' }, guest)).toMatch(/^I don’t answer guests here/);
  expect(await last('chatbot guests', { allowed: 'on' })).toMatch(/may ask me in channels/);
  await last('ask', { question: 'Hm?' }, guest);
  expect(asked).toEqual(['Hm?']);
  for (const words of ['source list', 'session list', 'help', 'chatbot show', 'tag list']) {
    expect(await last(words, {}, guest)).toMatch(/^I don’t answer guests here/);
  }
  expect(await last('chatbot guests', { allowed: 'off' })).toMatch(/I don’t answer guests/);
  expect(await last('ask', { question: 'Hm?' }, guest)).toMatch(/^I don’t answer guests here/);
});

test('only the owner of a chatbot deletes it, shares it and takes it back', async () => {
  await using opened = await openCommands({ workspaces: ['W'] });
  const { last, use } = opened;
  await use('chatbot create', { name: 'Ours' });
  const codeIn = (text: string) => /code:(\S+)`/.exec(text)?.[1] ?? '';
  const code = codeIn(await last('chatbot share', { chatbot: 'Ours' }));
  const there = { workspace: 'W2' };
  expect(await last('chatbot share', { code: 'wrong' }, there)).toMatch(/^That code doesn’t exist/);
  const member = { ...there, requester: { id: 'U2', name: 'Grace', isManager: false } };
  expect(await last('chatbot share', { code }, member)).toMatch(/^Only managers/);
  expect(await last('chatbot share', { code }, there)).toMatch(/^✅ \*\*Ours\*\* now answers/);
  expect(await last('chatbot share', { code }, { workspace: 'W3' })).toMatch(/^That code/);
  expect(await last('chatbot show', {}, there)).toContain('**Ours**');
  expect(await last('chatbot share', { chatbot: 'Ours' }, there)).toMatch(/Only managers of the/);
  expect(await last('chatbot delete', { chatbot: 'Ours' }, there)).toMatch(/Only managers of the/);
  expect(await last('chatbot share', { chatbot: 'Ours', end: 'yes' })).toMatch(/no longer shared/);
  expect(await last('chatbot show', {}, there)).toMatch(/^I don’t work here yet/);
});

test('a result is shared from a direct message only by those who are where it is shown', async () => {
  await using opened = await openCommands();
  const { use, runner, context } = opened;
  const direct = { workspace: 'dm', channel: 'D1' };
  const shareFrom = async (channel: string) => {
    const [listed] = await use('chatbot list', {}, { channel });
    const share = listed?.buttons?.find(({ label }) => label === 'Share in channel');
    return runner.press(toPress(share?.id ?? '', context(direct), share?.label));
  };
  expect(await shareFrom('C2')).toMatchObject({ place: 'channel', at: { channel: 'C2' } });
  // Ada is no longer in the private channel.
  expect(await shareFrom('P')).toMatchObject({ place: 'private' });
});
