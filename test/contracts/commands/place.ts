import { expect } from 'vitest';
import type { NounScenarios } from './scenario.ts';

const ofMember = { person: ({ person = '' }) => person };

/** `/chatbot` for the channel and workspace it is used in. */
export const placeScenarios: NounScenarios = {
  works: [
    {
      does: 'says how the channel is followed from now on',
      command: 'chatbot follow',
      values: { how: 'mentions' },
      shows: /In this channel from now on: I answer when I’m mentioned\.$/,
      async check({ manager, member }) {
        const shown = { command: 'chatbot show', values: {} };
        await member.use(shown, /I answer when I’m mentioned\.$/);
        const values = { how: 'threads' };
        await manager.use(
          { command: 'chatbot follow', values },
          /threads where I’ve already answered/,
        );
        await member.use(shown, /threads where I’ve already answered/);
      },
    },
    {
      does: 'tells who manages',
      command: 'chatbot managers',
      shows: /Who manages here/,
    },
    {
      does: 'names a person and a group who manage, and names them no longer',
      command: 'chatbot managers',
      given: async ({ memberName, groupName }) => ({ person: memberName, group: groupName }),
      values: { ...ofMember, group: ({ group = '' }) => group, remove: 'false' },
      shows: /Saved\.[^]+Who manages here[^]+added here/,
      async check({ manager, member, tag }, _, { person = '', group = '' }) {
        const create = { command: 'tag create', values: { name: 'Of a manager', color: 'red' } };
        await member.use(create, /Created/);
        expect(await tag('Of a manager')).toBeDefined();
        const values = { person, group, remove: 'true' };
        await manager.use({ command: 'chatbot managers', values }, /Saved\.(?![^]*added here)/);
        expect(await member.attempt(create)).toMatch(/^Only managers/);
      },
    },
    {
      does: 'tells of every change in a channel, until it is turned off',
      command: 'chatbot audit',
      values: { channel: '#help', off: 'no' },
      shows: /Changes are announced in .*help/,
      async check({ manager }) {
        await manager.use(
          { command: 'chatbot audit', values: {} },
          /Changes are announced in .*help/,
        );
        await manager.use(
          { command: 'chatbot audit', values: { off: 'true' } },
          /aren’t announced in any channel/,
        );
      },
    },
    {
      does: 'chooses who is told when someone asks for a person, and chooses them no longer',
      command: 'chatbot notify',
      given: async ({ memberName }) => ({ person: memberName }),
      values: { ...ofMember, channel: '#help', remove: 'no' },
      shows: /Who is notified when someone asks for a person[^]+help/,
      async check({ manager }, _, { person = '' }) {
        const values = { person, channel: '#help', remove: 'yes' };
        await manager.use({ command: 'chatbot notify', values }, /Nobody is notified/);
      },
    },
  ],
  refuses: [],
};
