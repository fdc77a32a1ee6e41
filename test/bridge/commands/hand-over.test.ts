import { expect, test } from 'vitest';
import { openCommands } from './open-commands.ts';

const channel = { channel: 'C2' };

test('one command creates and enables what a hand-over needs, and says how it works', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot, notices, settings, context, audit } = commands;
  expect(await last('handover status')).toMatch(/^Talking to a person is off\. .+ `\/handover on`/);
  const shown = await last('handover on', channel);
  expect(shown).toMatch(/^✅ Talking to a person is on\.\n\nPeople press \*\*Talk to a person\*\*/);
  expect(shown).toMatch(/“talk to a person”[^]+Channel: #audit$/);
  const agents = await client.listAgents(chatbot);
  expect(agents.find(({ type }) => type === 'human-escalation')).toMatchObject({
    enabled: true,
    human_escalation_settings: {
      notifications_enabled: true,
      monitored_messages: expect.arrayContaining([
        'talk to a human',
        'mit einem menschen sprechen',
      ]),
    },
  });
  expect((await settings.of(context())).contacts.channel).toBe('C2');
  expect(notices.map(({ to }) => to)).toEqual([channel]);
  expect(audit.map(({ audit: what }) => what)).toEqual(['handover on', 'handover on']);
  // Once more changes nothing, and posts nothing.
  expect(await last('handover on', channel)).toBe(shown);
  expect(notices).toHaveLength(1);
  expect(await client.listAgents(chatbot)).toHaveLength(agents.length);
});

test('it is switched off and on again, with its own texts', async () => {
  await using commands = await openCommands();
  const { last, client, chatbot } = commands;
  await last('handover on', channel);
  const agents = await client.listAgents(chatbot);
  const uuid = agents.find(({ type }) => type === 'human-escalation')?.uuid ?? '';
  await client.updateAgent(uuid, {
    human_escalation_settings: { monitored_messages: ['a person, please'] },
  });
  expect(await last('handover off')).toMatch(/^✅ Talking to a person is off\./);
  expect(await last('handover status')).toMatch(/^Talking to a person is off\./);
  expect(await last('handover on', channel)).toContain('write something like “a person, please”.');
});

test('an agent that also answers questions loses its texts for hand-overs only if that is confirmed', async () => {
  await using commands = await openCommands();
  const { use, last, press, client, chatbot } = commands;
  const [agent] = await client.listAgents(chatbot);
  await client.updateAgent(agent?.uuid ?? '', {
    human_escalation_settings: { monitored_messages: ['a person, please'] },
  });
  expect(await last('handover status')).toContain('Nobody is notified');
  const [asked] = await use('handover off');
  expect(asked?.markdown).toMatch(/also answers questions, so it stays\./);
  expect(await last('handover status')).toContain('“a person, please”');
  const [done] = await press(asked, 'Clear');
  expect(done?.markdown).toMatch(/^✅ Talking to a person is off\./);
  const [cleared] = await client.listAgents(chatbot);
  expect(cleared).toMatchObject({ enabled: true });
  expect(cleared?.human_escalation_settings?.monitored_messages).toEqual([]);
});

test('nothing changes where the bot can’t write in the channel, and only managers may', async () => {
  await using commands = await openCommands({
    beforeNotice() {
      throw new Error('closed');
    },
  });
  const { last, client, chatbot } = commands;
  const before = await client.listAgents(chatbot);
  expect(await last('handover on', channel)).toMatch(/^❌ I can’t write in #audit/);
  const member = { requester: { id: 'U2', name: 'Bert', isManager: false } };
  expect(await last('handover on', channel, member)).toMatch(/^Only managers/);
  expect(await client.listAgents(chatbot)).toEqual(before);
});
