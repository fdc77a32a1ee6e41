import { expect, test } from 'vitest';
import { type Operation, operations } from '../../../src/shared/api/operations.ts';
import { createOpenApi } from '../../../src/service/http/openapi.ts';
import { startTestService } from '../fixture.ts';

/** All values under a key, however deep. */
function collect(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key ? [inner] : collect(inner, key),
  );
}

test('serves the description without a key', async () => {
  await using service = await startTestService();
  const request = new Request('http://service.test/api/v1/openapi.json');
  const response = await service.service.fetch(request);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(createOpenApi())));
});

test('is an OpenAPI 3.1 document whose references resolve', () => {
  const document = createOpenApi();
  expect(document.openapi).toBe('3.1.0');
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  const references = collect(document, '$ref');
  expect(references.length).toBeGreaterThan(50);
  for (const reference of references) {
    const name = String(reference).replace('#/components/schemas/', '');
    expect(document.components.schemas).toHaveProperty(name);
  }
  const schemes = document.security.flatMap((security) => Object.keys(security));
  expect(schemes.length).toBeGreaterThan(0);
  for (const name of schemes) expect(document.components.securitySchemes).toHaveProperty(name);
});

test.each(Object.entries<Operation>(operations))('describes %s', (name, operation) => {
  const document = createOpenApi();
  const described = document.paths[operation.path]?.[operation.method.toLowerCase()];
  expect(described).toMatchObject({ operationId: name, summary: operation.summary });
  expect(document.tags).toContainEqual({ name: described?.tags[0] });

  const inPath = described?.parameters.filter((parameter) => parameter.in === 'path');
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each);
  expect(inPath?.map((parameter) => parameter.name)).toEqual(names);
  expect(inPath?.every(({ required }) => required)).toBe(true);
  const inQuery = described?.parameters.filter((parameter) => parameter.in === 'query');
  expect(inQuery?.map((parameter) => parameter.name)).toEqual(
    Object.keys(operation.query?.shape ?? {}),
  );

  const bodyType = operation.upload ? 'multipart/form-data' : 'application/json';
  const hasBody = operation.upload || operation.body !== undefined;
  expect(Object.keys(described?.requestBody?.content ?? {})).toEqual(hasBody ? [bodyType] : []);
  const textTypes = ['text/plain', ...(operation.events ? ['text/event-stream'] : [])];
  const answerTypes = operation.answer === 'text' ? textTypes : ['application/json'];
  expect(Object.keys(described?.responses['200']?.content ?? {})).toEqual(answerTypes);
  expect(Object.keys(described?.responses ?? {})).toEqual(
    expect.arrayContaining(['401', '429', ...(names.length > 0 ? ['404'] : [])]),
  );
});

test('says what fields are and may be', () => {
  const { schemas } = createOpenApi().components;
  expect(schemas['ChatbotCreate']).toMatchObject({
    required: ['name'],
    additionalProperties: false,
    properties: {
      rate_limit: {
        prefixItems: [
          { type: 'integer', minimum: 1, maximum: 100 },
          { type: 'integer', minimum: 1, maximum: 360 },
        ],
      },
      temperature: { minimum: 0, maximum: 1 },
      visibility: { enum: ['private', 'public', 'hybrid'] },
    },
  });
  expect(schemas['DataSource']?.properties).toMatchObject({
    file_size: { type: 'number', description: 'Bytes.' },
    meta_json: { type: 'string' },
  });
});
