import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hostileFiles } from '../fixtures/hostile/files.ts';
import {
  hostilePages,
  privateAddresses,
  startHostileWebsite,
} from '../fixtures/hostile/website.ts';
import { startTestService, type TestService } from '../service/fixture.ts';

/** What becomes of a source, once it has been added. */
async function settle(service: TestService, chatbot: string, uuid: string) {
  await service.service.settled();
  const { json } = await service.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  const source = json.find((each: { uuid: string }) => each.uuid === uuid);
  return { status: source.status, reason: JSON.parse(source.meta_json).error ?? '' };
}

describe('a hostile file ends clearly', () => {
  test.each([
    'zip bomb in one entry',
    'zip of many entries',
    'zip within a zip',
    'zip with a lying directory',
    'docx of entities',
    'docx nested deeply',
    'PDF of deep objects',
    'PDF of pictures',
    '10 MB of [ as Markdown',
    '10 MB of <div>',
    '10 MB of [ as JSON',
    'picture called a PDF',
    'old Word document',
    'path in its name',
  ])('%s', async (name) => {
    const file = hostileFiles[name];
    if (!file) throw new Error(`There is no file “${name}”`);
    const type = file.type ?? 'application/octet-stream';
    await using service = await startTestService();
    const chatbot = await service.createChatbot();
    const content = Buffer.from(file.content());
    const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    const { status, json } = await service.upload(path, { name: file.name, type, content });
    const end =
      status === 200 ? await settle(service, chatbot, json.uuid) : { status, reason: json.error };
    expect(end.status).toBe(file.ends);
    expect(end.reason).toMatch(file.says ?? /^$/);
  });

  test('and a path in a name is never written to', () => {
    expect(existsSync('/tmp/causeway-was-here.txt')).toBe(false);
  });
});

describe('a hostile page ends clearly', () => {
  test.each(['/endless', '/gzip-bomb', '/declared-large', '/circle', '/other-scheme', '/picture'])(
    '%s',
    async (path) => {
      await using site = await startHostileWebsite();
      await using service = await startTestService({
        allowPrivateAddresses: true,
        maxUploadBytes: 1_000_000,
      });
      const chatbot = await service.createChatbot();
      const added = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
        url: site.url + path,
      });
      const { status, reason } = await settle(service, chatbot, added.json.uuid);
      expect(status).toBe('fail');
      expect(reason).toMatch(hostilePages[path]?.says ?? /^$/);
    },
  );

  test('an address within the network is not asked, however it is written', async () => {
    await using service = await startTestService();
    const chatbot = await service.createChatbot();
    const reasons: string[] = [];
    for (const [index, url] of privateAddresses.entries()) {
      // Several spellings are one address, which is added but once.
      const added = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
        url: `${url}?${index}`,
      });
      reasons.push((await settle(service, chatbot, added.json.uuid)).reason);
    }
    expect(reasons.filter((reason) => !reason.includes('is not a public address'))).toEqual([]);
  });
});
