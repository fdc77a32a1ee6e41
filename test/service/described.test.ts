import { expect, test } from 'vitest';
import { createOpenApi } from '../../src/service/http/openapi.ts';
import type { JsonSchema } from '../../src/service/http/schemas.ts';
import { createDescriptionCheck, listDescribed } from '../contracts/service/described.ts';
import { annasKey, handbook, startTestService, toForm } from './fixture.ts';

/** What other services of this kind give, and what takes a model to be known. */
const notHere = new Set([
  'Agent.tool_functions[].uuid',
  'Agent.tool_functions[].name',
  'Session.variables',
  'Message.feedback_json.*',
]);

async function startDescribed() {
  const service = await startTestService();
  const document = createOpenApi();
  const check = createDescriptionCheck(document, service.service.fetch);

  const send = async (method: string, path: string, sent?: object) => {
    const isForm = sent instanceof FormData;
    const headers = new Headers({ authorization: `Bearer ${annasKey}` });
    if (!isForm) headers.set('content-type', 'application/json');
    const body = isForm ? sent : JSON.stringify(sent);
    const url = `http://service.test/api/v1/${path}`;
    const response = await check.fetch(
      new Request(url, { method, headers, ...(sent && { body }) }),
    );
    return (await response.json()) as { uuid: string };
  };
  return {
    ...check,
    document,
    settled: () => service.service.settled(),
    get: (path: string) => send('GET', path),
    post: (path: string, body?: object) => send('POST', path, body),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

type Described = Awaited<ReturnType<typeof startDescribed>>;

/** Makes one of each thing, with all it may hold, and reads them all. */
async function giveAll({ get, post, settled }: Described): Promise<void> {
  const chatbot = `chatbot/${(await post('chatbot/create', { name: 'Guide' })).uuid}`;
  const source = await post(`${chatbot}/data-source/upload`, toForm(handbook));
  await post(`${chatbot}/source-tag/create`, { name: 'All', color: '#1f2937' });
  const tags = { name: 'Angry', criteria: 'The user is angry', color: '#ff0000' };
  const labels = { name: 'Labels', type: 'background', tags };
  const labelling = await post(`${chatbot}/agent/create`, labels);
  await post(`agent/${labelling.uuid}/update`, { data_source_uuids: [source.uuid] });
  const facts = await post(`${chatbot}/agent/create`, { name: 'Facts', type: 'user-facing' });
  const variable = { name: 'n', description: 'd', type: 'string', example: 'Ada' };
  const variables = [{ ...variable, default_value: { content: 'Bob', static: 1 } }];
  const human_escalation_settings = { monitored_messages: ['help'] };
  await post(`agent/${facts.uuid}/update`, { variables, human_escalation_settings });
  const created = await post(`${chatbot}/session/create`, { initial_variables: { n: 'Eve' } });
  const session = `session/${created.uuid}`;
  await settled();
  await post(`${session}/message/non-stream`, { query: 'When does the lighthouse open?' });
  await post('session-document/upload', toForm(handbook));
  for (const list of ['agents', 'data-sources', 'source-tags', 'sessions']) {
    await get(`${chatbot}/${list}`);
  }
  for (const path of ['chatbots', 'agent/models', 'agent/model-costs', 'user']) await get(path);
  await get(`${session}/messages`);
}

test('describes the fields that are given, no more and no less', async () => {
  await using described = await startDescribed();
  await giveAll(described);
  expect(described.faults).toEqual([]);

  const { document, seen } = described;
  const told = new Set<string>();
  const given = new Set<string>();
  for (const { operationId, responses } of Object.values(document.paths).flatMap(Object.values)) {
    const schema = responses['200']?.content['application/json']?.schema;
    const name = schema && toSchemaName(schema);
    const fields = seen.get(operationId);
    if (!schema || !fields) continue;
    for (const field of listDescribed(schema, document)) told.add(toField(name, field));
    for (const field of fields) given.add(toField(name, field));
  }
  expect(told.size).toBeGreaterThan(80);
  expect([...told.difference(given).difference(notHere)]).toEqual([]);
});

/** The name of the schema that a schema or its items refer to. */
function toSchemaName({ $ref, items }: JsonSchema): string {
  return ($ref ?? items?.$ref ?? '').split('/').at(-1) ?? '';
}

/** The same for a list of things as for one of them, and for any key of a record as for another. */
function toField(name = '', field: string): string {
  return `${name}${field.replace(/^\[\]/u, '')}`.replace(
    /^(AgentModelCosts\.model_costs|Session\.initial_variables|Session\.variables)\..*/u,
    '$1',
  );
}

test('an answer that differs from its description is noticed', async () => {
  await using described = await startDescribed();
  const { properties = {} } = described.document.components.schemas['Chatbot'] ?? {};
  delete properties['name'];
  properties['uuid'] = { type: 'number' };
  await described.post('chatbot/create', { name: 'Guide' });
  expect(described.faults).toEqual([
    expect.stringMatching(/^createChatbot: uuid: .*number/u),
    'createChatbot: 200 holds .name, which is not described',
  ]);
});
