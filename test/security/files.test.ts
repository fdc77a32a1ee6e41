import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileFiles } from '../fixtures/hostile/files.ts';
import {
  hostilePages,
  privateAddresses,
  startHostileWebsite,
} from '../fixtures/hostile/website.ts';
import { startTestService, type TestService } from '../service/fixture.ts';

let service: TestService;
let reaching: TestService;
beforeAll(async () => {
  service = await startTestService();
  reaching = await startTestService({ allowPrivateAddresses: true, maxUploadBytes: 1_000_000 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await reaching[Symbol.asyncDispose]();
});

/** The final state of a source that was added. */
async function settle(of: TestService, chatbot: string, uuid: string) {
  await of.service.settled();
  const { json } = await of.get(`/api/v1/chatbot/${chatbot}/data-sources`);
  const source = json.find((each: { uuid: string }) => each.uuid === uuid);
  return { status: source.status, reason: JSON.parse(source.meta_json).error ?? '' };
}

// Archives are in archives.test.ts, names in paths.test.ts.
describe('a hostile file ends clearly', () => {
  test.each([
    'zip within a zip',
    'docx of entities',
    'docx nested deeply',
    'PDF of deep objects',
    'PDF of pictures',
    '10 MB of [ as Markdown',
    '10 MB of <div>',
    '10 MB of [ as JSON',
    'picture called a PDF',
    'old Word document',
  ])('%s', async (name) => {
    const file = hostileFiles[name];
    if (!file) throw new Error(`There is no file “${name}”`);
    const type = file.type ?? 'application/octet-stream';
    const chatbot = await service.createChatbot();
    const content = Buffer.from(file.content());
    const path = `/api/v1/chatbot/${chatbot}/data-source/upload`;
    const { status, json } = await service.upload(path, { name: file.name, type, content });
    const end =
      status === 200 ? await settle(service, chatbot, json.uuid) : { status, reason: json.error };
    expect(end.status).toBe(file.ends);
    expect(end.reason).toMatch(file.says ?? /^$/);
  });
});

describe('a hostile page ends clearly', () => {
  test.each(['/endless', '/gzip-bomb', '/declared-large', '/circle', '/other-scheme', '/picture'])(
    '%s',
    async (path) => {
      await using site = await startHostileWebsite();
      const chatbot = await reaching.createChatbot();
      const added = await reaching.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
        url: site.url + path,
      });
      const { status, reason } = await settle(reaching, chatbot, added.json.uuid);
      expect(status).toBe('fail');
      expect(reason).toMatch(hostilePages[path]?.says ?? /^$/);
    },
  );

  test('an address within the network is not requested, however it is written', async () => {
    const chatbot = await service.createChatbot();
    const reasons: string[] = [];
    for (const [index, url] of privateAddresses.entries()) {
      // Several spellings mean one address, which is added only once.
      const added = await service.post(`/api/v1/chatbot/${chatbot}/data-source/url`, {
        url: `${url}?${index}`,
      });
      reasons.push((await settle(service, chatbot, added.json.uuid)).reason);
    }
    expect(reasons.filter((reason) => !reason.includes('is not a public address'))).toEqual([]);
  });
});
