import { describe, expect, it, test } from 'vitest';
import { joinContext } from '../../../src/shared/api/session.ts';
import type { ServiceOptions } from '../../../src/service/service.ts';
import { silentLog } from '../../fixtures/log.ts';
import { type ModelServer, sendCompletion, startModelServer } from '../../fixtures/model-server.ts';
import { query, startWithModel } from './model-fixture.ts';

/** What a whole request takes at the most, by the usual rule of thumb. */
function countSent({ seen }: ModelServer): number {
  const { messages = [] } = seen.at(-1)?.body ?? {};
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  return Math.ceil(bytes / 3.5);
}

/** A service that has much to tell a model: a long source, and a long conversation. */
async function startWithMuch(models: ModelServer, options: Partial<ServiceOptions> = {}) {
  const service = await startWithModel(models, {}, options);
  const rooms = Array.from({ length: 60 }, (_, number) => {
    const open = `The lighthouse does open room ${number} früh, floor ${number * 7}. `;
    const text = open.repeat(12);
    return `## Lighthouse room ${number}\n\n${text}\n`;
  });
  await service.upload(`/api/v1/chatbot/${service.chatbot}/data-source/upload`, {
    name: 'rooms.md',
    content: `# Rooms of the lighthouse\n\n${rooms.join('\n')}`,
  });
  await service.service.settled();
  models.answer = (response) => sendCompletion(response, ['wörtlich '.repeat(600)]);
  return service;
}

const list = (entry: object) => ({ '/v1/models': { data: [{ id: 'small', ...entry }] } });

describe('a prompt keeps to the context of', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['vLLM', list({ owned_by: 'vllm', max_model_len: 3000 }), 3000],
    [
      'llama.cpp',
      list({ owned_by: 'llamacpp', meta: { n_ctx: 4096, n_ctx_train: 131_072 } }),
      4096,
    ],
    ['Groq', list({ context_window: 5000 }), 5000],
    ['Mistral', list({ max_context_length: 3500 }), 3500],
    ['OpenRouter', list({ context_length: 2500 }), 2500],
    [
      'LM Studio',
      {
        ...list({ owned_by: 'organization_owner' }),
        '/api/v0/models': {
          data: [{ id: 'small', max_context_length: 32_768, loaded_context_length: 4000 }],
        },
      },
      4000,
    ],
    [
      'Ollama, with the model loaded',
      {
        '/v1/models': { data: [{ id: 'small:latest', owned_by: 'library' }] },
        '/api/ps': { models: [{ name: 'small:latest', context_length: 2048 }] },
      },
      2048,
    ],
    [
      'Ollama, set in the Modelfile',
      {
        ...list({ owned_by: 'library' }),
        '/api/ps': { models: [] },
        '/api/show': {
          parameters: 'num_ctx                        3072\nstop "x"',
          model_info: { 'llama.context_length': 131_072 },
        },
      },
      3072,
    ],
    [
      'Ollama, by its default',
      {
        ...list({ owned_by: 'ada' }),
        '/api/ps': { models: [] },
        '/api/show': { model_info: { 'llama.context_length': 131_072 } },
      },
      4096,
    ],
  ])('%s', async (_, tells, contextTokens) => {
    await using models = await startModelServer();
    models.tells = tells;
    await using service = await startWithMuch(models);
    for (let turn = 1; turn <= 3; turn++) {
      await service.ask(query);
      expect(countSent(models)).toBeLessThan(contextTokens * 0.9);
    }
    // Passages and the newest turn are in it all the same.
    expect(countSent(models)).toBeGreaterThan(contextTokens * 0.3);
    expect(models.seen.at(-1)?.body.messages.at(-1)?.content).toContain('[1.1]');
  });
});

test('a prompt fits 16,000 tokens where no server tells the context, and none is asked twice', async () => {
  await using models = await startModelServer();
  await using service = await startWithMuch(models);
  await service.ask(query);
  await service.ask(query);
  expect(models.asked).toEqual(['/v1/models']);
  expect(countSent(models)).toBeGreaterThan(3000);
  expect(countSent(models)).toBeLessThan(16_000);
});

test('a name of the field holds the size of the context', async () => {
  await using models = await startModelServer();
  await using service = await startWithMuch(models);
  await service.updateAgent({ model: 'gpt-4o-2k' });
  await service.ask(query);
  expect(countSent(models)).toBeLessThan(2000 * 0.9);
  expect(countSent(models)).toBeGreaterThan(500);
});

test('the context is that of the model that answers, whatever the agent’s is called', async () => {
  await using models = await startModelServer();
  models.tells = list({ max_model_len: 4000 });
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  await using service = await startWithMuch(models, { log });
  await service.updateAgent({ model: 'gpt-4o-128k' });
  models.answer = (response, { body: { model } }) => {
    if (model === 'small') return sendCompletion(response, ['wörtlich '.repeat(600)]);
    response.writeHead(404).end(JSON.stringify({ error: { code: 'model_not_found' } }));
  };
  for (let turn = 1; turn <= 4; turn++) {
    await service.ask(query);
    expect(models.seen.at(-1)?.body.model).toBe('small');
    expect(countSent(models)).toBeLessThan(4000 * 0.9);
  }
  expect(lines).toContainEqual(expect.objectContaining({ model: 'small', contextTokens: 4000 }));
});

test('what is configured counts, and the log tells of a small context once', async () => {
  await using models = await startModelServer();
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  {
    const llm = { baseUrl: models.baseUrl, model: 'small', contextTokens: 2048, maxTokens: 400 };
    await using service = await startWithMuch(models, { llm });
    await service.ask(query);
    expect(countSent(models)).toBeLessThan(2048 * 0.9 - 400);
    expect(models.asked).toEqual([]);
  }
  models.tells = list({ max_model_len: 8192 });
  await using service = await startWithMuch(models, { log });
  await service.ask(query);
  await service.ask(query);
  expect(lines).toEqual([{ model: 'small', contextTokens: 8192, variable: 'LLM_CONTEXT_TOKENS' }]);
});

test('the context of a model that Ollama has yet to load is asked for again', async () => {
  await using models = await startModelServer();
  models.tells = {
    ...list({ owned_by: 'library' }),
    '/api/ps': { models: [] },
    '/api/show': { model_info: {} },
  };
  await using service = await startWithMuch(models);
  await service.ask(query);
  expect(countSent(models)).toBeLessThan(2700);
  models.tells['/api/ps'] = { models: [{ name: 'small', context_length: 32_768 }] };
  await service.ask(query);
  expect(countSent(models)).toBeGreaterThan(3000);
  models.asked.length = 0;
  await service.ask(query);
  expect(models.asked).toEqual([]);
});

test('a question that is too long for the model is refused, not cut', async () => {
  await using models = await startModelServer();
  const llm = { baseUrl: models.baseUrl, model: 'small', contextTokens: 1024 };
  await using service = await startWithMuch(models, { llm });
  expect(await service.ask('Why is that so? '.repeat(300))).toContain('too long for the model');
  expect(models.seen).toEqual([]);
});

const people =
  'Ada: My parcel from Lisbon is late again.\nGrace: The courier lost it, I reordered.';
const asked = joinContext({ query, context: people });

test('the conversation before a query hides no source', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models, {}, { llm: undefined });
  expect(await service.ask(asked)).toBe(await service.ask(query));
  expect((await service.messages())[0].query).toBe(asked);
});

test('a model reads the conversation and the query', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  await service.ask(asked);
  const user = models.seen[0]?.body.messages[1]?.content ?? '';
  expect(user).toContain('opens at nine in the morning');
  expect(user).toMatch(new RegExp(`<text-\\w+ conversation of people>\\n${people}\\n</text-`));
  expect(user.endsWith(`>\n\n${query}`)).toBe(true);
});
