import { expect, test } from 'vitest';
import { query, startWithModel } from './model/model-fixture.ts';
import {
  type ModelServer,
  type SeenCompletion,
  sendCompletion,
  startModelServer,
} from '../fixtures/model-server.ts';

const variables = [
  {
    name: 'plan',
    description: 'Their plan',
    type: 'string',
    example: 'pro',
    default_value: { content: 'free' },
  },
  { name: 'seats', description: 'How many', type: 'number', default_value: { content: '1' } },
  { name: 'member', description: 'Whether they are one', type: 'boolean' },
];

const isLearning = ({ body }: SeenCompletion) =>
  body.messages[0]?.content.includes('read from a conversation') ?? false;

function tell(models: ModelServer, answer: string) {
  models.answer = (response, request) =>
    sendCompletion(response, [isLearning(request) ? answer : 'At nine.']);
}

async function startWithVariables(models: ModelServer, changes: object = { variables }) {
  const prompt = 'Plan {{plan}}, seats {{ seats }}, member {{member}}, {{other}}.';
  const service = await startWithModel(models, { prompt });
  await service.updateAgent(changes);
  const ask = async (session: string) => {
    await service.post(`/api/v1/session/${session}/message/stream`, { query });
    await service.service.settled();
    const { messages = [] } = models.seen.findLast((seen) => !isLearning(seen))?.body ?? {};
    return messages[0]?.content ?? '';
  };
  /** The values in the last prompt's fence. */
  const values = () =>
    models.seen
      .findLast((seen) => !isLearning(seen))
      ?.body.messages.at(-1)
      ?.content.match(/ values>\n([^<]*)\n</)?.[1];
  const createSession = async (initial_variables: object) => {
    const path = `/api/v1/chatbot/${service.chatbot}/session/create`;
    return String((await service.post(path, { initial_variables })).json.uuid);
  };
  return Object.assign(service, { askIn: ask, values, createSessionWith: createSession });
}

test('fills the prompt with defaults, and says what it knows', async () => {
  await using models = await startModelServer();
  await using service = await startWithVariables(models);
  const system = await service.askIn(service.session);
  expect(system).toMatch(/^Plan free, seats 1, member unknown, \{\{other\}\}\./);
  expect(system).toContain('- plan (Their plan): free\n- seats (How many): 1');
  expect(system).not.toContain('- member');
});

test('learns variables from the conversation, each of its type, and keeps them', async () => {
  await using models = await startModelServer();
  await using service = await startWithVariables(models);
  tell(models, 'Sure! {"plan": "pro\\n  plus", "seats": "5", "member": "yes", "shoe": 43}');
  await service.askIn(service.session);
  const [system, user] = models.seen.find(isLearning)?.body.messages ?? [];
  expect(system?.content).toContain('- "plan" (string): Their plan For example: pro');
  expect(user?.content).toMatch(/^<text-\w+ the user said>\nWhen does.*\n<\/text-/);
  expect(user?.content).toMatch(/\n<text-\w+ the chatbot said>\nAt nine\.\n<\/text-\w+>$/);
  expect((await service.get(`/api/v1/session/${service.session}`)).json.variables).toEqual({
    plan: 'pro plus',
    seats: 5,
    member: true,
  });

  tell(models, '{"plan": null, "seats": "many", "member": 0}');
  expect(await service.askIn(service.session)).toMatch(/^Plan \{\{plan\}\}, seats 5, member true,/);
  expect(service.values()).toBe('- plan: pro plus');
  expect((await service.get(`/api/v1/session/${service.session}`)).json.variables).toEqual({
    plan: 'pro plus',
    seats: 5,
    member: false,
  });

  const elsewhere = await service.createSession(service.chatbot);
  expect(await service.askIn(elsewhere)).toMatch(/^Plan free,/);
});

test('a deleted message takes along what was learned, which the next one finds again', async () => {
  await using models = await startModelServer();
  await using service = await startWithVariables(models);
  tell(models, '{"seats": 5}');
  await service.askIn(service.session);
  const path = `/api/v1/session/${service.session}`;
  const { json: messages } = await service.get(`${path}/messages`);
  await service.post(`/api/v1/message/${messages[0].uuid}/delete`);
  expect((await service.get(path)).json).not.toHaveProperty('variables');
  expect(await service.askIn(service.session)).toMatch(/seats 1,/);
  expect((await service.get(path)).json.variables).toEqual({ seats: 5 });
});

test('nothing is learned from a message that is deleted while the model reads it', async () => {
  await using models = await startModelServer();
  await using service = await startWithVariables(models);
  const path = `/api/v1/session/${service.session}`;
  models.answer = async (response, request) => {
    if (!isLearning(request)) return sendCompletion(response, ['At nine.']);
    const { json: messages } = await service.get(`${path}/messages`);
    await service.post(`/api/v1/message/${messages[0].uuid}/delete`);
    return sendCompletion(response, ['{"seats": 5}']);
  };
  await service.askIn(service.session);
  expect(models.seen.filter(isLearning)).toHaveLength(1);
  expect((await service.get(path)).json).not.toHaveProperty('variables');
});

test('values from the session’s creator win over those from the conversation', async () => {
  await using models = await startModelServer();
  await using service = await startWithVariables(models);
  tell(models, '{"plan": "enterprise", "seats": 9}');
  const session = await service.createSessionWith({ plan: 'pro', other: 'x\ny' });
  expect(await service.askIn(session)).toMatch(
    /^Plan \{\{plan\}\}, seats 1, member unknown, \{\{other\}\}\./,
  );
  expect(service.values()).toBe('- plan: pro\n- other: x y');
  expect(models.seen.find(isLearning)?.body.messages[0]?.content).not.toContain('"plan"');
  expect(await service.askIn(session)).toMatch(/^Plan \{\{plan\}\}, seats 9,/);
  const { json } = await service.get(`/api/v1/session/${session}`);
  expect(json.initial_variables).toEqual({ plan: 'pro', other: 'x\ny' });
  expect(json.variables).toEqual({ plan: 'pro', seats: 9, other: 'x\ny' });
});

test('a variable may be named like anything', async () => {
  await using models = await startModelServer();
  const variable = { name: 'constructor', description: 'Who built it', type: 'string' };
  await using service = await startWithVariables(models, { variables: [variable] });
  expect(await service.askIn(service.session)).not.toContain('constructor');
});

test('static variables keep their default, and cost no call', async () => {
  await using models = await startModelServer();
  const fixed = { name: 'plan', description: 'Their plan', type: 'string' };
  await using service = await startWithVariables(models, {
    variables: [{ ...fixed, default_value: { content: 'free', static: 1 } }],
  });
  expect(await service.askIn(service.session)).toMatch(/^Plan free,/);
  expect(models.seen).toHaveLength(1);
});

test('a model that answers nonsense teaches nothing', async () => {
  await using models = await startModelServer();
  await using service = await startWithVariables(models);
  tell(models, 'The plan is {pro}');
  await service.askIn(service.session);
  expect((await service.get(`/api/v1/session/${service.session}`)).json).not.toHaveProperty(
    'variables',
  );
});
