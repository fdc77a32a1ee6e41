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
    '✗ Model: The model server refused the service’s key: whoever runs the service must set LLM_API_KEY. It said: 401 {"error": {"message": "wrong key: [key]"}}\n',
  );
  expect(said).toMatch(/^✗ Embeddings: The embeddings server answered 404: .* 404 no such model$/m);

  models.answer = (response) => void response.writeHead(429).end('{"code": "insufficient_quota"}');
  models.embed = (response) => sendEmbeddings(response, []);
  const again = await report(models);
  expect(again).toMatch(/^✗ Model: .* no credit left: .* It said: 429 .*insufficient_quota/m);
  expect(again).toMatch(/^✗ Embeddings: .* check EMBEDDINGS_BASE_URL/m);
});

test('the doctor says that no model server is set', async () => {
  const said = renderReport(await examine({ DATA_DIR: createTemporaryFolder(), PORT: '0' }));
  expect(said).toContain('– Model: none: answers quote the sources. Set LLM_BASE_URL for one.\n');
  expect(said).toContain('– Embeddings: none: search goes by words.');
});
