import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationName } from '../../src/shared/api/operations.ts';
import { goodBodies, operationNames, toThing } from '../contracts/service/world.ts';
import { annasKey, bertsKey } from '../service/fixture.ts';
import { type Attacked, operate, type Things, useAttacked } from './attacked.ts';

const attacked = useAttacked();
const unknown = 'f'.repeat(32);

/** Everything that Anna sees. */
async function readAll({ service, annas }: Attacked): Promise<unknown> {
  const chatbot = `chatbot/${annas.chatbot}`;
  const paths = [
    'chatbots',
    `${chatbot}/agents`,
    `${chatbot}/data-sources`,
    `${chatbot}/source-tags`,
    `${chatbot}/sessions`,
    `session/${annas.session}/messages`,
  ];
  return Promise.all(
    paths.map(async (path) => (await service.get(`/api/v1/${path}`, annasKey)).json),
  );
}

let before: unknown;
beforeAll(async () => {
  before = await readAll(attacked());
});

/** What Bert is told about Anna's resource, and about one that doesn't exist, without its uuid. */
async function tell(act: (uuid: string) => ReturnType<typeof operate>, annas: string) {
  const told = [];
  for (const uuid of [annas, unknown]) {
    const { status, headers, text } = await act(uuid);
    // These differ from one request to the next, whatever it asks for.
    const {
      'x-request-id': _,
      'ratelimit-remaining': __,
      'ratelimit-reset': ___,
      ...rest
    } = headers;
    told.push({ status, headers: rest, text: text.replaceAll(uuid, '…') });
  }
  return told;
}

describe('in a path', () => {
  const named = operationNames.filter((name) => toThing(name) !== undefined);

  test.each(named)('%s: another owner’s resource is unknown', async (name) => {
    const uuid = attacked().annas[toThing(name) ?? 'chatbot'];
    const act = (each: string) => operate(attacked(), name, { key: bertsKey, uuid: each });
    const [of, without] = await tell(act, uuid);
    expect(of).toMatchObject({ status: 404, text: expect.stringContaining('There is no ') });
    expect(of).toEqual(without);
  });

  test.each(named)('%s: an own resource of another kind is unknown', async (name) => {
    const { berts } = attacked();
    const kinds = (Object.keys(berts) as (keyof Things)[]).filter((kind) => kind !== toThing(name));
    for (const kind of kinds) {
      const reply = await operate(attacked(), name, { key: bertsKey, uuid: berts[kind] });
      expect(reply.status).toBe(404);
    }
  });
});

type Position = [OperationName, string, keyof Things, (uuid: string) => object];

const inBodies: Position[] = [
  ['deleteDataSources', 'uuids', 'data-source', (uuid) => ({ uuids: [uuid] })],
  ['rescrapeUrlSources', 'uuids', 'data-source', (uuid) => ({ uuids: [uuid] })],
  ['restartDataSources', 'uuids', 'data-source', (uuid) => ({ uuids: [uuid] })],
  ['deleteMessages', 'uuids', 'message', (uuid) => ({ uuids: [uuid] })],
  ...(['updateAgent', 'createSourceTag', 'updateSourceTag'] as const).map((name): Position => [
    name,
    'data_source_uuids',
    'data-source',
    (uuid) => ({ ...goodBodies[name], data_source_uuids: [uuid] }),
  ]),
  ...(['createAgent', 'updateAgent'] as const).map((name): Position => [
    name,
    'source_tag_uuids',
    'source-tag',
    (uuid) => ({ ...goodBodies[name], source_tag_uuids: [uuid] }),
  ]),
  ...(['streamMessage', 'sendMessage'] as const).map((name): Position => [
    name,
    'session_document_uuids',
    'session-document',
    (uuid) => ({ ...goodBodies[name], session_document_uuids: [uuid] }),
  ]),
];

describe('in a body', () => {
  test.each(inBodies)(
    '%s, %s: another owner’s resource is unknown',
    async (name, _, kind, toBody) => {
      const { annas, berts } = attacked();
      const uuid = berts[toThing(name) ?? 'chatbot'];
      const act = (each: string) =>
        operate(attacked(), name, { key: bertsKey, uuid, body: toBody(each) });
      const [of, without] = await tell(act, annas[kind]);
      expect(of?.text).toMatch(/There is no|there is no|has no|invalid data source/);
      expect(of).toEqual(without);
    },
  );

  test.each(inBodies.filter(([, field]) => field === 'uuids'))(
    '%s: another owner’s resource among own ones changes nothing',
    async (name, _, kind) => {
      const { annas, berts } = attacked();
      const body = { uuids: [berts[kind], annas[kind]] };
      await operate(attacked(), name, { key: bertsKey, body });
      const get = kind === 'message' ? 'getMessage' : 'getDataSource';
      const own = await operate(attacked(), get, { key: bertsKey, uuid: berts[kind] });
      expect(own.status).toBe(200);
    },
  );
});

test('a list contains only own resources', async () => {
  const { service, annas, berts } = attacked();
  const kinds = ['chatbot', 'agent', 'data-source', 'source-tag', 'session'] as const;
  for (const kind of kinds) {
    const path = kind === 'chatbot' ? 'chatbots' : `chatbot/${berts.chatbot}/${kind}s`;
    const { status, text } = await service.get(`/api/v1/${path}`, bertsKey);
    expect(status).toBe(200);
    expect(text).toContain(berts[kind]);
    expect(Object.values(annas).filter((uuid) => text.includes(uuid))).toEqual([]);
  }
});

test('a reply uses only own sources', async () => {
  const { berts } = attacked();
  const body = { query: 'When does it open?' };
  const { text } = await operate(attacked(), 'streamMessage', {
    key: bertsKey,
    uuid: berts.session,
    body,
  });
  expect(text).toContain('nine');
  const messages = await operate(attacked(), 'listMessages', {
    key: bertsKey,
    uuid: berts.session,
  });
  expect(messages.text).toContain(berts['data-source']);
  expect(messages.text).not.toContain(attacked().annas['data-source']);
});

test('after all these requests, everything of Anna’s is unchanged', async () => {
  expect(await readAll(attacked())).toEqual(before);
});
