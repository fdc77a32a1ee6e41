import { expect, test } from 'vitest';
import { joinContext } from '../../src/shared/api/query-context.ts';
import { query, startWithModel } from './model-fixture.ts';
import { startModelServer } from '../fixtures/model-server.ts';

const people =
  'Ada: My parcel from Lisbon is late again.\nGrace: The courier lost it, I reordered.';
const asked = joinContext({ query, context: people });

test('what people said before a query drowns no source', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models, {}, { llm: undefined });
  expect(await service.ask(asked)).toBe(await service.ask(query));
  expect((await service.messages())[0].query).toBe(asked);
});

test('a model reads both', async () => {
  await using models = await startModelServer();
  await using service = await startWithModel(models);
  await service.ask(asked);
  const user = models.seen[0]?.body.messages[1]?.content ?? '';
  expect(user).toContain('opens at nine in the morning');
  expect(user).toMatch(new RegExp(`<text-\\w+ conversation of people>\\n${people}\\n</text-`));
  expect(user.endsWith(`>\n\n${query}`)).toBe(true);
});
