import { expect, test } from 'vitest';
import { query, startWithModel } from './model/model-fixture.ts';
import { startModelServer } from '../fixtures/model-server.ts';

const userFacing = 'user-facing';

test('says in the message which agent answers, and how well the others fitted', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  await service.ask(query);
  expect(await service.meta()).toMatchObject({ agent: { name: 'General Q&A' } });
  expect(await service.meta()).not.toHaveProperty('agents');

  await service.addAgent({
    name: 'Lighthouse',
    type: userFacing,
    description: 'Questions about the lighthouse',
    prompt: 'You keep the lighthouse.',
  });
  await service.ask(query);
  const { agent, agents } = await service.meta();
  expect(agent.name).toBe('Lighthouse');
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(['Lighthouse', 'General Q&A']);
  expect(agents[0].fit).toBeGreaterThan(agents[1].fit);
  expect(models.seen.at(-1)?.body.messages[0]?.content).toMatch(/^You keep the lighthouse\./);
});

test('prefers an agent of the sources that hold the answer to one of all', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const sources = await service.get(`/api/v1/chatbot/${service.chatbot}/data-sources`);
  const agent = await service.addAgent({ name: 'Keeper', type: userFacing });
  await service.post(`/api/v1/agent/${agent}/update`, {
    use_all_sources: false,
    data_source_uuids: [sources.json[0].uuid],
  });
  await service.ask(query);
  expect((await service.meta()).agent.name).toBe('Keeper');

  await service.post(`/api/v1/agent/${agent}/update`, { data_source_uuids: [] });
  await service.ask(query);
  expect((await service.meta()).agent.name).toBe('General Q&A');
});

test('minds bias, and stickness once an agent has answered', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  await service.addAgent({
    name: 'Clinging',
    type: userFacing,
    description: 'pancakes',
    stickness: 100,
    bias: -10,
  });
  const answers = async (text: string) => {
    await service.ask(text);
    return (await service.meta()).agent.name;
  };
  expect(await answers(query)).toBe('General Q&A');
  expect(await answers('pancakes')).toBe('Clinging');
  expect(await answers(query)).toBe('Clinging');
});

test('a pre-canned agent gives its message where its words fit the question', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const message = 'Refunds take five days.\n\nWrite to refunds@example.com.';
  await service.addAgent({
    name: 'Refunds',
    type: 'pre-canned',
    description: 'Refund of a ticket, money back',
    default_message: message,
  });
  await service.addAgent({ name: 'refund ticket', type: 'pre-canned' });
  expect(await service.ask('How do I get a refund for my ticket?')).toBe(message);
  expect(await service.meta()).toMatchObject({ agent: { name: 'Refunds' }, model: 'pre-canned' });
  expect(models.seen).toEqual([]);
  expect(await service.ask(query)).toBe('At nine.');
});

test('agents of other types are kept, and never answer', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  await service.updateAgent({ enabled: false });
  for (const type of ['human-escalation', 'spam-defense', 'background', 'pre-canned']) {
    await service.addAgent({ name: 'lighthouse open', type });
  }
  expect(await service.ask(query)).toContain('Enable a user-facing agent');
  const agents = await service.get(`/api/v1/chatbot/${service.chatbot}/agents`);
  expect(agents.json).toHaveLength(5);
});
