import { expect } from 'vitest';
import { sourceMeta } from '../../../src/shared/api/data-source.ts';
import { literally, type NounScenarios, textFile } from './scenario.ts';

const link = 'https://example.com/handbook#opening';

/** `/source`, as far as it adds and shows. */
export const sourceScenarios: NounScenarios = {
  works: [
    {
      does: 'takes in several files, a line each, with the link that they are quoted by',
      command: 'source upload',
      values: { link },
      files: [
        textFile('mills.md', '# Mills\n\nThe mill grinds wheat.\n'),
        textFile('barns.md', '# Barns\n\nThe barn holds hay.\n'),
      ],
      shows: /2 of 2 ready/,
      async check({ source }, { text }) {
        expect(text).toMatch(/Mills.+ready[^]+Barns.+ready/);
        const kept = await source('mills.md');
        expect(kept).toMatchObject({ status: 'success', type: 'upload' });
        expect(kept && sourceMeta(kept).reference_source_link).toBe(link);
      },
    },
    {
      does: 'says of each file how it ended, where one can’t be read',
      command: 'source upload',
      files: [
        textFile('fine.md', '# Fine\n\nThis can be read.\n'),
        { name: 'broken.pdf', bytes: Buffer.from('%PDF-1.4 and then nothing') },
      ],
      shows: /1 of 2 ready[^]+broken\.pdf.+could not be added/,
      async check({ source }) {
        expect(await source('fine.md')).toMatchObject({ status: 'success' });
        expect((await source('broken.pdf'))?.status).toMatch(/^(?:error|fail)/);
      },
    },
    {
      does: 'fetches a web page',
      command: 'source url',
      given: async ({ website }) => ({ page: `${website.url}/mill` }),
      values: { url: ({ page = '' }) => page },
      shows: /The Mill.+is ready/,
      async check({ client, chatbot, website }) {
        const sources = await client.listDataSources(chatbot);
        const page = sources.find(({ title }) => title === 'The Mill');
        expect(page).toMatchObject({ type: 'link', status: 'success' });
        expect(website.requests).toBeGreaterThan(0);
      },
    },
    {
      does: 'takes in the answer to a question, with its link',
      command: 'source qa',
      values: { question: 'Who owns the ferry?', answer: 'The village does.', link },
      shows: /Who owns the ferry\?.+is ready/,
      async check({ source }) {
        const kept = await source('Who owns the ferry?');
        expect(kept).toMatchObject({ type: 'qa', status: 'success' });
        expect(kept && sourceMeta(kept)).toMatchObject({
          question: 'Who owns the ferry?',
          answer: 'The village does.',
          reference_source_link: link,
        });
      },
    },
    {
      does: 'lists what fits name, status and tag, a page of it',
      command: 'source list',
      async given(world) {
        const kept = await world.addSource('Where is the quay?');
        await world.addSource('Where is the quarry?');
        await world.client.createSourceTag(world.chatbot, {
          name: 'Places',
          color: '#0d9488',
          data_source_uuids: [kept.uuid],
        });
      },
      values: { filter: 'where is', tag: 'places', page: '1' },
      shows: /1 of \d+ sources[^]*Where is the quay/,
      check(_, { text, buttons }) {
        expect(text).not.toContain('quarry');
        expect(buttons).toEqual(['Share in channel']);
      },
    },
    {
      does: 'lists those that stand in a certain way',
      command: 'source list',
      given: async ({ manager }) =>
        void (await manager.use(
          { command: 'source qa', values: { question: 'Is it done?', answer: 'Yes.' } },
          /is ready/,
        )),
      values: { status: 'ready', filter: 'is it done' },
      shows: /1 of \d+ sources[^]*Is it done\?.+ready/,
      async check({ member }) {
        const values = { status: 'failed', filter: 'is it done' };
        await member.use({ command: 'source list', values }, /0 of \d+ sources/);
      },
    },
    {
      does: 'shares a list with everyone when its reader asks for that',
      command: 'source list',
      given: async (world) => void (await world.addSource('What is shared?')),
      values: { filter: 'what is shared' },
      shows: /1 of \d+ sources/,
      async check({ member }, listed) {
        const shared = await member.press(listed, 'Share in channel', /Shared by/);
        expect(shared.text).toContain('What is shared?');
      },
    },
    {
      does: 'shows all about one, with what it belongs to',
      command: 'source show',
      async given({ addSource, client, chatbot }) {
        const { uuid } = await addSource('Who rings the bell?');
        await client.createSourceTag(chatbot, {
          name: 'Bells',
          color: '#000000',
          data_source_uuids: [uuid],
        });
        return { uuid };
      },
      values: { source: 'who rings the bell?' },
      shows: /Who rings the bell\?[^]+Tags: Bells/,
      check(_, { text }, { uuid = '-' }) {
        expect(text).toContain(uuid);
        expect(text).toContain('What to say of');
      },
    },
    {
      does: 'asks which of two of the same name is meant, and shows the one that was chosen',
      command: 'source show',
      async given({ addSource, client }) {
        const first = await addSource('Twin one');
        const second = await addSource('Twin two');
        await client.updateDataSource(first.uuid, { title: 'Twin' });
        await client.updateDataSource(second.uuid, { title: 'Twin' });
        return { uuid: second.uuid };
      },
      values: { source: 'Twin' },
      shows: /more than one source called “Twin”/,
      async check({ member }, asked, { uuid = '-' }) {
        expect(asked.buttons).toHaveLength(2);
        const label = asked.buttons.find((each) => each.includes(uuid.slice(0, 6))) ?? '';
        await member.press(asked, label, literally(uuid));
      },
    },
    {
      does: 'offers what comes close to a name that is none',
      command: 'source show',
      given: async (world) => void (await world.addSource('The harbour master’s hours')),
      values: { source: 'harbour master' },
      shows: /There is no source called “harbour master”. Did you mean/,
      check(_, { buttons }) {
        expect(buttons).toHaveLength(1);
      },
    },
  ],
  refuses: [
    {
      does: 'more addresses than are taken at once',
      command: 'source url',
      values: {
        url: Array.from({ length: 21 }, (_, index) => `https://example.com/${index}`).join(' '),
      },
      shows: /21 addresses; the limit is 20/,
      async check({ client, chatbot }) {
        const sources = await client.listDataSources(chatbot);
        expect(sources.some(({ file_name: file }) => file.includes('example.com'))).toBe(false);
      },
    },
    {
      does: 'all addresses, if one is none',
      command: 'source url',
      values: { url: 'https://example.com/tides mailto:ada@example.com' },
      shows: /“mailto:ada@example\.com” isn’t a web address/,
      async check({ client, chatbot }) {
        const sources = await client.listDataSources(chatbot);
        expect(sources.some(({ file_name: file }) => file.includes('tides'))).toBe(false);
      },
    },
    {
      does: 'a link that is none',
      command: 'source qa',
      values: { question: 'What is no link?', answer: 'This.', link: 'nowhere' },
      shows: /“nowhere” isn’t a web address/,
      async check({ source }) {
        expect(await source('What is no link?')).toBeUndefined();
      },
    },
  ],
};
