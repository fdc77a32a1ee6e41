import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createDataDir, handbook, startTestService, type TestService } from './fixture.ts';
import { startWebsite } from './website.ts';

/** What a process that was killed leaves behind. */
function edit(dataDir: string, sql: string, ...values: string[]): void {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
  database.prepare(sql).run(...values);
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

test('reads and indexes again what another version has indexed, as far as it is stored', async () => {
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
      const rules = 'The harbour lamps are lit at dusk.';
      await first.upload(`${path}/upload`, { name: 'rules.md', content: rules });
      await first.post(`${path}/url`, { url: `${site.url}/page` });
      const answer = 'Lorem ipsum dolor sit amet. '.repeat(700);
      await first.post(`${path}/qa`, { question: 'Who is the keeper of the lantern?', answer });
      await first.service.settled();
    }
    // The other build told no words apart.
    edit(dataDir, 'DELETE FROM postings');
    edit(dataDir, 'UPDATE source_versions SET index_version = 0');
    edit(dataDir, 'UPDATE sources SET modified_ms = 1000');
    // It read files in another way, and this one would be read no more.
    edit(dataDir, "UPDATE passages SET text = 'The handbook was torn.' WHERE text LIKE '%nine%'");
    edit(dataDir, "UPDATE source_files SET data = x'00' WHERE length(data) < 40");
    site.isDown = true;
    const ask = async (service: TestService, query: string) =>
      (await service.post(`/api/v1/session/${session}/message/non-stream`, { query })).json
        .response;
    const list = async (service: TestService, field: 'status' | 'modified_at') =>
      (await service.get(`/api/v1/chatbot/${chatbot}/data-sources`)).json.map(
        (source: Record<string, unknown>) => source[field],
      );
    const four = (value: string) => Array.from({ length: 4 }, () => value);

    await using second = await startTestService({ dataDir });
    expect(await list(second, 'status')).toEqual(four('embedding'));
    await second.service.settled();
    expect(await list(second, 'status')).toEqual(four('success'));
    expect(await list(second, 'modified_at')).toEqual(four('1970-01-01T00:00:01Z'));
    expect(await ask(second, 'When does the lighthouse open?')).toContain('nine in the morning');
    expect(await ask(second, 'When are the harbour lamps lit?')).toContain('at dusk');
    expect(await ask(second, 'What does the mill grind?')).toContain('wheat');
    expect(await ask(second, 'Who is the keeper of the lantern?')).toContain('Lorem');

    await using third = await startTestService({ dataDir });
    expect(await list(third, 'status')).toEqual(four('success'));
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
      await first.upload(`/api/v1/chatbot/${chatbot}/data-source/upload`, handbook);
      await first.service.settled();
    }
    edit(dataDir, 'DELETE FROM source_files');
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

test('closes a reply that was left running, and keeps its text so far', async () => {
  const dataDir = await createDataDir();
  try {
    let session = '';
    {
      await using first = await startTestService({ dataDir });
      session = await first.createSession(await first.createChatbot());
      await first.post(`/api/v1/session/${session}/message/non-stream`, { query: 'Hello?' });
    }
    edit(dataDir, `UPDATE messages SET is_done = 0, finish_reason = '', response = ?`, 'The light');
    await using second = await startTestService({ dataDir });
    const { json } = await second.get(`/api/v1/session/${session}/messages`);
    expect(json[0]).toMatchObject({
      response: 'The light',
      finish_reason: '',
      error_message: 'The service stopped while it was answering.',
    });
    const interrupted = { interrupted: true, error_code: 'answer_stopped' };
    expect(JSON.parse(json[0].meta_json)).toMatchObject(interrupted);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('finds everything as it was', async () => {
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
