import { expect } from 'vitest';
import { type NounScenarios } from './scenario.ts';
import type { World } from './world.ts';

const chatbotNamed = async ({ client }: World, name: string) =>
  (await client.listChatbots()).find((chatbot) => chatbot.name === name);

const create =
  (name: string) =>
  async ({ client }: World) => ({ uuid: (await client.createChatbot({ name })).uuid });

export const chatbotScenarios: NounScenarios = {
  works: [
    {
      does: 'creates one with all that can be set, and its agent',
      command: 'chatbot create',
      values: {
        name: 'Complete',
        visibility: 'hybrid',
        messages: '7',
        seconds: '60',
        message: 'Slowly now.',
        citations: 'false',
        model: 'small',
        prompt: 'Be kind.',
        temperature: '0.5',
      },
      shows: /Complete.*was created/,
      async check(world, { text }) {
        expect(text).toContain('7 messages in 60 seconds');
        const chatbot = await chatbotNamed(world, 'Complete');
        expect(chatbot?.meta).toMatchObject({
          visibility: 'hybrid',
          rate_limit: [7, 60],
          rate_limit_message: 'Slowly now.',
          show_citations: false,
        });
        expect(await world.client.listAgents(chatbot?.uuid ?? '')).toMatchObject([
          { name: 'General Q&A', prompt: 'Be kind.', meta: { model: 'small', temperature: 0.5 } },
        ]);
      },
    },
    {
      does: 'lists them, and which one answers here',
      command: 'chatbot list',
      given: create('On the list'),
      values: { page: '1' },
      shows: /\d+ chatbots/,
      check(_, { text }, { uuid = '-' }) {
        expect(text).toContain(uuid);
        expect(text).toMatch(/answers here/);
      },
    },
    {
      does: 'shows the one that was named',
      command: 'chatbot show',
      given: create('Looked up'),
      values: { chatbot: 'looked up' },
      shows: /Looked up[^]+Rate limit: 20 messages in 240 seconds/,
      async check({ client, chatbot, member }) {
        const here = await client.getChatbot(chatbot);
        await member.use({ command: 'chatbot show', values: {} }, new RegExp(here.name));
      },
    },
    {
      does: 'changes all that can be set',
      command: 'chatbot update',
      given: create('To change'),
      values: {
        chatbot: 'To change',
        name: 'Has changed',
        visibility: 'public',
        messages: '100',
        seconds: '360',
        message: 'Later, please.',
        citations: 'no',
      },
      shows: /Saved: .*Has changed/,
      async check({ client }, _, { uuid = '' }) {
        expect(await client.getChatbot(uuid)).toMatchObject({
          name: 'Has changed',
          meta: {
            visibility: 'public',
            rate_limit: [100, 360],
            rate_limit_message: 'Later, please.',
            show_citations: false,
          },
        });
      },
    },
    {
      does: 'chooses the one that answers in the channel, until that is deleted',
      command: 'chatbot use',
      given: create('For a while'),
      values: { chatbot: 'For a while', where: 'channel' },
      shows: /For a while.*answers in this channel/,
      async check(world) {
        const { manager, member } = world;
        await member.use({ command: 'source list', values: {} }, /no sources yet/);
        const asked = await manager.use(
          { command: 'chatbot delete', values: { chatbot: 'For a while' } },
          /for good\?/,
        );
        await manager.press(asked, 'Delete', /was deleted/);
        await member.use({ command: 'source list', values: {} }, /\d+ sources/);
      },
    },
    {
      does: 'chooses the one that answers in the whole workspace',
      command: 'chatbot use',
      given: create('Everywhere'),
      values: { chatbot: 'Everywhere', where: 'workspace' },
      shows: /Everywhere.*answers in this workspace/,
      async check({ client, chatbot, manager, member }) {
        await member.use({ command: 'chatbot show', values: {} }, /Everywhere/);
        const { uuid } = await client.getChatbot(chatbot);
        await manager.use(
          { command: 'chatbot use', values: { chatbot: uuid, where: 'workspace' } },
          /answers in this workspace/,
        );
        await member.use({ command: 'source list', values: {} }, /\d+ sources/);
      },
    },
    {
      does: 'deletes one once it was asked whether to, naming what goes with it',
      command: 'chatbot delete',
      given: create('No longer'),
      values: { chatbot: 'No longer' },
      shows: /Delete the chatbot.*No longer.*1 agent/,
      async check(world, asked) {
        expect(asked.buttons).toEqual(['Delete', 'Cancel']);
        await world.manager.press(asked, 'Delete', /No longer.*was deleted/);
        expect(await chatbotNamed(world, 'No longer')).toBeUndefined();
      },
    },
  ],
  refuses: [
    {
      does: 'to delete the one that answers where none was chosen',
      command: 'chatbot delete',
      given: async ({ chatbot }) => ({ uuid: chatbot }),
      values: { chatbot: ({ uuid = '' }) => uuid },
      shows: /can’t be deleted here/,
      async check({ client, chatbot }) {
        expect(await client.getChatbot(chatbot)).toMatchObject({ uuid: chatbot });
      },
    },
    {
      does: 'a change that changes nothing',
      command: 'chatbot update',
      given: create('As it is'),
      values: { chatbot: 'As it is', messages: '20' },
      shows: /Nothing to change/,
    },
  ],
};
