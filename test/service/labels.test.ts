import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { parseJsonAnswer } from '../../src/service/after-turn/prompts.ts';
import { handbook, startTestService } from './fixture.ts';
import { query, startWithModel } from './model/model-fixture.ts';
import {
  type ModelServer,
  type SeenCompletion,
  sendCompletion,
  startModelServer,
} from '../fixtures/model-server.ts';

const tags = [
  { name: 'Angry', criteria: 'The user shouts', color: '#ff0000' },
  { name: 'Opening hours', criteria: 'Asks when something opens', color: '#00ff00' },
];

const isLabelling = ({ body }: SeenCompletion) =>
  body.messages[0]?.content.includes('label a conversation') ?? false;

/** Replies as ever; labels with `answer`. */
function labelWith(models: ModelServer, answer: string) {
  models.answer = (response, request) =>
    sendCompletion(response, [isLabelling(request) ? answer : 'At nine.']);
}

async function startWithLabeler(models: ModelServer) {
  const service = await startWithModel(models);
  const sorter = { name: 'Sorter', type: 'background', prompt: 'Be strict.', tags };
  const agent = await service.addAgent(sorter);
  return Object.assign(service, { agent });
}

test('labels the conversation by the criteria of background agents, in one call', async () => {
  await using models = await startModelServer();
  await using service = await startWithLabeler(models);
  const more = [{ name: 'Short', criteria: 'One word', color: '#0000ff' }];
  const other = await service.addAgent({ name: 'Other', type: 'background', tags: more });
  labelWith(models, '```json\n{"labels": ["opening HOURS", "Invented", "Short"]}\n```');
  expect(await service.ask(query)).toBe('At nine.');
  await service.service.settled();

  const calls = models.seen.filter(isLabelling);
  expect(calls).toHaveLength(1);
  const [system, user] = calls[0]?.body.messages ?? [];
  expect(system?.content).toContain('Be strict.');
  expect(system?.content).toContain('- "Angry": The user shouts');
  expect(system?.content).toContain('- "Short": One word');
  expect(user?.content).toMatch(/^<text-\w+ the user said>\nWhen does.*\n<\/text-/);
  expect(user?.content).toMatch(/\n<text-\w+ the chatbot said>\nAt nine\.\n<\/text-\w+>$/);
  const [message] = await service.messages();
  expect(message).toMatchObject({
    labels: ['Opening hours', 'Short'],
    background_pending_tasks: 0,
  });
  expect((await service.meta()).labels).toEqual([
    { name: 'Opening hours', color: '#00ff00', agent: service.agent },
    { name: 'Short', color: '#0000ff', agent: other },
  ]);
});

test('the reply does not wait for its labels', async () => {
  await using models = await startModelServer();
  await using service = await startWithLabeler(models);
  const labelling = Promise.withResolvers<ServerResponse>();
  models.answer = (response, request) =>
    isLabelling(request) ? labelling.resolve(response) : sendCompletion(response, ['At nine.']);
  expect(await service.ask(query)).toBe('At nine.');
  const [message] = await service.messages();
  expect(message).toMatchObject({ labels: [], background_pending_tasks: 1 });
  sendCompletion(await labelling.promise, ['{"labels": ["Angry"]}']);
  await service.service.settled();
  expect((await service.messages())[0]).toMatchObject({
    labels: ['Angry'],
    background_pending_tasks: 0,
  });
});

test.each(['I would say angry.', '{"labels": "Angry"}', '{"labels": [', '[]', '{"labels": null}'])(
  'leaves a conversation without labels where the model answers %s',
  async (answer) => {
    await using models = await startModelServer();
    await using service = await startWithLabeler(models);
    labelWith(models, answer);
    await service.ask(query);
    await service.service.settled();
    expect((await service.messages())[0]).toMatchObject({ labels: [], error_message: '' });
  },
);

test.each([
  '{"labels": [{"name": "Angry"}]}',
  '{"labels": {"Angry": true, "Opening hours": false}}',
])('understands %s', async (answer) => {
  await using models = await startModelServer();
  await using service = await startWithLabeler(models);
  labelWith(models, answer);
  await service.ask(query);
  await service.service.settled();
  expect((await service.messages())[0].labels).toEqual(['Angry']);
});

test('a failing model, a disabled agent and a failed reply bring no labels', async () => {
  await using models = await startModelServer();
  await using service = await startWithLabeler(models);
  models.answer = (response, request) =>
    isLabelling(request)
      ? void response.writeHead(500).end()
      : sendCompletion(response, ['At nine.']);
  await service.ask(query);
  await service.service.settled();
  expect((await service.messages())[0]).toMatchObject({ labels: [], error_message: '' });

  models.answer = (response) => void response.writeHead(500).end();
  const before = models.seen.length;
  await service.ask(query);
  await service.service.settled();
  expect(models.seen).toHaveLength(before + 1);

  labelWith(models, '{"labels": ["Angry"]}');
  await service.post(`/api/v1/agent/${service.agent}/update`, { enabled: false });
  await service.ask(query);
  await service.service.settled();
  expect(models.seen).toHaveLength(before + 2);
});

test('without a model background agents are kept and do nothing', async () => {
  await using service = await startTestService();
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  const created = await service.post(`/api/v1/chatbot/${chatbot}/agent/create`, {
    name: 'Sorter',
    type: 'background',
    tags,
  });
  await service.post(`/api/v1/agent/${created.json.uuid}/update`, { enabled: true });
  await service.service.settled();
  const path = `/api/v1/session/${await service.createSession(chatbot)}`;
  await service.post(`${path}/message/non-stream`, { query });
  await service.service.settled();
  expect((await service.get(`${path}/messages`)).json[0]).toMatchObject({ labels: [] });
});

test('a service that closes does not wait for the labels', async () => {
  await using models = await startModelServer();
  const closed = Promise.withResolvers<void>();
  {
    await using service = await startWithLabeler(models);
    const labelling = Promise.withResolvers<ServerResponse>();
    models.answer = (response, request) =>
      isLabelling(request) ? labelling.resolve(response) : sendCompletion(response, ['At nine.']);
    await service.ask(query);
    const response = await labelling.promise;
    response.on('close', () => closed.resolve());
  }
  await expect(closed.promise).resolves.toBeUndefined();
});

test('many short turns fit a small context with their fences', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(
    models,
    {},
    { llm: { baseUrl: models.baseUrl, model: 'small', contextTokens: 1400 } },
  );
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  const turn = { query: 'And now, what do you say?', pre_canned_response: 'Well, it opens.' };
  for (let count = 0; count < 19; count++) await service.post(path, turn);
  await service.addAgent({ name: 'Sorter', type: 'background', tags });
  labelWith(models, '{"labels": []}');
  await service.ask(query);
  await service.service.settled();
  const { messages = [] } = models.seen.find(isLabelling)?.body ?? {};
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  expect(bytes / 3.5).toBeLessThan(1400 * 0.9 - 1400 / 4);
  expect(messages.at(-1)?.content).toContain('And now');
});

test.each([
  '{"a": {"b": 1}}',
  'Here you are:\n```json\n{"a": {"b": 1}}\n```\nAnything else?',
  '<think>A set {like this}?</think>{"a": {"b": 1}}',
])('finds the JSON object in the model’s answer %j', (answer) => {
  expect(parseJsonAnswer(answer)).toEqual({ a: { b: 1 } });
});

test.each(['', 'none', '[1]', '{"a": ', 'null', '}{'])(
  'finds no JSON object in the model’s answer %j',
  (answer) => {
    expect(parseJsonAnswer(answer)).toBeUndefined();
  },
);
