import { expect, test } from 'vitest';
import { operations } from '../../../src/shared/api/operations.ts';
import { startWebsite } from '../../service/website.ts';
import {
  calledNames,
  createThings,
  doOperation,
  post,
  type ServedClients,
  shareThings,
  type StartService,
  toFile,
  toThing,
} from './world.ts';

const onThings = calledNames.filter((name) => toThing(name) !== undefined);

/** Tests the errors that follow from what is stored. `start` gives services with limits of their own. */
export function testErrors(served: () => ServedClients, start: StartService): void {
  const findThings = shareThings(served);

  test.each(onThings)('%s: 404 for another’s thing and for none', async (name) => {
    const things = await findThings();
    const thing = toThing(name) ?? 'chatbot';
    const notFound = {
      kind: 'not_found',
      status: 404,
      message: expect.stringMatching(/^There is no .* check the uuid$/),
    };
    await expect(doOperation(served().bert, name, things[thing])).rejects.toMatchObject(notFound);
    for (const uuid of ['0'.repeat(32), 'no uuid', 'a/b', '%00', '’'.repeat(80)]) {
      await expect(doOperation(served().anna, name, uuid)).rejects.toMatchObject(notFound);
    }
  });

  test.each(['listMessages', 'listSessions'] as const)(
    '%s ignores other parameters',
    async (name) => {
      const things = await findThings();
      const path = operations[name].path.replace('{uuid}', things[toThing(name) ?? 'chatbot']);
      const [plain, paged] = await Promise.all(
        [path, `${path}?page=2&since=now`].map(async (each) => (await served().fetch(each)).json()),
      );
      expect(paged).toEqual(plain);
    },
  );

  test('409: a file that is there already is answered as it is', async () => {
    const { anna } = served();
    const { chatbot } = await findThings();
    const upload = () => anna.uploadDataSource(chatbot, toFile('a.txt', 'The same text.'));
    const first = await upload();
    const second = await upload();
    expect(second).toMatchObject({ duplicate: true, source: { uuid: first.source.uuid } });
    const other = await anna.uploadDataSource(chatbot, toFile('b.txt', 'The same text.'));
    expect(other.duplicate).toBe(false);
  });

  test('409: a URL that is there already is answered as it is', async () => {
    await using site = await startWebsite();
    await using reaching = await start({ allowPrivateAddresses: true });
    const { anna, fetch } = reaching;
    const { uuid: chatbot } = await anna.createChatbot({ name: 'Guide' });
    const url = `${site.url}/page`;
    const added = await anna.addUrlSource(chatbot, { url });
    await reaching.settled();
    const path = `/api/v1/chatbot/${chatbot}/data-source/url`;
    const again = await fetch(path, post(JSON.stringify({ url: `${url}#part` })));
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      uuid: added.source.uuid,
      error: expect.stringContaining(added.source.uuid),
    });
  });

  test('422: what names things that do not go together', async () => {
    const { anna } = served();
    const mine = await createThings(served());
    const elsewhere = await createThings(served());
    const data_source_uuids = [elsewhere['data-source']];
    const variables = [{ name: 'n', description: 'd', type: 'string' as const }];
    const background = await anna.createAgent(mine.chatbot, { name: 'B', type: 'background' });
    await anna.createAgent(mine.chatbot, { name: 'S', type: 'spam-defense' });
    const params = { uuid: mine.session };
    const documents = { query: 'Why?', session_document_uuids: ['0'] };
    const tag = { name: 'x', color: '#000000', data_source_uuids };
    const attempts: [string, () => Promise<unknown>][] = [
      ['data_source_uuids: ', () => anna.createSourceTag(mine.chatbot, tag)],
      [
        'data_source_uuids: ',
        () => anna.updateSourceTag(mine['source-tag'], { data_source_uuids }),
      ],
      ['data_source_uuids: ', () => anna.updateAgent(mine.agent, { data_source_uuids })],
      ['variables: ', () => anna.updateAgent(background.uuid, { variables })],
      [
        'tags: ',
        () =>
          anna.updateAgent(mine.agent, { tags: { name: 'x', criteria: 'y', color: '#000000' } }),
      ],
      ['type: ', () => anna.createAgent(mine.chatbot, { name: 'S', type: 'spam-defense' })],
      ['session_document_uuids: ', () => anna.call('sendMessage', { params, body: documents })],
    ];
    for (const [message, attempt] of attempts) {
      await expect(attempt()).rejects.toMatchObject({
        kind: 'invalid',
        status: 422,
        message: expect.stringContaining(message),
      });
    }
  });
}
