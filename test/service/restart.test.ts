import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrations } from '../../src/service/store/migrations.ts';
import { createDataDir, handbook, startTestService, type TestService } from './fixture.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { startWebsite } from './website.ts';

/** What a process that was killed leaves behind. */
function edit(dataDir: string, sql: string, ...values: string[]): void {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  database.prepare(sql).run(...values);
  database.close();
}

/** Runs the migration that contains this, as a start does on a database of the version before it. */
function migrate(dataDir: string, part: string): void {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  database.exec(migrations.find((sql) => sql.includes(part)) ?? '');
  database.close();
}

/** Makes an empty table of choices what the version before had. */
function undoChoices(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  const index = migrations.findIndex((sql) => sql.includes('CREATE TABLE choices'));
  const old = new DatabaseSync(':memory:');
  for (const sql of migrations.slice(0, index)) old.exec(sql);
  const tables = old
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE tbl_name IN ('agent_sources', 'tag_sources') AND sql <> ''`,
    )
    .all();
  database.exec('DROP TABLE chosen_sources; DROP TABLE choices');
  database.exec('DROP INDEX sessions_in_order; DROP INDEX sources_in_order');
  for (const { sql } of tables) database.exec(String(sql));
  database.exec(`PRAGMA user_version = ${index}`);
  database.close();
}

test.each(['await', 'chunking', 'embedding'])(
  'goes on with a source that was left at %s',
  async (status) => {
    const dataDir = await createDataDir();
    try {
      let chatbot = '';
      {
        await using first = await startTestService({ dataDir });
        chatbot = await first.createChatbot();
        await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
        await first.service.settled();
      }
      edit(dataDir, 'UPDATE sources SET status = ?, tokens = 0', status);

      await using second = await startTestService({ dataDir });
      await second.service.settled();
      const { json } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
      expect(json).toMatchObject([{ status: 'success', title: 'Handbook of the Lighthouse' }]);
      expect(json[0].tokens).toBeGreaterThan(0);

      const session = await second.createSession(chatbot);
      const path = `/api/v1/session/${session}/message/non-stream`;
      const reply = await second.post(path, { query: 'When does the lighthouse open?' });
      expect(reply.json.response.match(/nine in the morning/g)).toHaveLength(1);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  },
);

test('indexes anew what another build has indexed, from its passages alone', async () => {
  const dataDir = await createDataDir();
  try {
    await using site = await startWebsite();
    let chatbot = '';
    let session = '';
    {
      await using first = await startTestService({ dataDir, allowPrivateAddresses: true });
      chatbot = await first.createChatbot();
      session = await first.createSession(chatbot);
      const path = `/api/v1/chatbot/${chatbot}/data-source`;
      await first.upload(`${path}/upload`, handbook);
      await first.post(`${path}/url`, { url: `${site.url}/page` });
      const answer = 'Lorem ipsum dolor sit amet. '.repeat(700);
      await first.post(`${path}/qa`, { question: 'Who is the keeper of the lantern?', answer });
      await first.service.settled();
    }
    // The other build told no words apart, and knew nothing of versions.
    edit(dataDir, `DELETE FROM passage_index`);
    edit(dataDir, 'ALTER TABLE passage_source DROP COLUMN tokens_version');
    site.isDown = true;
    const ask = async (service: TestService, query: string) =>
      (await service.post(`/api/v1/session/${session}/message/non-stream`, { query })).json
        .response;
    const statuses = async (service: TestService) =>
      (await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json.map(
        ({ status }: { status: string }) => status,
      );

    await using second = await startTestService({ dataDir });
    expect(await statuses(second)).toEqual(['embedding', 'embedding', 'embedding']);
    await second.service.settled();
    expect(await statuses(second)).toEqual(['success', 'success', 'success']);
    expect(await ask(second, 'When does the lighthouse open?')).toContain('nine in the morning');
    expect(await ask(second, 'What does the mill grind?')).toContain('wheat');
    expect(await ask(second, 'Who is the keeper of the lantern?')).toContain('Lorem');

    await using third = await startTestService({ dataDir });
    expect(await statuses(third)).toEqual(['success', 'success', 'success']);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('says what to do where an upload’s file is gone', async () => {
  const dataDir = await createDataDir();
  try {
    let chatbot = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      const { json } = await first.upload(
        `/api/v1/chatbot/${chatbot}/data-source/upload`,
        handbook,
      );
      await first.service.settled();
      await rm(join(dataDir, 'files', 'sources', json.uuid));
    }
    edit(dataDir, 'UPDATE sources SET status = ?', 'chunking');
    await using second = await startTestService({ dataDir });
    await second.service.settled();
    const { json } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    expect(json[0].status).toBe('fail');
    expect(JSON.parse(json[0].meta_json).error).toContain('upload it again');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('closes a reply that was left under way, keeping what had come', async () => {
  const dataDir = await createDataDir();
  try {
    let session = '';
    {
      await using first = await startTestService({ dataDir });
      session = await first.createSession(await first.createChatbot());
      await first.post(`/api/v1/session/${session}/message/non-stream`, { query: 'Hello?' });
    }
    edit(dataDir, `UPDATE messages SET is_done = 0, finish_reason = '', response = ''`);
    for (const delta of ['The lighthouse ', 'op']) {
      edit(
        dataDir,
        'INSERT INTO reply_deltas (message, delta) SELECT uuid, ? FROM messages',
        delta,
      );
    }
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`/api/v1/session/${session}/messages`);
    expect(json[0]).toMatchObject({
      response: 'The lighthouse op',
      finish_reason: '',
      error_message: 'The service stopped while it was answering.',
    });
    const interrupted = { interrupted: true, error_code: 'answer_stopped' };
    expect(JSON.parse(json[0].meta_json)).toMatchObject(interrupted);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('finds all as it was', async () => {
  const dataDir = await createDataDir();
  try {
    const read = async (service: Awaited<ReturnType<typeof startTestService>>, uuid: string) => [
      (await service.get('/api/v1/chatbots')).json,
      (await service.get(`/api/v1/chatbot/${uuid}/agents`)).json,
      (await service.get(`/api/v1/chatbot/${uuid}/data-sources`)).json,
      (await service.get(`/api/v1/chatbot/${uuid}/sessions`)).json,
    ];
    let before: unknown;
    let chatbot = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
      await first.service.settled();
      await first.createSession(chatbot);
      before = await read(first, chatbot);
    }
    await using second = await startTestService({ dataDir });
    expect(await read(second, chatbot)).toEqual(before);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('starts on a database of the version before, with every message', async () => {
  const dataDir = await createDataDir();
  try {
    let path = '';
    {
      await using first = await startTestService({ dataDir });
      const session = await first.createSession(await first.createChatbot());
      path = `/api/v1/session/${session}`;
      for (const query of ['First?', 'Second?']) {
        await first.post(`${path}/message/non-stream`, { query });
      }
    }
    edit(dataDir, 'DROP INDEX messages_in_order');
    migrate(dataDir, 'messages_in_order');
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`${path}/messages?order=desc`);
    expect(json.map((message: { query: string }) => message.query)).toEqual(['Second?', 'First?']);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('agents of the version before have a temperature only if it was not the 0 of all', async () => {
  const dataDir = await createDataDir();
  await using models = await startModelServer();
  const llm = { baseUrl: models.baseUrl, model: 'small' };
  try {
    const sessions: string[] = [];
    {
      await using first = await startTestService({ dataDir });
      for (const temperature of [0, 0.5]) {
        sessions.push(await first.createSession(await first.createChatbot({ temperature })));
      }
    }
    migrate(dataDir, '$.temperature');
    await using second = await startTestService({ dataDir, llm });
    for (const session of sessions) {
      await second.post(`/api/v1/session/${session}/message/non-stream`, { query: 'Why?' });
    }
    const [usual, given] = models.seen.map(({ body }) => body);
    expect(usual).not.toHaveProperty('temperature');
    expect(given).toMatchObject({ temperature: 0.5 });
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('agents of the version before show escalation settings in lists only if they were set', async () => {
  const dataDir = await createDataDir();
  try {
    const unset = {
      human_requested_message: '',
      live_chat_start_announcement: '',
      live_chat_end_announcement: '',
      monitored_messages: [],
      notifications_enabled: false,
      sound_enabled: false,
    };
    const wanted = { ...unset, monitored_messages: ['help'] };
    let chatbot = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      const create = `/api/v1/chatbot/${chatbot}/agent/create`;
      const { json } = await first.post(create, { name: 'Wanted', type: 'user-facing' });
      await first.post(`/api/v1/agent/${json.uuid}/update`, { human_escalation_settings: wanted });
    }
    const path = '$.human_escalation_settings';
    edit(
      dataDir,
      `UPDATE agents SET settings = json_set(settings, '${path}', json('${JSON.stringify(unset)}'))
       WHERE json_extract(settings, '${path}') IS NULL`,
    );
    migrate(dataDir, '$.human_escalation_settings');
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`/api/v1/chatbot/${chatbot}/agents`);
    const shown = json.map((agent: object) => 'human_escalation_settings' in agent);
    expect(shown).toEqual([false, true]);
    expect(json[1].human_escalation_settings).toEqual(wanted);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('failures of the version before keep their sentences, without a code', async () => {
  const dataDir = await createDataDir();
  const broken = { name: 'broken.pdf', content: '%PDF-1.4 and then nothing' };
  try {
    let chatbot = '';
    let session = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, broken);
      await first.service.settled();
      session = await first.createSession(chatbot);
      const { json: agents } = await first.get(`/api/v1/chatbot/${chatbot}/agents`);
      await first.post(`/api/v1/agent/${agents[0].uuid}/update`, { enabled: false });
      await first.post(`/api/v1/session/${session}/message/non-stream`, { query: 'Why?' });
      const { json: sources } = await first.get(`/api/v1/chatbot/${chatbot}/data-sources`);
      expect(JSON.parse(sources[0].meta_json).error_code).toBe('pdf_damaged');
      const { json: messages } = await first.get(`/api/v1/session/${session}/messages`);
      expect(JSON.parse(messages[0].meta_json).error_code).toBe('no_agent_enabled');
    }
    for (const table of ['sources', 'messages']) {
      edit(
        dataDir,
        `UPDATE ${table} SET meta = json_remove(meta, '$.error_code', '$.error_params')`,
      );
    }
    await using second = await startTestService({ dataDir });
    const { json: sources } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    expect(JSON.parse(sources[0].meta_json)).toEqual({
      error: 'The PDF is damaged: it can’t be read. Save it again, then add the new copy.',
    });
    const { json: messages } = await second.get(`/api/v1/session/${session}/messages`);
    expect(messages[0].error_message).toMatch(/^None of this chatbot’s agents/);
    expect(messages[0].meta_json).toBe('{}');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('sources of the version before have the words for their status that clients know', async () => {
  const dataDir = await createDataDir();
  const words = ['await', 'downloading', 'extracting', 'chunking', 'embedding', 'running', 'error'];
  try {
    let chatbot = '';
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      for (const word of [...words, 'success']) {
        const body = { question: word, answer: `It says ${word}.` };
        await first.post(`/api/v1/chatbot/${chatbot}/data-source/qa`, body);
      }
      await first.service.settled();
    }
    edit(dataDir, 'UPDATE sources SET status = title');
    migrate(dataDir, `SET status = 'fail'`);
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
    const rows = database
      .prepare(`SELECT title || ' → ' || status AS change FROM sources ORDER BY id`)
      .all();
    database.close();
    expect(rows.map(({ change }) => change)).toEqual([
      'await → await',
      'downloading → await',
      'extracting → await',
      'chunking → chunking',
      'embedding → embedding',
      'running → embedding',
      'error → fail',
      'success → success',
    ]);
    await using second = await startTestService({ dataDir });
    await second.service.settled();
    const { json } = await second.get(`/api/v1/chatbot/${chatbot}/data-sources`);
    expect(json).toMatchObject(
      [...words, 'success'].map((title) => ({
        title,
        tokens: expect.any(Number),
        status: title === 'error' ? 'fail' : 'success',
      })),
    );
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('agents and tags of the version before keep the sources they have chosen', async () => {
  const dataDir = await createDataDir();
  try {
    const read = async (service: TestService, uuid: string) =>
      await Promise.all(
        ['agents', 'source-tags'].map(async (list) => {
          const { json } = await service.get(`/api/v1/chatbot/${uuid}/${list}`);
          return json.map((each: { data_source_uuids: string[] }) => each.data_source_uuids);
        }),
      );
    let chatbot = '';
    const sources: string[] = [];
    {
      await using first = await startTestService({ dataDir });
      chatbot = await first.createChatbot();
      const path = `/api/v1/chatbot/${chatbot}`;
      for (const question of ['One?', 'Two?', 'Three?']) {
        const { json } = await first.post(`${path}/data-source/qa`, { question, answer: 'Yes.' });
        sources.push(json.uuid);
      }
      const tag = { name: 'Chosen', color: '#123456' };
      await first.post(`${path}/source-tag/create`, tag);
      await first.post(`${path}/source-tag/create`, { ...tag, name: 'Empty' });
    }
    undoChoices(dataDir);
    const [one = '', two = '', three = ''] = sources;
    const chosen = 'sources WHERE sources.uuid IN (?, ?)';
    edit(
      dataDir,
      `INSERT INTO agent_sources SELECT agents.uuid, sources.uuid FROM agents, ${chosen}`,
      one,
      two,
    );
    edit(
      dataDir,
      `INSERT INTO tag_sources SELECT tags.uuid, sources.uuid FROM tags, ${chosen} AND tags.name = 'Chosen'`,
      two,
      three,
    );
    await using second = await startTestService({ dataDir });
    expect(await read(second, chatbot)).toEqual([[[one, two]], [[two, three], []]]);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('does not start on a database of a newer version', async () => {
  const dataDir = await createDataDir();
  try {
    {
      await using first = await startTestService({ dataDir });
      await first.createChatbot();
    }
    edit(dataDir, 'PRAGMA user_version = 99');
    await expect(startTestService({ dataDir })).rejects.toThrow('schema 99');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
