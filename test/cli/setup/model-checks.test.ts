import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { examine, renderReport } from '../../../src/cli/setup/doctor.ts';
import {
  type ModelServer,
  sendCompletion,
  sendEmbeddings,
  startModelServer,
} from '../../fixtures/model-server.ts';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

async function report(models: ModelServer): Promise<string> {
  const server = { BASE_URL: models.baseUrl, API_KEY: 'sk-secret', MODEL: 'small' };
  const of = (prefix: string) =>
    Object.fromEntries(Object.entries(server).map(([name, value]) => [`${prefix}_${name}`, value]));
  const env = { DATA_DIR: createTemporaryFolder(), PORT: '0', ...of('LLM'), ...of('EMBEDDINGS') };
  return renderReport(await examine(env));
}

test('the doctor asks each model server for one word', async () => {
  await using models = await startModelServer();
  models.tells = { '/v1/models': { data: [{ id: 'small', max_model_len: 8192 }] } };
  models.answer = (response) => sendCompletion(response, ['ok']);
  const said = await report(models);
  expect(said).toContain('✓ Model: small answers, and reads 8192 tokens.\n');
  expect(said).toContain('✓ Embeddings: small gives vectors of 2 numbers.\n');
});

test('the doctor says why a model server does not answer, quoting the server without the key', async () => {
  await using models = await startModelServer();
  models.answer = (response) =>
    void response.writeHead(401).end('{"error": {"message": "wrong key:\n sk-secret"}}');
  models.embed = (response) => void response.writeHead(404).end('no such model');
  const said = await report(models);
  expect(said).toContain(
    '✗ Model: the server refuses the key. It said: “401 {"error": {"message": "wrong key: [key]"}}”. Set LLM_API_KEY to a valid one.\n',
  );
  expect(said).toContain(
    '✗ Embeddings: the server refuses even a single word. It said: “404 no such model”. Check EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY and EMBEDDINGS_MODEL.\n',
  );

  models.answer = (response) => void response.writeHead(429).end('{"code": "insufficient_quota"}');
  models.embed = (response) => sendEmbeddings(response, []);
  const again = await report(models);
  expect(again).toMatch(
    /^✗ Model: .* no credit left\. It said: “429 .*insufficient_quota.* Top it up/m,
  );
  expect(again).toMatch(/^✗ Embeddings: .* Set EMBEDDINGS_BASE_URL/m);
});

test('the doctor says that no model server is set', async () => {
  const said = renderReport(await examine({ DATA_DIR: createTemporaryFolder(), PORT: '0' }));
  expect(said).toContain('– Model: none: answers quote the sources. Set LLM_BASE_URL for one.\n');
  expect(said).toContain('– Embeddings: none: search goes by words.');
});

/** Whose sentence of a problem asks the reader to do what an operator at a terminal can't. */
const forOthers = /whoever runs|people who run|ask again|try again|rephrase|ask (?:for|a shorter)/;

test.each<[string, (response: ServerResponse) => unknown]>([
  ['is overloaded', (response) => response.writeHead(429).end()],
  ['fails', (response) => response.writeHead(500).end()],
  ['stays away', (response) => response.destroy()],
  ['moves', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['says nothing', (response) => sendCompletion(response, [])],
])('of a model server that %s, the doctor tells what an operator can do', async (_, answer) => {
  await using models = await startModelServer();
  models.answer = (response) => {
    answer(response);
  };
  const [line = ''] = /^✗ Model: .*$/m.exec(await report(models)) ?? [];
  expect(line).toMatch(/ (?:Run npm run doctor|Read|Start|Set LLM_)/);
  expect(line).not.toMatch(forOthers);
});
