import { expect } from 'vitest';
import type { AgentCreate } from '../../../src/shared/api/agent.ts';
import type { Given, NounScenarios } from './scenario.ts';
import type { World } from './world.ts';

const agentNamed = async ({ client, chatbot }: World, name: string) =>
  (await client.listAgents(chatbot)).find((agent) => agent.name === name);

const addAgent =
  (name: string, type: 'user-facing' | 'background' = 'user-facing') =>
  async ({ client, chatbot }: World): Promise<Given> => ({
    uuid: (await client.createAgent(chatbot, { name, type } satisfies AgentCreate)).uuid,
  });

export const agentScenarios: NounScenarios = {
  works: [
    {
      does: 'lists them, a page at a time',
      command: 'agent list',
      values: { page: '1' },
      shows: /\d+ agents?[^]*General Q&A[^]*enabled/,
    },
    {
      does: 'shows all about one',
      command: 'agent show',
      given: addAgent('Looked at'),
      values: { agent: 'looked at' },
      shows: /Looked at[^]+disabled[^]+Temperature/,
      check(_, { text }, { uuid = '-' }) {
        expect(text).toContain(uuid);
      },
    },
    {
      does: 'creates one that answers people, disabled at first',
      command: 'agent create',
      values: {
        name: 'Night shift',
        type: 'user-facing',
        description: 'Answers at night',
        prompt: 'Be quiet.\nBe brief.',
        model: 'large',
        temperature: '0,25',
        'all-sources': 'no',
      },
      shows: /Night shift.*was created and is disabled/,
      async check(world) {
        expect(await agentNamed(world, 'Night shift')).toMatchObject({
          type: 'user-facing',
          enabled: false,
          description: 'Answers at night',
          prompt: 'Be quiet.\nBe brief.',
          meta: { model: 'large', temperature: 0.25, use_all_sources: false },
        });
      },
    },
    {
      does: 'creates one that labels conversations',
      command: 'agent create',
      values: { name: 'Labels', type: 'background', tags: 'praise | #00ff00 | They are happy' },
      shows: /Labels.*was created/,
      async check(world) {
        const agent = await agentNamed(world, 'Labels');
        expect(agent?.meta.tags).toMatchObject([
          { name: 'praise', color: '#00ff00', criteria: 'They are happy' },
        ]);
      },
    },
    {
      does: 'changes every setting of one that answers people',
      command: 'agent update',
      given: addAgent('Changes'),
      values: {
        agent: 'Changes',
        name: 'Changed',
        description: 'What it is for',
        prompt: 'How it answers',
        model: 'large',
        temperature: '1',
        'all-sources': 'true',
        variables: 'city | string | Where they live | Ghent; vip | boolean | Pays more',
        'handover-message': 'Someone will come.',
        'handover-start': 'Here I am.',
        'handover-end': 'Good bye.',
        monitored: 'a person please; help me',
        notifications: 'yes',
        sound: 'true',
      },
      shows: /Saved: .*Changed/,
      async check(world, _, { uuid }) {
        const agent = await agentNamed(world, 'Changed');
        expect(agent).toMatchObject({
          uuid,
          description: 'What it is for',
          prompt: 'How it answers',
          meta: { model: 'large', temperature: 1, use_all_sources: true },
          human_escalation_settings: {
            human_requested_message: 'Someone will come.',
            live_chat_start_announcement: 'Here I am.',
            live_chat_end_announcement: 'Good bye.',
            monitored_messages: ['a person please', 'help me'],
            notifications_enabled: true,
            sound_enabled: true,
          },
        });
        expect(agent?.variables).toMatchObject([
          { name: 'city', type: 'string', description: 'Where they live', example: 'Ghent' },
          { name: 'vip', type: 'boolean', description: 'Pays more' },
        ]);
      },
    },
    {
      does: 'changes the labels of one that works in the background, and empties them',
      command: 'agent update',
      given: addAgent('Sorts', 'background'),
      values: { agent: 'Sorts', tags: 'urgent | #ff0000 | At once' },
      shows: /Saved: .*Sorts/,
      async check(world) {
        expect((await agentNamed(world, 'Sorts'))?.meta.tags).toHaveLength(1);
        const values = { agent: 'Sorts', tags: 'none' };
        await world.manager.use({ command: 'agent update', values }, /Saved: .*Sorts/);
        expect((await agentNamed(world, 'Sorts'))?.meta.tags).toEqual([]);
      },
    },
    {
      does: 'lets one answer',
      command: 'agent enable',
      given: addAgent('Sleeper'),
      values: { agent: 'sleeper' },
      shows: /Saved: .*Sleeper.*enabled/,
      async check(world) {
        expect(await agentNamed(world, 'Sleeper')).toMatchObject({ enabled: true });
      },
    },
    {
      does: 'keeps one from answering',
      command: 'agent disable',
      async given({ client, ...world }) {
        const { uuid = '' } = await addAgent('Talker')({ client, ...world });
        await client.updateAgent(uuid, { enabled: true });
      },
      values: { agent: 'Talker' },
      shows: /Saved: .*Talker.*disabled/,
      async check(world) {
        expect(await agentNamed(world, 'Talker')).toMatchObject({ enabled: false });
      },
    },
    {
      does: 'deletes one once it was asked whether to',
      command: 'agent delete',
      given: addAgent('Retired'),
      values: { agent: 'Retired' },
      shows: /Delete the agent.*Retired/,
      async check(world, asked) {
        expect(asked.buttons).toEqual(['Delete', 'Cancel']);
        await world.manager.press(asked, 'Delete', /Retired.*was deleted/);
        expect(await agentNamed(world, 'Retired')).toBeUndefined();
      },
    },
    {
      does: 'chooses the sources that one sees',
      command: 'agent sources',
      async given(world) {
        const { uuid } = await world.addSource('Seen by one alone');
        return { ...(await addAgent('Reader')(world)), source: uuid };
      },
      values: { agent: 'Reader', sources: 'Seen by one alone' },
      shows: /Saved: .*Reader/,
      async check(world, _, { source }) {
        expect(await agentNamed(world, 'Reader')).toMatchObject({
          data_source_uuids: [source],
          meta: { use_all_sources: false },
        });
      },
    },
    {
      does: 'lets one see all sources',
      command: 'agent sources',
      async given(world) {
        const { uuid = '' } = await addAgent('Sees all')(world);
        await world.client.updateAgent(uuid, { use_all_sources: false });
      },
      values: { agent: 'Sees all', 'all-sources': 'true' },
      shows: /Saved: .*Sees all/,
      async check(world) {
        expect(await agentNamed(world, 'Sees all')).toMatchObject({
          meta: { use_all_sources: true },
        });
      },
    },
  ],
  refuses: [
    {
      does: 'a label without a colour',
      command: 'agent create',
      values: { name: 'Never made', type: 'background', tags: 'urgent | red' },
      shows: /“urgent .*red” isn’t a tag/,
      async check(world) {
        expect(await agentNamed(world, 'Never made')).toBeUndefined();
      },
    },
    {
      does: 'a label without a colour, for one that is there',
      command: 'agent update',
      given: addAgent('Keeps its labels', 'background'),
      values: { agent: 'Keeps its labels', tags: 'urgent' },
      shows: /“urgent” isn’t a tag/,
    },
    {
      does: 'a variable of no known type',
      command: 'agent update',
      given: addAgent('Keeps its variables'),
      values: { agent: 'Keeps its variables', variables: 'age | years | How old' },
      shows: /“age .*years.*” isn’t a variable/,
      async check(world) {
        expect((await agentNamed(world, 'Keeps its variables'))?.variables).toEqual([]);
      },
    },
    {
      does: 'a choice of sources that names none',
      command: 'agent sources',
      given: addAgent('Sees as before'),
      values: { agent: 'Sees as before', sources: '' },
      shows: /Name the sources/,
    },
  ],
};
