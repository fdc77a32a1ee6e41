import { expect } from 'vitest';
import type { NounScenarios } from './scenario.ts';

export const tagScenarios: NounScenarios = {
  works: [
    {
      does: 'creates one with a colour by its name and sources',
      command: 'tag create',
      given: async (world) => ({ uuid: (await world.addSource('What is tagged?')).uuid }),
      values: { name: 'Tagged', color: 'teal', sources: 'What is tagged?' },
      shows: /Created: .*Tagged.*1 source/,
      async check({ tag }, _, { uuid }) {
        expect(await tag('Tagged')).toMatchObject({ color: '#0d9488', data_source_uuids: [uuid] });
      },
    },
    {
      does: 'lists them, a page at a time',
      command: 'tag list',
      async given({ client, chatbot }) {
        for (let number = 1; number <= 16; number += 1) {
          await client.createSourceTag(chatbot, { name: `Row ${number}`, color: '#123456' });
        }
      },
      values: { page: '2' },
      shows: /\d+ tags.*page 2 of \d/,
      async check({ member }, { buttons }) {
        expect(buttons).toContain('Previous');
        const first = await member.use({ command: 'tag list', values: {} }, /page 1 of/);
        await member.press(first, 'Next', /page 2 of/);
      },
    },
    {
      does: 'shows the sources in one',
      command: 'tag show',
      async given({ addSource, client, chatbot }) {
        const { uuid } = await addSource('What is in it?');
        await client.createSourceTag(chatbot, {
          name: 'Shown',
          color: '#abcdef',
          data_source_uuids: [uuid],
        });
      },
      values: { tag: 'shown' },
      shows: /Shown[^]+#abcdef[^]+What is in it\?/,
    },
    {
      does: 'changes name, colour and sources',
      command: 'tag update',
      async given({ addSource, client, chatbot }) {
        const [one, two] = [await addSource('Leaves the tag'), await addSource('Joins the tag')];
        const { uuid } = await client.createSourceTag(chatbot, {
          name: 'Before',
          color: '#111111',
          data_source_uuids: [one.uuid],
        });
        return { uuid, joins: two.uuid };
      },
      values: { tag: 'Before', name: 'After', color: '#abc', sources: 'Joins the tag' },
      shows: /Saved: .*After.*#aabbcc/,
      async check({ tag }, _, { uuid, joins }) {
        expect(await tag('After')).toMatchObject({
          uuid,
          color: '#aabbcc',
          data_source_uuids: [joins],
        });
      },
    },
    {
      does: 'deletes one once it was asked whether to; its sources stay',
      command: 'tag delete',
      async given({ addSource, client, chatbot }) {
        const { uuid } = await addSource('Stays without its tag');
        await client.createSourceTag(chatbot, {
          name: 'Doomed',
          color: '#ff0000',
          data_source_uuids: [uuid],
        });
      },
      values: { tag: 'Doomed' },
      shows: /Delete the tag.*Doomed/,
      async check({ manager, source, tag }, asked) {
        expect(asked.buttons).toEqual(['Delete', 'Cancel']);
        await manager.press(asked, 'Delete', /Doomed.*was deleted/);
        expect(await tag('Doomed')).toBeUndefined();
        expect(await source('Stays without its tag')).toBeDefined();
      },
    },
  ],
  refuses: [
    {
      does: 'a change that changes nothing',
      command: 'tag update',
      async given({ client, chatbot }) {
        await client.createSourceTag(chatbot, { name: 'Same', color: '#00ff00' });
      },
      values: { tag: 'Same', color: '#00FF00' },
      shows: /Nothing to change/,
    },
  ],
};
