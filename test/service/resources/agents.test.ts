import { expect, test } from 'vitest';
import { handbook, startTestService } from '../fixture.ts';

test('creates an agent, disabled at first, and gets it', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const { status, json } = await service.post(`/api/v1/chatbot/${chatbot}/agent/create`, {
    name: 'Sorter',
    type: 'background',
    tags: { name: 'Angry', criteria: 'The user is angry', color: '#ff0000' },
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    name: 'Sorter',
    type: 'background',
    enabled: false,
    data_source_uuids: [],
    tool_functions: [],
    meta: {
      model: 'extractive',
      temperature: 0,
      use_all_sources: true,
      tags: [{ name: 'Angry', criteria: 'The user is angry', color: '#ff0000' }],
    },
  });
  expect(json).not.toHaveProperty('variables');
  expect((await service.get(`/api/v1/agent/${json.uuid}`)).json).toEqual(json);
});

test('updates every field of an agent', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const source = await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  const agents = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
  const { uuid } = agents.json[0];
  const variables = [
    {
      name: 'plan',
      description: 'The plan of the user',
      type: 'string',
      example: 'pro',
      default_value: { content: 'free', static: 0 },
    },
  ];
  const { status, json } = await service.post(`/api/v1/agent/${uuid}/update`, {
    name: 'Guide',
    prompt: 'Be brief.',
    description: 'Knows the lighthouse',
    model: 'gpt-4o-8k',
    temperature: 0.5,
    bias: 10,
    stickness: -5,
    default_message: 'Hello.',
    enabled: false,
    use_all_sources: false,
    data_source_uuids: [source.json.uuid, source.json.uuid],
    human_escalation_settings: { sound_enabled: true, monitored_messages: ['help'] },
    variables,
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    name: 'Guide',
    prompt: 'Be brief.',
    description: 'Knows the lighthouse',
    enabled: false,
    data_source_uuids: [source.json.uuid],
    meta: {
      model: 'gpt-4o-8k',
      temperature: 0.5,
      use_all_sources: false,
      tags: [],
      bias: 10,
      stickness: -5,
      default_message: 'Hello.',
    },
    human_escalation_settings: {
      sound_enabled: true,
      notifications_enabled: false,
      monitored_messages: ['help'],
    },
    variables,
  });

  const again = await service.post(`/api/v1/agent/${uuid}/update`, { enabled: true });
  expect(again.json).toEqual({ ...json, enabled: true, modified_at: again.json.modified_at });
});

test('refuses what does not fit the agent with 422', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  const other = await service.createChatbot();
  const foreign = await service.upload(`/api/v1/chatbot/${other}/data-source/upload`, handbook);
  const agents = await service.get(`/api/v1/chatbot/${chatbot}/agents`);
  const update = `/api/v1/agent/${agents.json[0].uuid}/update`;

  const sources = await service.post(update, { data_source_uuids: [foreign.json.uuid] });
  expect(sources.status).toBe(422);
  expect(sources.json.error).toContain(foreign.json.uuid);

  const tags = [{ name: 'Angry', criteria: 'Shouts', color: '#ff0000' }];
  const tagged = await service.post(update, { tags });
  expect(tagged.status).toBe(422);
  expect(tagged.json.error).toContain('tags: only background agents');

  const create = `/api/v1/chatbot/${chatbot}/agent/create`;
  const escalation = { name: 'Human', type: 'human-escalation' };
  expect((await service.post(create, escalation)).status).toBe(200);
  expect((await service.post(create, escalation)).status).toBe(422);
});

test('without a model server, lists the one model there is at no cost, and the field’s', async () => {
  await using service = await startTestService();
  const { json } = await service.get('/api/v1/agent/models');
  expect(json.models[0]).toBe('extractive');
  expect(json.models).toContain('gpt-4o-8k');
  expect((await service.get('/api/v1/agent/model-costs')).json.model_costs).toMatchObject({
    extractive: 0,
    'gpt-4o-8k': 20,
  });
});
