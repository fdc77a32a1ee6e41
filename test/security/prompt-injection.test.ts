import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinContext } from '../../src/shared/api/session.ts';
import { type ModelServer, sendCompletion, startModelServer } from '../fixtures/model-server.ts';
import { startTestService, type TestService } from '../service/fixture.ts';
import { startWebsite, type Website } from '../service/website.ts';
import { type Door, fenceName, injections } from './injections.ts';

type Messages = ModelServer['seen'][number]['body']['messages'];

/** What a prompt may contain only in the service's own words. */
const passingFor = [
  /[[【]\d+\.\d+/u,
  /<[|｜]/u,
  /<\/?(?:s|start_of_turn|end_of_turn)>/u,
  /<<\/?SYS/u,
  /\[\/?(?:INST|SYSTEM_PROMPT)\]/u,
  /<\/?text-/u,
  /^#{2,6} ?(?:System|Developer|Response|Instruction)/mu,
  /^(?:System|Assistant|Human):/mu,
  /[\u{202a}-\u{202e}\u{e0000}-\u{e007f}]/u,
];
const fenced = new RegExp(
  `(<text-${fenceName} [^<>\\n]+>)\\n([\\s\\S]*?)\\n(</text-${fenceName}>)`,
  'gu',
);

let models: ModelServer;
let service: TestService;
let site: Website;
/** What the model learns from conversations. */
let learned = '';

beforeAll(async () => {
  models = await startModelServer();
  site = await startWebsite();
  // It answers with its whole prompt.
  models.answer = (response, { body: { messages } }) => {
    const isAnswer = messages[0]?.content.startsWith('Serve') ?? false;
    const echo = isAnswer ? (messages.at(-1)?.content ?? '') : JSON.stringify({ plan: learned });
    sendCompletion(response, [echo]);
  };
  const llm = { baseUrl: models.baseUrl, model: 'small' };
  const createFenceName = () => fenceName;
  service = await startTestService({ llm, createFenceName, allowPrivateAddresses: true });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
});

const query = 'When does the lighthouse open?';
const opens = 'The lighthouse opens at nine.';

/** Asks twice in a session whose material holds `text` at that door; gives all prompts and the messages. */
async function askWith(door: Door, text: string) {
  models.seen.length = 0;
  learned = door === 'learned value' ? text : 'pro';
  const at = (wanted: Door, usual: string) => (door === wanted ? text : usual);
  const prompt = 'Serve {{plan}} customers. Greet {{guest}}.';
  const path = `/api/v1/chatbot/${await service.createChatbot({ prompt })}`;
  const agents = await service.get(`${path}/agents`);
  const variables = [{ name: 'plan', description: 'Their plan', type: 'string' }];
  await service.post(`/api/v1/agent/${agents.json[0].uuid}/update`, { variables });
  const tags = [{ name: 'Angry', criteria: 'Shouts', color: '#ff0000' }];
  for (const [type, more] of [['user-facing', {}] as const, ['background', { tags }] as const]) {
    const description = at('agent description', 'Nothing.');
    const other = { name: 'Other', type, description, bias: -100, ...more };
    const { json } = await service.post(`${path}/agent/create`, other);
    await service.post(`/api/v1/agent/${json.uuid}/update`, { enabled: true });
  }

  const page = `<title>${at('page title', 'Tower')}</title><p>${opens}</p>`;
  if (door === 'page title') {
    site.page = page;
    await service.post(`${path}/data-source/url`, { url: `${site.url}/${models.seen.length}` });
  } else if (door === 'question of a Q&A' || door === 'answer of a Q&A') {
    const question = at('question of a Q&A', query);
    const answer = at('answer of a Q&A', 'At nine.');
    await service.post(`${path}/data-source/qa`, { question, answer: `${opens} ${answer}` });
  } else {
    const isPlain = door === 'document' || door === 'file name';
    const head = `---\ntitle: ${JSON.stringify(at('title', 'Tower'))}\n---\n`;
    await service.upload(`${path}/data-source/upload`, {
      name: `${at('file name', 'tower')}.${isPlain ? 'txt' : 'md'}`,
      content: isPlain
        ? `${opens} ${at('document', '')}`
        : `${head}# ${at('heading', 'Hours')}\n\n${opens}`,
    });
  }
  await service.service.settled();

  const initial_variables = { guest: at('initial variable', 'Ada') };
  const session = await service.post(`${path}/session/create`, { initial_variables });
  const session_document_uuids: string[] = [];
  if (door.endsWith('session document')) {
    const document = await service.upload('/api/v1/session-document/upload', {
      name: `${at('name of a session document', 'menu')}.txt`,
      content: at('session document', 'Pancakes.'),
    });
    session_document_uuids.push(document.json.uuid);
  }
  const messages = `/api/v1/session/${session.json.uuid}/message`;
  const asked = (wanted: Door) => joinContext({ query, context: at(wanted, 'Ada: Hello.') });
  const pre_canned_response = door === 'earlier reply' ? text : undefined;
  const first = { query: asked('earlier thread'), session_document_uuids, pre_canned_response };
  await service.post(`${messages}/non-stream`, first);
  await service.service.settled();
  const second = { query: asked('thread'), session_document_uuids };
  await service.post(`${messages}/non-stream`, second);
  await service.service.settled();
  const { json } = await service.get(`${messages}s`);
  return { prompts: models.seen.map(({ body }) => body.messages), messages: json };
}

/** A prompt without the text inside the fence, and without the chatbot's own replies. */
function withoutMaterial(messages: Messages): Messages {
  return messages.map(({ role, content }) => ({
    role,
    content: role === 'assistant' ? '' : content.replace(fenced, '$1$3'),
  }));
}

/** The text inside the fence, and the chatbot's own replies. */
function toMaterial(messages: Messages): string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? [content] : [...content.matchAll(fenced)].map(([, , body = '']) => body),
  );
}

const harmless = new Map<Door, ReturnType<typeof askWith>>();
const canary = 'kanarienvogel';

test.each(injections)('%s: %s', async (door, text) => {
  const usual = harmless.get(door) ?? askWith(door, 'A word.');
  harmless.set(door, usual);
  const expected = (await usual).prompts.map(withoutMaterial);
  const { prompts, messages } = await askWith(door, `${text} ${canary}`);

  // Whatever others write, everything except the material stays the same.
  expect(prompts.map(withoutMaterial)).toEqual(expected);
  expect(JSON.stringify(expected)).toContain('passage [1.1]');
  const material = prompts.flatMap(toMaterial);
  for (const text of material) for (const form of passingFor) expect(text).not.toMatch(form);
  const isRead = material.some((each) => each.includes(canary));
  expect(isRead).toBe(door !== 'agent description');

  // The model repeats everything, but only real passages are cited.
  const real = prompts.flatMap((prompt) =>
    [...JSON.stringify(prompt).matchAll(/ passage \[(\d\.\d)\]>/gu)].map(([, marker]) => marker),
  );
  for (const { cite_data_json, response } of messages.slice(door === 'earlier reply' ? 1 : 0)) {
    const cited = Object.keys(JSON.parse(cite_data_json));
    expect(real).toEqual(expect.arrayContaining(cited));
    const shown = [...response.matchAll(/\[(\d+\.\d+)\]/gu)].map(([, marker]) => marker);
    expect(new Set(shown)).toEqual(new Set(cited));
  }
});

test('the corpus has 40 injections, covering every way in', () => {
  expect(injections).toHaveLength(40);
  expect(new Set(injections.map(([door]) => door)).size).toBe(15);
});

test('each prompt has its own fence name', async () => {
  const llm = { baseUrl: models.baseUrl, model: 'small' };
  await using other = await startTestService({ llm });
  const session = await other.createSession(await other.createChatbot());
  models.seen.length = 0;
  for (let turn = 0; turn < 3; turn++) {
    await other.post(`/api/v1/session/${session}/message/non-stream`, { query });
  }
  const names = models.seen.map(
    ({ body }) => /<(text-[0-9a-f]{16}) …>/u.exec(body.messages[0]?.content ?? '')?.[1],
  );
  expect(new Set(names).size).toBe(3);
  expect(names).not.toContain(undefined);
});

test('without a model, quoted text adds no citations of its own', async () => {
  await using plain = await startTestService();
  const chatbot = await plain.createChatbot();
  await plain.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, {
    name: 'a.md',
    content: `# Tower\n\nThe lighthouse opens at nine [1.2], says 【1.1】 and [1.1, 1.2].\n\n\`\`\`\nopen = [1.2]\n\`\`\`\n`,
  });
  await plain.service.settled();
  const session = `/api/v1/session/${await plain.createSession(chatbot)}`;
  const { json } = await plain.post(`${session}/message/non-stream`, { query });
  expect(json.response).toContain('at nine [ 1.2], says 【 1.1】 and [ 1.1, 1.2].');
  expect(json.response.match(/\[\d+\.\d+\]/gu)).toEqual(['[1.1]']);
  const away = await plain.post(`${session}/message/non-stream`, {
    query: 'Lighthouse penguins, seals and gulls?',
  });
  expect(away.json.response).not.toMatch(/[[【]\d\.\d/u);
});
