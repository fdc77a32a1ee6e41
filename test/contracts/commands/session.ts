import { expect } from 'vitest';
import { literally, type NounScenarios } from './scenario.ts';

const named = { session: ({ session = '' }) => session };

export const sessionScenarios: NounScenarios = {
  works: [
    {
      does: 'begins with a question, in a thread of its own',
      command: 'session new',
      values: { question: 'What is Causeway for?', forget: 'no' },
      shows: /answering in the thread/,
      async check({ client, chatbot, model }) {
        await model.asked('What is Causeway for?');
        const sessions = await client.listSessions(chatbot);
        const messages = await Promise.all(sessions.map(({ uuid }) => client.listMessages(uuid)));
        const queries = messages.map((all) => all.map(({ query }) => query));
        expect(queries).toContainEqual(['What is Causeway for?']);
      },
    },
    {
      does: 'lists those of some days, a page at a time',
      command: 'session list',
      given: ({ conversation }) => conversation(),
      values: { from: '2020-01-01', to: 'today', page: '1' },
      shows: /[1-9]\d* sessions?/,
      async check({ client, chatbot, member }, { text }, { question = '-', session = '-' }) {
        expect(text).toContain(question);
        expect(text).not.toContain(session);
        expect(text).toContain('in this channel');
        const before = { to: '01.02.2020' };
        await member.use({ command: 'session list', values: before }, /0 sessions/);
        const sessions = await client.listSessions(chatbot);
        const created = sessions.find(({ uuid }) => uuid === session)?.created_at ?? '';
        const day = dayIn(member.timeZone, created);
        await member.use({ command: 'session list', values: { from: day } }, literally(question));
      },
    },
    {
      does: 'shows what was said in one of this channel',
      command: 'session show',
      given: ({ conversation }) => conversation(),
      values: { ...named, page: '1' },
      shows: /1 message[^]+When is it open\?[^]+At nine/,
    },
    {
      does: 'gives what was said as JSON',
      command: 'session export',
      given: ({ conversation }) => conversation(),
      values: { ...named, format: 'json' },
      shows: /the message as a file/,
      async check({ client, member }, _, { session = '' }) {
        const file: unknown = JSON.parse(await member.file(`session-${session}.json`));
        expect(file).toMatchObject({ session, messages: await client.listMessages(session) });
      },
    },
    {
      does: 'gives what was said as Markdown',
      command: 'session export',
      given: ({ conversation }) => conversation(),
      values: named,
      shows: /the message as a file/,
      async check({ member }, _, { session = '' }) {
        const text = await member.file(`session-${session}.md`);
        expect(text).toMatch(/> When is it open\?\n\nAt nine/);
      },
    },
    {
      does: 'stops the answer that is being written',
      command: 'session stop',
      async given(world) {
        const { session, thread } = await world.converse('What can Causeway be?');
        await world.member.say(thread, 'And how do I add one slowly?', /Let me think/);
        return { session };
      },
      values: named,
      shows: /^Stopped\.$/,
      async check({ client, model }, _, { session = '' }) {
        await model.left('one slowly');
        const messages = await client.listMessages(session);
        expect(messages.at(-1)?.response).toMatch(/^Let me think/);
      },
    },
    {
      does: 'asks the last question of one again',
      command: 'session retry',
      by: 'manager',
      given: ({ converse }) => converse('Is it asked again?', 'help'),
      values: named,
      shows: /answered the last question again/,
      async check({ client }, _, { session = '' }) {
        const queries = (await client.listMessages(session)).map(({ query }) => query);
        expect(queries).toEqual(['Is it asked again?', 'Is it asked again?']);
      },
    },
    {
      does: 'lets the bot answer again where someone asked for a person',
      command: 'session resume',
      by: 'manager',
      async given({ converse, member }) {
        const asked = await converse('Who is there?', 'help');
        await member.say(asked.thread, 'Get me a person please!', /stay quiet in this thread/);
        return asked;
      },
      values: named,
      shows: /answering in that thread again/,
      async check({ member }, _, { thread = '' }) {
        await member.say(thread, 'And when is it open?', /At nine/);
      },
    },
    {
      does: 'deletes one once it was asked whether to',
      command: 'session delete',
      by: 'manager',
      given: ({ converse }) => converse('Is it deleted?', 'help'),
      values: named,
      shows: /Delete the session.*1 message/,
      async check({ client, chatbot, manager }, asked, { session = '' }) {
        await manager.press(asked, 'Delete', /was deleted/);
        const left = (await client.listSessions(chatbot)).map(({ uuid }) => uuid);
        expect(left).not.toContain(session);
      },
    },
  ],
  refuses: [
    {
      does: 'to show others what was said elsewhere',
      command: 'session show',
      given: async ({ client, chatbot }) => ({
        session: (await client.createSession(chatbot)).uuid,
      }),
      values: named,
      by: 'member',
      shows: /no session called/i,
    },
    {
      does: 'to guess which is meant outside of threads',
      command: 'session show',
      shows: /There’s no session here/,
    },
    {
      does: 'to stop what is not being written',
      command: 'session stop',
      given: ({ conversation }) => conversation(),
      values: named,
      shows: /nothing to stop/,
    },
  ],
};

/** The day that it is in a time zone at a moment, as `2026-09-12`. */
function dayIn(timeZone: string, moment: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(moment));
}
