import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { query, startWithModel } from './model-fixture.ts';
import {
  beginStream,
  sendCompletion,
  sendDelta,
  sendEvent,
  startModelServer,
  writeEvent,
} from '../../fixtures/model-server.ts';

test('the service tells the model the prompt, the passages and the conversation so far', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models, { prompt: 'Be a pirate.', temperature: 0.7 });
  expect(await service.ask(query)).toBe('At nine.');
  await service.ask('And when does it close?');

  const [first, second] = models.seen;
  expect(first?.authorization).toBe('Bearer secret');
  expect(first?.body).toMatchObject({ model: 'small', temperature: 0.7, stream: true });
  const [system, user] = first?.body.messages ?? [];
  expect(system?.role).toBe('system');
  expect(system?.content).toMatch(/^Be a pirate\./);
  expect(user?.role).toBe('user');
  expect(user?.content).toMatch(/^<text-\w+ passage \[1\.1\]>\nHandbook of the Lighthouse/);
  expect(user?.content).toContain('opens at nine in the morning');
  expect(user?.content.endsWith(`>\n\n${query}`)).toBe(true);
  expect(second?.body.messages.slice(1)).toEqual([
    { role: 'user', content: query },
    { role: 'assistant', content: 'At nine.' },
    { role: 'user', content: expect.stringMatching(/\n\nAnd when does it close\?$/) },
  ]);
});

test('the service asks only for what an agent or the configuration sets', async () => {
  await using models = await startModelServer();
  const llm = {
    baseUrl: `${models.baseUrl}/?api-version=2024-10-21`,
    apiKey: 'secret',
    model: 'm',
  };
  {
    await using service = await startWithModel(models, {}, { llm });
    await service.ask(query);
    const { body, headers, url } = models.seen[0] ?? {};
    expect(Object.keys(body ?? {}).toSorted()).toEqual(['messages', 'model', 'stream']);
    // Azure has its version in the query, and its key in a header of its own.
    expect(url).toBe('/v1/chat/completions?api-version=2024-10-21');
    expect(headers).toMatchObject({ authorization: 'Bearer secret', 'api-key': 'secret' });
  }
  const set = { ...llm, baseUrl: models.baseUrl, temperature: 0, maxTokens: 500 };
  await using service = await startWithModel(models, {}, { llm: set });
  await service.ask(query);
  expect(models.seen[1]?.body).toMatchObject({ temperature: 0, max_tokens: 500 });
  expect(models.seen[1]?.headers).not.toHaveProperty('api-key');
  await service.updateAgent({ temperature: 0.7 });
  await service.ask(query);
  expect(models.seen[2]?.body).toMatchObject({ temperature: 0.7, max_tokens: 500 });
});

test('the service uses the agent’s own model and says which one answered', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models, { model: 'large' });
  await service.ask(query);
  expect(models.seen[0]?.body.model).toBe('large');
  expect(JSON.parse((await service.messages())[0].meta_json)).toMatchObject({ model: 'large' });
});

test('the service asks the default model where the server does not know the agent’s own', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models, { model: 'gpt-4' });
  models.answer = (response, { body }) => {
    if (body.model === 'small') return sendCompletion(response, ['At nine.']);
    response.writeHead(404).end('{"error":{"message":"The model `gpt-4` does not exist"}}');
  };
  expect(await service.ask(query)).toBe('At nine.');
  expect(models.seen.map(({ body }) => body.model)).toEqual(['gpt-4', 'small']);
  expect(await service.meta()).toMatchObject({ model: 'small' });
});

test('the service tells how many tokens an answer took, as the server counts, or else by an estimate', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  await service.ask(query);
  const { actual_token_distribution: counted } = await service.meta();
  expect(counted.prompt_tokens).toBeGreaterThan(100);
  expect(counted.completion_tokens).toBeGreaterThan(0);
  expect(counted.total_tokens).toBe(counted.prompt_tokens + counted.completion_tokens);

  const usage = { prompt_tokens: 321, completion_tokens: 12, total_tokens: 333 };
  const given = [
    [usage, usage],
    [{ ...usage, total_tokens: null }, counted],
  ];
  for (const [usage, told] of given) {
    models.answer = (response) => {
      beginStream(response);
      sendDelta(response, 'At nine.');
      sendEvent(response, { choices: [{ delta: {}, finish_reason: 'stop' }] });
      sendEvent(response, { choices: [], usage });
      response.end('data: [DONE]\n\n');
    };
    expect(await service.ask(query)).toBe('At nine.');
    const { actual_token_distribution } = await service.meta();
    expect(Object.keys(actual_token_distribution)).toEqual(Object.keys(told));
    expect(actual_token_distribution.completion_tokens).toBe(told.completion_tokens);
  }
});

test('the service takes an answer that comes as one', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      '{"choices":[{"message":{"role":"assistant","content":"At nine."},"finish_reason":"length"}]}',
    );
  };
  expect(await service.ask(query)).toBe('At nine.');
  expect((await service.messages())[0]).toMatchObject({ finish_reason: 'length' });
});

test('the service lists the server’s models, the default first, then the field’s with their costs', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const { json } = await service.get('/api/v1/agent/models');
  expect(json.models.slice(0, 2)).toEqual(['small', 'large']);
  expect(json.models).toContain('gpt-4o-mini-16k');
  expect(json.models).not.toContain('gpt-4o-mini');
  expect((await service.get('/api/v1/agent/model-costs')).json.model_costs).toMatchObject({
    small: 0,
    large: 0,
    'gpt-4o-8k': 20,
    'claude-3-haiku-64k': 6,
  });
});

test('an agent accepts only models that are listed, or the one it has', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const refused = {
    code: 'agent_model_unknown',
    params: { model: 'gpt-9', models: ['small', 'large'] },
    error: expect.stringContaining('there is no model “gpt-9” here: use small, large'),
  };
  const update = await service.updateAgent({ model: 'gpt-9' });
  expect(update).toMatchObject({ status: 422, json: refused });
  const agent = { name: 'New', type: 'user-facing', model: 'gpt-9' };
  const create = `/api/v1/chatbot/${service.chatbot}/agent/create`;
  expect(await service.post(create, agent)).toMatchObject({ status: 422, json: refused });
  const chatbot = { name: 'New', model: 'gpt-9' };
  const created = await service.post('/api/v1/chatbot/create', chatbot);
  expect(created).toMatchObject({ status: 422, json: refused });

  models.tells = { '/v1/models': { data: [{ id: 'gpt-9' }, { id: 'gemma:latest' }] } };
  for (const model of ['gpt-9', 'gemma', 'gpt-4o-8k', 'small']) {
    expect((await service.updateAgent({ model })).json.meta).toMatchObject({ model });
  }
  await service.updateAgent({ model: 'gpt-9' });
  // The list is kept while the server is down, and so is a name that it no longer has.
  models.tells = {};
  expect(await service.updateAgent({ model: 'gemma' })).toMatchObject({ status: 200 });
  models.tells = { '/v1/models': { data: [] } };
  expect(await service.updateAgent({ model: 'gemma' })).toMatchObject({ status: 200 });
  expect(await service.updateAgent({ model: 'gpt-9' })).toMatchObject({ status: 422 });
});

test('the service keeps the citations that the reply uses, and those alone', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => sendCompletion(response, ['At nine [1', '.1]. See also [7.3].']);
  expect(await service.ask(query)).toBe('At nine [1.1]. See also.');
  const citations = JSON.parse((await service.messages())[0].cite_data_json);
  expect(Object.keys(citations)).toEqual(['1.1']);
  expect(citations['1.1']).toMatchObject({ file_name: 'handbook.md' });
});

test('without citations, no markers are asked for and no brackets are removed', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => sendCompletion(response, ['At nine [1.1].']);
  await service.ask(query);
  await service.post(`/api/v1/chatbot/${service.chatbot}/update`, { show_citations: false });
  models.answer = (response) => sendCompletion(response, ['Version [1', '.1], in [1.1, 1.5].']);
  expect(await service.ask(query)).toBe('Version [1.1], in [1.1, 1.5].');
  expect((await service.messages())[1].cite_data_json).toBe('{}');
  const { messages = [] } = models.seen[1]?.body ?? {};
  expect(messages[0]?.content).not.toContain('square brackets');
  expect(messages[2]).toEqual({ role: 'assistant', content: 'At nine.' });
  expect(messages.at(-1)?.content).toContain(' passage>');
  expect(messages.at(-1)?.content).not.toContain('[1.1]');
});

test('the service passes each delta on as it comes', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const opened = Promise.withResolvers<ServerResponse>();
  models.answer = (response) => {
    beginStream(response);
    opened.resolve(response);
  };
  const reply = await service.stream(query);
  const reader = reply.body?.getReader();
  const model = await opened.promise;
  for (const delta of ['Grü', 'ße', ' 😀']) {
    sendDelta(model, delta);
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe(delta);
  }
  sendEvent(model, { choices: [{ delta: {}, finish_reason: 'length' }] });
  model.end('data: [DONE]\n\n');
  expect(await reader?.read()).toMatchObject({ done: true });
  expect((await service.messages())[0]).toMatchObject({
    response: 'Grüße 😀',
    finish_reason: 'length',
  });
});

test('a slow reader does not hold the model up, and gets the whole reply', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const padding = 'x'.repeat(16_000);
  const events = 800;
  let sent = 0;
  models.answer = async (response) => {
    beginStream(response);
    for (; sent < events && !response.destroyed; sent++) {
      await writeEvent(response, { choices: [{ delta: { content: '.' } }], padding });
    }
    response.end('data: [DONE]\n\n');
  };
  const reader = (await service.stream(query)).body?.getReader();
  await reader?.read();
  await expect.poll(() => sent).toBe(events);

  let text = '.';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  expect(text).toBe('.'.repeat(events));
});

test('a reader who leaves ends the model’s work', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const closed = Promise.withResolvers<void>();
  models.answer = (response) => {
    response.on('close', () => closed.resolve());
    beginStream(response);
    sendDelta(response, 'At ni');
  };
  const reader = (await service.stream(query)).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await closed.promise;
  const [message] = await service.messages();
  expect(message).toMatchObject({ response: 'At ni', error_message: '' });
  expect(JSON.parse(message.meta_json)).toMatchObject({ interrupted: true });
});

test('the service leaves out of a long conversation what no longer fits', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => sendCompletion(response, ['word '.repeat(1200)]);
  for (let turn = 1; turn <= 4; turn++) await service.ask(`${query} ${turn}`);
  const last = models.seen.at(-1)?.body.messages ?? [];
  const asked = last.filter(({ role }) => role === 'user').map(({ content }) => content);
  expect(asked.map((content) => content.split('\n').at(-1))).toEqual([
    `${query} 2`,
    `${query} 3`,
    `${query} 4`,
  ]);
});

test('the service remembers the start and the end of a long turn before', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const turnBefore = () => models.seen.at(-1)?.body.messages.slice(-3, -1) ?? [];
  await service.ask(query);
  const lines = 'ERROR refused at 10.0.0.1 port 5432\n'.repeat(600);
  await service.ask(`Why does the lamp fail?\n${lines}It is the old one.`);
  await service.ask('And the new one?');
  const [asked, answered] = turnBefore();
  expect(asked?.content).toMatch(/^Why does the lamp fail\?\nERROR[^]*It is the old one\.$/);
  expect(asked?.content.length).toBeLessThan(lines.length / 2);
  expect(answered?.content).toBe('At nine.');

  models.answer = (response) => sendCompletion(response, [`First ${'word '.repeat(5000)}last.`]);
  await service.ask(query);
  await service.ask('Why?');
  expect(turnBefore()[0]?.content).toBe(query);
  expect(turnBefore()[1]?.content).toMatch(/^First word[^]*word last\.$/);
});

test('the service reads session documents whole, in later questions too, up to a length', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  const ask = async (content?: string) => {
    const uuids: string[] = [];
    if (content !== undefined) {
      const file = { name: 'menu.txt', content };
      const { json } = await service.upload('/api/v1/session-document/upload', file);
      uuids.push(String(json.uuid));
    }
    const { json } = await service.post(path, {
      query: 'Sum it up',
      session_document_uuids: uuids,
    });
    return String(json.response);
  };
  const sent = () => models.seen.at(-1)?.body.messages.at(-1)?.content;
  expect(await ask('Pancakes on Sundays.')).toBe('At nine.');
  expect(sent()).toContain('menu.txt:\nPancakes on Sundays.');
  expect(await ask()).toBe('At nine.');
  expect(sent()).toContain('Pancakes on Sundays.');

  const tooLong = 'The uploaded file(s) are too long, please reduce the length and try again';
  expect(await ask('Pancakes again. '.repeat(4000))).toBe(`${tooLong}.`);
  expect(await ask('Pancakes once more.\n\n'.repeat(20_000))).toBe(`${tooLong}.`);
  const words = 'Soup too. '.repeat(1800);
  expect(await ask(words)).toBe('At nine.');
  expect(await ask(words)).toBe(`${tooLong}, or start a new chat session.`);
  expect(models.seen).toHaveLength(3);
  // What was too long is not remembered.
  expect(await ask()).toBe('At nine.');
  expect(sent()?.match(/menu\.txt:/g)).toHaveLength(2);
});

test('a model is told to answer from attached files where passages fit too', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const file = { name: 'notice.txt', content: 'The lighthouse opens at ten on Sundays.' };
  const { json } = await service.upload('/api/v1/session-document/upload', file);
  const asked = { query, session_document_uuids: [json.uuid] };
  await service.post(`/api/v1/session/${service.session}/message/non-stream`, asked);
  const [system, user] = models.seen[0]?.body.messages ?? [];
  expect(system?.content).toContain('Answer from the passages and the attached files');
  expect(user?.content).toMatch(/ten on Sundays[^]* passage \[1\.1\]>/);
});

test('a response that was sent with the message needs no model', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  const { json } = await service.post(path, { query, pre_canned_response: 'Ask the keeper.' });
  expect(json).toEqual({ response: 'Ask the keeper.' });
  expect(models.seen).toEqual([]);
});

test('the service cuts an answer without end', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  const closed = Promise.withResolvers<void>();
  models.answer = async (response) => {
    response.on('close', () => closed.resolve());
    beginStream(response);
    while (!response.destroyed) {
      await writeEvent(response, { choices: [{ delta: { content: 'word '.repeat(2000) } }] });
    }
  };
  expect(await service.ask(query)).toHaveLength(200_000);
  await closed.promise;
  expect((await service.messages())[0]).toMatchObject({ finish_reason: 'length' });
});

test('a model is not asked where the sources have no evidence, unless there is something else to answer from', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  expect(await service.ask('Who painted the Mona Lisa?')).toMatch(/^I found no answer to that/);
  await service.ask('Who painted the Mona Lisa?');
  expect(models.seen).toHaveLength(0);
  await service.ask('Hello!');
  expect(models.seen).toHaveLength(1);
  // Now there is a conversation, which it may be about.
  await service.ask('Who painted the Mona Lisa?');
  expect(models.seen).toHaveLength(2);
});

test('a sentence is marked whose names and numbers are in none of the cited passages', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) =>
    sendCompletion(response, ['It opens at nine [1.1]. ', 'In 1742 it was bought by Napoleon.']);
  expect(await service.ask(query)).toBe(
    'It opens at nine [1.1]. In 1742 it was bought by Napoleon.\n\nThe cited passages don’t mention what this says: “In 1742 it was bought by Napoleon.”',
  );
});

test('so is one that cites a passage which does not have its names', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => sendCompletion(response, ['It was bought by Napoleon [1.1].']);
  expect(await service.ask(query)).toContain(
    'mention what this says: “It was bought by Napoleon .”',
  );
});

test('a marker behind the full stop belongs to the sentence before it', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) =>
    sendCompletion(response, ['It was bought by Napoleon. [1.1] It opens at nine. [1.1]']);
  expect(await service.ask(query)).toMatch(/what this says: “It was bought by Napoleon ?\.”$/);
});

test.each([
  [
    'the numbers of steps',
    '**1. Come at nine** [1.1]\n\n> 2. Buy a ticket [1.1]\n\nStep 3: Leave [1.1]',
  ],
  ['the numbers of a list', 'Do this:\n\n1. Come at nine [1.1]\n2. Buy a ticket [1.1]'],
  ['a number that the source has in words', 'Tickets cost 4 euros [1.1].'],
  ['the nouns of German', 'Der Leuchtturm öffnet morgens um neun [1.1]. Gute Reise und viel Spaß!'],
  ['a courtesy that cites nothing', 'It opens at nine [1.1]. You can ask me about Outlook, too.'],
])('a sentence is not marked for %s', async (_what, reply) => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  models.answer = (response) => sendCompletion(response, [reply]);
  expect(await service.ask(query)).toBe(reply);
});
