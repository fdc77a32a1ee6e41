import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { joinContext } from '../../../src/shared/api/session.ts';
import { createDataDir, bertsKey, handbook, startTestService, toJsonPost } from '../fixture.ts';
import { createGate } from '../gate.ts';

async function startWithHandbook(options: Parameters<typeof startTestService>[0] = {}) {
  const service = await startTestService(options);
  const chatbot = await service.createChatbot();
  await service.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
  await service.service.settled();
  const session = await service.createSession(chatbot);
  return Object.assign(service, { chatbot, session });
}

const query = 'When does the lighthouse open?';

/** Long enough for a reader to have what came before. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('the service streams a cited reply as plain text and stores just that', async () => {
  await using service = await startWithHandbook({ pace: { deltaMs: 1, sleep: nextTurns } });
  const response = await service.fetch(
    `/api/v1/session/${service.session}/message/stream`,
    toJsonPost({ query }),
  );
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-accel-buffering')).toBe('no');

  const parts = await Array.fromAsync(response.body ?? []);
  expect(parts.length).toBeGreaterThan(1);
  const text = Buffer.concat(parts).toString();
  expect(text).toContain('opens at nine in the morning');

  const { json } = await service.get(`/api/v1/session/${service.session}/messages`);
  expect(json).toHaveLength(1);
  expect(json[0]).toMatchObject({
    uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
    query,
    response: text,
    finish_reason: 'stop',
    error_message: '',
  });
  expect(JSON.parse(json[0].meta_json)).toMatchObject({
    agent: { name: 'General Q&A' },
    model: 'extractive',
  });
  const citations = Object.entries<object>(JSON.parse(json[0].cite_data_json));
  expect(citations.length).toBeGreaterThan(0);
  const age = { modified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) };
  const { cited } = JSON.parse(json[0].meta_json);
  expect(cited).toEqual(Object.fromEntries(citations.map(([marker]) => [marker, age])));
  for (const [marker, citation] of citations) {
    expect(text).toContain(`[${marker}]`);
    expect(Object.keys(citation).toSorted()).toEqual([
      'data_source_uuid',
      'file_name',
      'text',
      'title',
      'type',
    ]);
    expect(citation).toMatchObject({
      title: 'Handbook of the Lighthouse',
      file_name: 'handbook.md',
    });
  }
});

test('the service shows no citations where the chatbot wants none', async () => {
  await using service = await startWithHandbook();
  await service.post(`/api/v1/chatbot/${service.chatbot}/update`, { show_citations: false });
  const path = `/api/v1/session/${service.session}`;
  const { json } = await service.post(`${path}/message/non-stream`, { query });
  expect(json.response).toContain('opens at nine');
  expect(json.response).not.toMatch(/\[\d/);
  expect((await service.get(`${path}/messages`)).json[0].cite_data_json).toBe('{}');
});

test('the service refuses honestly what the sources do not hold', async () => {
  await using service = await startWithHandbook();
  const { json } = await service.post(`/api/v1/session/${service.session}/message/non-stream`, {
    query: 'How do I bake sourdough bread?',
  });
  expect(json.response).not.toContain('lighthouse');
  expect(json.response.length).toBeGreaterThan(10);
});

test('the service tells which replies are sure, where they show their sources', async () => {
  await using service = await startWithHandbook();
  const path = `/api/v1/session/${service.session}`;
  const metaOf = async (asked: string) => {
    const { json } = await service.post(`${path}/message/non-stream`, { query: asked });
    const { json: messages } = await service.get(`${path}/messages?order=desc&limit=1`);
    const { weak, unanswered } = JSON.parse(messages[0].meta_json);
    return { begins: json.response.slice(0, 16), weak, unanswered };
  };
  const chatbot = `/api/v1/chatbot/${service.chatbot}`;
  expect((await service.get(chatbot)).json.meta.tells_evidence).toBe(true);
  expect(await metaOf(query)).toEqual({ begins: expect.stringMatching(/^(?!This may)/) });
  const weak = await metaOf('Does the lighthouse open for dogs?');
  expect(weak).toEqual({ begins: 'This may not ans', weak: true });
  const refused = await metaOf('How do I bake sourdough bread?');
  expect(refused).toMatchObject({ begins: 'I found no answe', unanswered: {} });
  // What people said may answer it.
  const context = 'Ada: To grow lemons, water the trees.';
  const quoted = await metaOf(joinContext({ query: 'How do I water lemons?', context }));
  expect(quoted).toEqual({ begins: 'People said here', weak: true });

  await service.post(`${chatbot}/update`, { show_citations: false });
  expect((await service.get(chatbot)).json.meta.tells_evidence).toBe(false);
  expect(await metaOf('How do I bake rye bread?')).toEqual({ begins: 'I found no answe' });
});

test('one answer follows the pace that is set', async () => {
  const slept: number[] = [];
  await using service = await startWithHandbook({
    pace: {
      deltaMs: 15,
      sleep: (ms) => {
        slept.push(ms);
        return Promise.resolve();
      },
    },
  });
  const response = await service.fetch(
    `/api/v1/session/${service.session}/message/stream`,
    toJsonPost({ query }),
  );
  const words = (await response.text()).trim().split(/\s+/);
  expect(slept).toEqual(words.map(() => 15));
});

test('a reply that nobody watches comes without pauses', async () => {
  const gate = createGate();
  await using service = await startWithHandbook({ pace: { deltaMs: 1, sleep: gate.sleep } });
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  expect((await service.post(path, { query })).json.response).toContain('October');
});

test('the service shows the text of a running reply so far, at least what its reader has received', async () => {
  await using service = await startWithHandbook({ pace: { deltaMs: 1, sleep: nextTurns } });
  const path = `/api/v1/session/${service.session}`;
  const response = await service.fetch(`${path}/message/stream`, toJsonPost({ query }));
  const reader = response.body?.getReader();
  let text = '';
  for (let part = 0; part < 4; part++) {
    text += new TextDecoder().decode((await reader?.read())?.value);
    const { json } = await service.get(`${path}/messages`);
    expect(json[0].response.startsWith(text)).toBe(true);
  }
  await reader?.cancel();
});

test('a service that closes lets replies end within the grace', async () => {
  const dataDir = await createDataDir();
  try {
    const first = await startWithHandbook({ dataDir, graceMs: 10_000 });
    const path = `/api/v1/session/${first.session}`;
    await first.post(`${path}/message/stream`, { query: 'Who built the lantern?' });
    const response = await first.fetch(`${path}/message/stream`, toJsonPost({ query }));
    const closed = first[Symbol.asyncDispose]();
    const refused = await first.get('/api/v1/chatbots');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const text = await response.text();
    await closed;
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`${path}/messages`);
    expect(json[1]).toMatchObject({ response: text, finish_reason: 'stop', error_message: '' });
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test.each([
  [
    'a session',
    ({ session }: { session: string }) => ['POST', `/api/v1/session/${session}/delete`],
  ],
  [
    'a chatbot',
    ({ chatbot }: { chatbot: string }) => ['DELETE', `/api/v1/chatbot/${chatbot}/delete`],
  ],
  [
    'a message',
    ({ message }: { message: string }) => ['POST', `/api/v1/message/${message}/delete`],
  ],
])('deleting %s ends its replies', async (_, toRequest) => {
  const gate = createGate();
  await using service = await startWithHandbook({ pace: { deltaMs: 1, sleep: gate.sleep } });
  const path = `/api/v1/session/${service.session}`;
  const response = await service.fetch(`${path}/message/stream`, toJsonPost({ query }));
  const reader = response.body?.getReader();
  await reader?.read();
  await gate.reached;
  const { json } = await service.get(`${path}/messages`);
  const [method = '', target = ''] = toRequest({ ...service, message: json[0].uuid });
  expect((await service.fetch(target, { method })).status).toBe(200);
  expect(await reader?.read()).toMatchObject({ done: true });
});

test('the service lists messages in their order, and as a transcript', async () => {
  await using service = await startWithHandbook();
  const path = `/api/v1/session/${service.session}`;
  const first = await service.post(`${path}/message/non-stream`, { query });
  const second = await service.post(`${path}/message/non-stream`, {
    query: 'Who built the lantern?',
  });
  const { json } = await service.get(`${path}/messages`);
  expect(json.map((message: { query: string }) => message.query)).toEqual([
    query,
    'Who built the lantern?',
  ]);
  const transcript = await service.get(`${path}/messages/plain-text`);
  expect(transcript.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(transcript.text).toBe(
    `User: ${query}\n\nAI: ${first.json.response}\n\nUser: Who built the lantern?\n\nAI: ${second.json.response}\n`,
  );
});

test('the service deletes one message, or several', async () => {
  await using service = await startWithHandbook();
  const path = `/api/v1/session/${service.session}`;
  for (let turn = 0; turn < 3; turn++) {
    await service.post(`${path}/message/non-stream`, { query });
  }
  const { json } = await service.get(`${path}/messages`);
  const [one, ...others] = json.map(({ uuid }: { uuid: string }) => uuid);
  expect((await service.post(`/api/v1/message/${one}/delete`, undefined, bertsKey)).status).toBe(
    404,
  );
  expect((await service.post(`/api/v1/message/${one}/delete`)).json).toEqual({ success: true });
  const unknown = await service.post('/api/v1/messages/delete', { uuids: [one, ...others] });
  expect(unknown.status).toBe(404);
  expect((await service.get(`${path}/messages`)).json).toHaveLength(2);
  expect((await service.post('/api/v1/messages/delete', { uuids: others })).status).toBe(200);
  expect((await service.get(`${path}/messages`)).json).toEqual([]);
});

test('the service answers with the rate limit message until the window has moved on', async () => {
  let nowMs = 0;
  await using service = await startWithHandbook({ now: () => nowMs });
  await service.post(`/api/v1/chatbot/${service.chatbot}/update`, {
    rate_limit: [2, 10],
    rate_limit_message: 'Slow down, please.',
  });
  const path = `/api/v1/session/${service.session}`;
  const ask = async () => {
    const { text } = await service.post(`${path}/message/stream`, { query });
    return text === 'Slow down, please.' ? 'limited' : 'answered';
  };

  expect(await ask()).toBe('answered');
  nowMs = 6000;
  expect(await ask()).toBe('answered');
  nowMs = 9999;
  expect(await ask()).toBe('limited');
  nowMs = 10_000;
  expect(await ask()).toBe('answered');
  expect(await ask()).toBe('limited');
  nowMs = 16_000;
  expect(await ask()).toBe('answered');

  const { json } = await service.get(`${path}/messages`);
  const flags = json.map(({ meta_json }: { meta_json: string }) =>
    Boolean(JSON.parse(meta_json).rate_limited),
  );
  expect(flags).toEqual([false, false, true, false, true, false]);
  expect(json[2]).toMatchObject({ response: 'Slow down, please.', finish_reason: 'stop' });

  const elsewhere = await service.createSession(service.chatbot);
  const other = await service.post(`/api/v1/session/${elsewhere}/message/stream`, { query });
  expect(other.text).not.toBe('Slow down, please.');
});

test('the service limits no session because the clock was set back', async () => {
  let nowMs = 3_600_000;
  await using service = await startWithHandbook({ now: () => nowMs });
  const limits = { rate_limit: [1, 10], rate_limit_message: 'Slow down.' };
  await service.post(`/api/v1/chatbot/${service.chatbot}/update`, limits);
  const path = `/api/v1/session/${service.session}/message/stream`;
  await service.post(path, { query });
  nowMs = 0;
  expect((await service.post(path, { query })).text).not.toBe('Slow down.');
  expect((await service.post(path, { query })).text).toBe('Slow down.');
});

test('the service has a rate limit message of its own where none is set', async () => {
  await using service = await startWithHandbook();
  await service.post(`/api/v1/chatbot/${service.chatbot}/update`, { rate_limit: [1, 10] });
  const path = `/api/v1/session/${service.session}/message/stream`;
  await service.post(path, { query });
  expect((await service.post(path, { query })).text).toMatch(/too|many messages/);
});

test('a reader who leaves ends the reply, and its text so far is stored', async () => {
  const gate = createGate();
  await using service = await startWithHandbook({ pace: { deltaMs: 1, sleep: gate.sleep } });
  const path = `/api/v1/session/${service.session}`;
  const response = await service.fetch(`${path}/message/stream`, toJsonPost({ query }));
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await gate.reached;
  expect((await service.get(`${path}/messages`)).json[0].finish_reason).toBe('');
  await reader?.cancel();

  const { json } = await service.get(`${path}/messages`);
  expect(json[0].response).toMatch(new RegExp(`^${Buffer.from(first?.value ?? []).toString()}`));
  expect(json[0].response).not.toContain('October');
  expect(json[0].finish_reason).toBe('');
  expect(JSON.parse(json[0].meta_json)).toMatchObject({ interrupted: true });
  expect(gate.wasAborted()).toBe(true);
});

test('a request that is aborted ends the reply too', async () => {
  const gate = createGate();
  await using service = await startWithHandbook({ pace: { deltaMs: 1, sleep: gate.sleep } });
  const path = `/api/v1/session/${service.session}`;
  const leave = new AbortController();
  const init = { ...toJsonPost({ query }), signal: leave.signal };
  const response = await service.fetch(`${path}/message/stream`, init);
  const reader = response.body?.getReader();
  await reader?.read();
  await gate.reached;
  leave.abort();
  expect(await reader?.read()).toMatchObject({ done: true });
  const { json } = await service.get(`${path}/messages`);
  expect(JSON.parse(json[0].meta_json)).toMatchObject({ interrupted: true });
});

test('a service that closes keeps the text of a reply so far', async () => {
  const dataDir = await createDataDir();
  const gate = createGate();
  try {
    let path = '';
    {
      const pace = { deltaMs: 1, sleep: gate.sleep };
      await using first = await startWithHandbook({ dataDir, pace });
      path = `/api/v1/session/${first.session}`;
      const response = await first.fetch(`${path}/message/stream`, toJsonPost({ query }));
      await response.body?.getReader().read();
      await gate.reached;
    }
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`${path}/messages`);
    expect(json).toHaveLength(1);
    expect(json[0].response).not.toBe('');
    expect(json[0].error_message).toContain('stopped');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('of several agents the best fitting one answers', async () => {
  await using service = await startWithHandbook();
  const created = await service.post(`/api/v1/chatbot/${service.chatbot}/agent/create`, {
    name: 'Refunds',
    type: 'user-facing',
    description: 'Refunds, returns and payments',
  });
  await service.post(`/api/v1/agent/${created.json.uuid}/update`, { enabled: true });
  const path = `/api/v1/session/${service.session}`;
  await service.post(`${path}/message/non-stream`, { query: 'refunds and returns of payments' });
  await service.post(`${path}/message/non-stream`, { query });
  const { json } = await service.get(`${path}/messages`);
  const names = json.map(
    ({ meta_json }: { meta_json: string }) => JSON.parse(meta_json).agent.name,
  );
  expect(names).toEqual(['Refunds', 'General Q&A']);
});

test('the service says so where no agent is enabled', async () => {
  await using service = await startWithHandbook();
  const agents = await service.get(`/api/v1/chatbot/${service.chatbot}/agents`);
  await service.post(`/api/v1/agent/${agents.json[0].uuid}/update`, { enabled: false });
  const path = `/api/v1/session/${service.session}`;
  const reply = await service.post(`${path}/message/stream`, { query });
  expect(reply.status).toBe(200);
  expect(reply.text).toContain('Enable a user-facing agent');
  const { json } = await service.get(`${path}/messages`);
  expect(json[0]).toMatchObject({ response: reply.text, error_message: reply.text });
});

test('a session document counts for the session whose message names it', async () => {
  await using service = await startWithHandbook();
  const document = await service.upload('/api/v1/session-document/upload', {
    name: 'menu.txt',
    content: 'The kitchen serves pancakes on Sunday evenings.',
  });
  expect(document.json).toMatchObject({
    uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
    file_name: 'menu.txt',
  });
  const path = `/api/v1/session/${service.session}`;
  const question = 'When does the kitchen serve pancakes?';
  const { json } = await service.post(`${path}/message/non-stream`, {
    query: question,
    session_document_uuids: [document.json.uuid],
  });
  expect(json.response).toContain('pancakes on Sunday evenings');
  const later = await service.post(`${path}/message/non-stream`, { query: question });
  expect(later.json.response).toContain('Sunday');
  const { json: messages } = await service.get(`${path}/messages`);
  const used = messages.map(
    (message: { session_documents: string[] }) => message.session_documents,
  );
  expect(used).toEqual([[document.json.uuid], [document.json.uuid]]);

  const other = `/api/v1/session/${await service.createSession(service.chatbot)}`;
  const elsewhere = await service.post(`${other}/message/non-stream`, { query: question });
  expect(elsewhere.json.response).not.toContain('Sunday');
  const named = { query: question, session_document_uuids: [document.json.uuid] };
  const once = await service.post(`${other}/message/non-stream`, named);
  expect(once.json.response).toContain('Sunday');
  const forgotten = await service.post(`${other}/message/non-stream`, { query: question });
  expect(forgotten.json.response).not.toContain('Sunday');

  const unknown = await service.post(`${path}/message/non-stream`, {
    query: question,
    session_document_uuids: ['0'.repeat(32)],
  });
  expect(unknown.status).toBe(422);
});

test('a session document hides nothing that the sources say', async () => {
  await using service = await startWithHandbook();
  const parts = [1, 2, 3, 4, 5].map(
    (part) => `## Section ${part}\n\nThe lighthouse shall pay part ${part} to the keeper.\n`,
  );
  const contract = { name: 'contract.md', content: `# Contract\n\n${parts.join('\n')}` };
  const { json: document } = await service.upload('/api/v1/session-document/upload', contract);
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  const ask = async (query: string) => {
    const asked = { query, session_document_uuids: [document.uuid] };
    return (await service.post(path, asked)).json.response;
  };
  expect(await ask('When does the lighthouse open in May?')).toContain('nine in the morning');
  expect(await ask('Who shall pay part 4 to the keeper?')).toContain('shall pay part 4');
});

test('a taught answer is given whole, however long it is', async () => {
  await using service = await startWithHandbook();
  const steps = Array.from(
    { length: 90 },
    (_, step) =>
      `${step + 1}. Turn the crank of the lamp by hand until mark ${step + 1} is reached.`,
  );
  const answer = `Wind the clockwork every evening, as follows:\n\n${steps.join('\n')}\n\nThen rest.`;
  const question = 'How do I wind the clockwork?';
  await service.post(`/api/v1/chatbot/${service.chatbot}/data-source/qa`, { question, answer });
  await service.service.settled();
  const path = `/api/v1/session/${service.session}`;
  const { json } = await service.post(`${path}/message/non-stream`, { query: question });
  expect(json.response).toBe(`${answer} [1.1]`);
  const { json: messages } = await service.get(`${path}/messages`);
  expect(JSON.parse(messages[0].cite_data_json)['1.1'].text).toBe(answer);
  expect(JSON.parse(messages[0].meta_json).cited).toHaveProperty('1.1');
});

test('a follow-up question is also asked of a session document', async () => {
  await using service = await startWithHandbook();
  const { json } = await service.upload('/api/v1/session-document/upload', {
    name: 'lease.txt',
    content: 'The rent for the workshop is 900 euros, and its landlord is Mr Miller.',
  });
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  const first = { query: 'Who is landlord of the workshop?', session_document_uuids: [json.uuid] };
  await service.post(path, first);
  const later = await service.post(path, { query: 'And how much is it?' });
  expect(later.json.response).toContain('900 euros');
});

test('a chain of follow-up questions keeps its subject', async () => {
  await using service = await startWithHandbook();
  await service.upload(`/api/v1/chatbot/${service.chatbot}/data-source/upload`, {
    name: 'rules.md',
    content: `# Rules

## Vacation

Keepers get 25 days of vacation. Interns get 12 days of vacation. Vacation expires at the end of March.

## Passwords

A password expires after 90 days.

## Badges

Badges of interns expire in June.
`,
  });
  await service.service.settled();
  const path = `/api/v1/session/${service.session}/message/non-stream`;
  const ask = async (query: string) => (await service.post(path, { query })).json.response;
  await ask('How many days of vacation do keepers get?');
  await ask('And for interns?');
  const response = await ask('When does it expire?');
  expect(response).toContain('March');
  expect(response).not.toContain('Badges');
});

test('more sessions than stay indexed ask about their documents at once, and each is answered', async () => {
  await using service = await startWithHandbook();
  const rooms = Array.from({ length: 8 }, (_, index) => `room${index}`);
  const asked = await Promise.all(
    rooms.map(async (room) => {
      const file = { name: `${room}.txt`, content: `The blue door leads to ${room}.` };
      const { json } = await service.upload('/api/v1/session-document/upload', file);
      const session = await service.createSession(service.chatbot);
      return { session, fields: { session_document_uuids: [json.uuid] } };
    }),
  );
  const query = 'Where does the blue door lead?';
  const answers = await Promise.all(
    asked.map(({ session, fields }) =>
      service.post(`/api/v1/session/${session}/message/non-stream`, { query, ...fields }),
    ),
  );
  const responses = answers.map(({ json }) => json.response);
  expect(responses).toEqual(rooms.map((room) => expect.stringContaining(room)));
});

test('a deleted message takes along the documents that came with it, and no others', async () => {
  await using service = await startWithHandbook();
  const path = `/api/v1/session/${service.session}`;
  const uuids: string[] = [];
  for (const name of ['blue', 'green']) {
    const file = { name: `${name}.txt`, content: `The ${name} door leads to room ${name}one.` };
    const { json } = await service.upload('/api/v1/session-document/upload', file);
    uuids.push(String(json.uuid));
    const asked = { query: `Where does the ${name} door lead?` };
    const named = { ...asked, session_document_uuids: [json.uuid] };
    await service.post(`${path}/message/non-stream`, named);
  }
  const { json: messages } = await service.get(`${path}/messages`);
  const [{ uuid }] = messages;
  expect((await service.post('/api/v1/messages/delete', { uuids: [uuid, uuid] })).status).toBe(200);
  const ask = async (name: string) => {
    const asked = { query: `Where does the ${name} door lead?` };
    return (await service.post(`${path}/message/non-stream`, asked)).json.response;
  };
  expect(await ask('blue')).not.toContain('blueone');
  expect(await ask('green')).toContain('greenone');
  const again = { query: 'Which door?', session_document_uuids: uuids.slice(0, 1) };
  expect(await service.post(`${path}/message/non-stream`, again)).toMatchObject({ status: 422 });
});

test('a session remembers the newest twenty documents, and takes them along when it goes', async () => {
  await using service = await startWithHandbook();
  const path = `/api/v1/session/${service.session}`;
  const uuids: string[] = [];
  for (let number = 1; number <= 21; number++) {
    const file = { name: `${number}.txt`, content: `Room ${number} has a blue door.` };
    const { json } = await service.upload('/api/v1/session-document/upload', file);
    uuids.push(String(json.uuid));
  }
  const asked = { query: 'Which door is blue?' };
  await service.post(`${path}/message/non-stream`, { ...asked, session_document_uuids: uuids });
  await service.post(`${path}/message/non-stream`, asked);
  const { json } = await service.get(`${path}/messages`);
  expect(json[0].session_documents).toEqual(uuids);
  expect(json[1].session_documents).toEqual(uuids.slice(1));

  await service.post(`${path}/delete`);
  const other = `/api/v1/session/${await service.createSession(service.chatbot)}`;
  const again = { ...asked, session_document_uuids: uuids.slice(0, 1) };
  expect(await service.post(`${other}/message/non-stream`, again)).toMatchObject({ status: 422 });
});

test.each([
  [{}, 'query: is required'],
  [{ query: '' }, 'query: must be at least 1 character'],
  [{ query: 7 }, 'query: must be a string'],
  [{ query: 'x'.repeat(100_001) }, 'query: must be at most 100000 characters'],
])('the service refuses a message without a good query', async (body, message) => {
  await using service = await startTestService();
  const session = await service.createSession(await service.createChatbot());
  const { status, json } = await service.post(`/api/v1/session/${session}/message/stream`, body);
  expect(status).toBe(400);
  expect(json.error).toContain(message);
  expect((await service.get(`/api/v1/session/${session}/messages`)).json).toEqual([]);
});
