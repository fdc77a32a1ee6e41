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
        await member.use(shown, /I answer when I’m mentioned\.$/m);
        const values = { how: 'threads' };
        await manager.use(
          { command: 'chatbot follow', values },
          /threads where I’ve already answered/,
        );
        await member.use(shown, /threads where I’ve already answered/);
      },
    },
    {
      does: 'lets questions in the channel take what was said before, and no longer',
      command: 'chatbot context',
      values: { taken: 'on' },
      shows: /I read what was said before: in the thread, or else in this channel\.$/,
      async check({ manager, member }) {
        const shown = { command: 'chatbot show', values: {} };
        await member.use(shown, /or else in this channel\.$/);
        const context = (values: Record<string, string>) => ({
          command: 'chatbot context',
          values,
        });
        await manager.use(
          context({ taken: 'off' }),
          /Outside threads, I read only the question\.$/,
        );
        await manager.use(context({}), /Outside threads, I read only the question\.$/);
      },
    },
    {
      does: 'says what the tags of a forum mean, in forums only',
      command: 'chatbot tags',
      given: async ({ client }) => ({
        uuid: (await client.createChatbot({ name: 'Tagged' })).uuid,
      }),
      values: { tag: 'Solved', chatbot: 'Tagged', means: 'solved' },
      shows: /^That is for posts in forum and media channels on Discord/,
    },
    {
      does: 'says what becomes of questions that the sources don’t clearly answer',
      command: 'chatbot unsure',
      values: { way: 'silent', call: 'yes' },
      shows: /I post nothing, even if I was mentioned/,
      async check({ manager, member }) {
        const shown = { command: 'chatbot show', values: {} };
        await member.use(shown, /even if I was mentioned/);
        const unsure = (values: Record<string, string>) => ({ command: 'chatbot unsure', values });
        await manager.use(unsure({ way: 'answer', call: 'no' }), /✅ .*I say so/);
        await manager.use(unsure({}), /^Where my sources .*I say so/);
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
    {
      does: 'offers to talk to a person, and says who is told',
      command: 'handover on',
      values: { channel: '#help' },
      shows:
        /Talking to a person is on\.[^]+Who is notified when someone asks for a person[^]+help/,
      async check({ manager }) {
        const values = { channel: '#help', remove: 'yes' };
        await manager.use({ command: 'chatbot notify', values }, /notified/);
      },
    },
    {
      does: 'says how to ask for a person',
      command: 'handover status',
      shows: /press \W*Talk to a person/,
    },
    {
      does: 'asks before an agent that also answers loses its messages for hand-overs',
      command: 'handover off',
      shows: /also answers questions, so it stays/,
    },
    {
      does: 'lets guests ask, and refuses them again',
      command: 'chatbot guests',
      values: { allowed: 'on' },
      shows: /may ask me in channels/,
      async check({ manager }) {
        const guests = (values: Record<string, string>) => ({ command: 'chatbot guests', values });
        await manager.use(guests({}), /may ask me in channels/);
        await manager.use(guests({ allowed: 'off' }), /I don’t answer guests/);
      },
    },
    {
      does: 'says that everyone may ask as much as they like',
      command: 'chatbot limits',
      shows: /Who may ask me[^]+Everyone may[^]+As many questions as they like/,
    },
    {
      does: 'lets nobody ask in some places, nor some people and groups, until that is cleared',
      command: 'chatbot access',
      given: async ({ memberName, groupName }) => ({ person: memberName, group: groupName }),
      values: {
        ...ofMember,
        group: ({ group = '' }) => group,
        rule: 'block',
        channel: '#help',
        direct: 'yes',
        bot: 'b012alerts',
      },
      shows:
        /People: blocked: \S[^]+Groups: blocked: \S[^]+Channels: blocked: .*help.*direct messages[^]+Bots: blocked: `B012ALERTS`/,
      async check({ manager, member }, _, { person = '', group = '' }) {
        const asked = { command: 'ask', values: { question: 'May I?' } };
        expect(await member.attempt(asked)).toMatch(/I don’t answer you here/);
        const all = { person, group, channel: '#help', direct: 'yes', bot: 'B012ALERTS' };
        const access = (values: Record<string, string>) => ({ command: 'chatbot access', values });
        await manager.use(
          access({ ...all, rule: 'allow' }),
          /People: allowed: [^]+Bots: allowed: /,
        );
        await manager.use(access({ ...all, rule: 'clear' }), /Everyone may/);
      },
    },
    {
      does: 'limits how many questions are asked, and no longer',
      command: 'chatbot limits',
      values: { person: '1', channel: '2000', workspace: '30000' },
      shows: /Each person: up to 1 question within 24 hours[^]+Each channel: [^]+All together: /,
      async check({ manager, member }) {
        const none = { person: '0', channel: '0', workspace: '0' };
        const asked = { command: 'ask', values: { question: 'May I ask again?' } };
        expect(await member.attempt(asked)).toMatch(/You can ask again from \S+/);
        await manager.use({ command: 'chatbot limits', values: none }, /Everyone may(?![^]*Each)/);
      },
    },
    {
      does: 'chooses a server in direct messages only',
      command: 'chatbot server',
      values: { server: 'Another' },
      shows: /^That is for direct messages on Discord/,
    },
    {
      does: 'gives a code with which another workspace gets a chatbot',
      command: 'chatbot share',
      given: async ({ client }) => ({
        uuid: (await client.createChatbot({ name: 'Shared' })).uuid,
      }),
      values: { chatbot: 'Shared' },
      shows: /enter this code there[^]+code:\S+/,
    },
    {
      does: 'knows no code of its own workspace',
      command: 'chatbot share',
      async given({ client, manager }) {
        const { name } = await client.createChatbot({ name: 'Given' });
        const share = { command: 'chatbot share', values: { chatbot: name } };
        const { text } = await manager.use(share, /code:\S+/);
        return { code: /code:([\w-]+)/.exec(text)?.[1] ?? '' };
      },
      values: { code: ({ code = '' }) => code },
      shows: /^That code doesn’t exist/,
    },
    {
      does: 'takes a chatbot back from those it was shared with',
      command: 'chatbot share',
      given: async ({ client }) => ({ uuid: (await client.createChatbot({ name: 'Back' })).uuid }),
      values: { chatbot: 'Back', end: 'yes' },
      shows: /Back.* is no longer shared/,
    },
  ],
  refuses: [
    {
      does: 'to change who may ask without a rule',
      command: 'chatbot access',
      values: { channel: '#help' },
      shows: /rule\W* is missing/,
    },
    {
      does: 'to name a bot by anything but an id',
      command: 'chatbot access',
      values: { rule: 'allow', bot: 'our alerts' },
      shows: /bot\W* Enter an id/,
    },
  ],
};
