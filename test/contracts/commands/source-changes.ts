import { expect } from 'vitest';
import type { NounScenarios } from './scenario.ts';

/** `/source`, as far as it changes what is there. */
export const sourceChangeScenarios: NounScenarios = {
  works: [
    {
      does: 'gives one another title',
      command: 'source rename',
      given: async (world) => ({ uuid: (await world.addSource('An old title')).uuid }),
      values: { source: 'An old title', title: 'A new title' },
      shows: /An old title.+is now called.+A new title/,
      async check({ source }, _, { uuid }) {
        expect(await source('A new title')).toMatchObject({ uuid });
        expect(await source('An old title')).toBeUndefined();
      },
    },
    {
      does: 'deletes several once it was asked whether to',
      command: 'source delete',
      async given({ addSource }) {
        await addSource('First to go');
        await addSource('Second to go');
      },
      values: { sources: 'First to go, second to go' },
      shows: /Delete these 2 sources/,
      async check({ manager, source }, asked) {
        expect(asked.buttons).toEqual(['Delete 2 sources', 'Cancel']);
        expect(await source('First to go')).toBeDefined();
        const done = await manager.press(asked, 'Delete 2 sources', /Second to go.+was deleted/);
        expect(done.buttons).toEqual([]);
        expect(await source('First to go')).toBeUndefined();
        expect(await source('Second to go')).toBeUndefined();
      },
    },
    {
      does: 'deletes nothing when that is called off',
      command: 'source delete',
      given: async (world) => void (await world.addSource('Spared')),
      values: { sources: 'Spared' },
      shows: /Delete this source/,
      async check({ manager, source }, asked) {
        await manager.press(asked, 'Cancel', /Nothing was changed/);
        expect(await source('Spared')).toBeDefined();
      },
    },
    {
      does: 'teaches the answer to an open question, which is then answered anew',
      command: 'source answer',
      given: async ({ converse }) => converse('Who answers open questions?'),
      values: {
        gap: ({ question = '' }) => question,
        question: 'Who answers questions that are open?',
        answer: 'Managers do.',
      },
      shows: /is ready[^]*answering the question again/,
      async check({ source }) {
        expect(await source('Who answers questions that are open?')).toMatchObject({ type: 'qa' });
      },
    },
    {
      does: 'fetches a web page again',
      command: 'source refresh',
      async given({ manager, website }) {
        const page = `${website.url}/changing`;
        await manager.use({ command: 'source url', values: { url: page } }, /is ready/);
        return { page, requests: String(website.requests) };
      },
      values: { sources: ({ page = '' }) => page },
      shows: /is ready/,
      check({ website }, _, { requests }) {
        expect(website.requests).toBeGreaterThan(Number(requests));
      },
    },
    {
      does: 'tries a failed source again, and tells how that ends',
      command: 'source retry',
      async given({ manager, website }) {
        const page = `${website.url}/down`;
        website.isDown = true;
        await manager.use({ command: 'source url', values: { url: page } }, /could not be added/);
        website.isDown = false;
        return { page };
      },
      values: { sources: ({ page = '' }) => page },
      shows: /is ready/,
      async check({ source }, _, { page = '' }) {
        expect(await source(page)).toMatchObject({ status: 'success' });
      },
    },
    {
      does: 'puts sources into a tag, and takes them out again',
      command: 'source tag',
      async given({ addSource, client, chatbot }) {
        const { uuid } = await addSource('Who keeps the light?');
        await client.createSourceTag(chatbot, { name: 'Keepers', color: '#ffffff' });
        return { uuid };
      },
      values: { sources: 'Who keeps the light?', tag: 'Keepers', remove: 'no' },
      shows: /Keepers.*, which now has 1 source/,
      async check({ manager, tag }, _, { uuid }) {
        expect((await tag('Keepers'))?.data_source_uuids).toEqual([uuid]);
        const values = { sources: 'Who keeps the light?', tag: 'Keepers', remove: 'true' };
        await manager.use({ command: 'source tag', values }, /removed from.+0 sources/);
        expect((await tag('Keepers'))?.data_source_uuids).toEqual([]);
      },
    },
  ],
  refuses: [
    {
      does: 'several names where one is unknown, and changes nothing',
      command: 'source delete',
      given: async (world) => void (await world.addSource('Known by name')),
      values: { sources: 'Known by name, never heard of it' },
      shows: /There is no source called “never heard of it”/,
      async check({ source }) {
        expect(await source('Known by name')).toBeDefined();
      },
    },
    {
      does: 'a retry where nothing has failed',
      command: 'source retry',
      given: async (world) =>
        void (await world.manager.use(
          { command: 'source qa', values: { question: 'Did it fail?', answer: 'No.' } },
          /is ready/,
        )),
      values: { sources: 'Did it fail?' },
      shows: /None of these sources has failed/,
    },
  ],
};
