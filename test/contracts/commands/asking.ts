import { expect } from 'vitest';
import type { NounScenarios } from './scenario.ts';

/** `/ask`, `/help` and `/gaps`. */
export const askingScenarios: NounScenarios = {
  works: [
    {
      does: 'puts a question where everyone sees it, and answers in a thread',
      command: 'ask',
      values: { question: 'What does Causeway do?' },
      shows: /answering in the thread/,
      async check({ client, chatbot, model }) {
        await model.asked('What does Causeway do?');
        const sessions = await client.listSessions(chatbot);
        const messages = await Promise.all(sessions.map(({ uuid }) => client.listMessages(uuid)));
        expect(messages.flat().map(({ query }) => query)).toContain('What does Causeway do?');
      },
    },
    {
      does: 'answers a question for one person alone, and shares that with its question',
      command: 'ask',
      by: 'member',
      values: { question: 'How do I add a source?', private: 'yes' },
      shows: /./,
      button: 'Share in channel',
      async check({ member, client, chatbot }, seen) {
        expect(seen.buttons).toEqual(['Share in channel']);
        const before = await client.listSessions(chatbot);
        // The session of the private question may be deleted right now.
        const messages = await Promise.all(
          before.map(({ uuid }) => client.listMessages(uuid).catch(() => [])),
        );
        const queries = messages.flat().map(({ query }) => query);
        expect(queries).toContain('Is it always open?');
        expect(queries).not.toContain('How do I add a source?');
        await member.press(seen, 'Share in channel', /How do I add a source\?[^]*Shared by/);
      },
    },
    {
      does: 'tells what one may do here',
      command: 'help',
      by: 'member',
      shows: /Mention me/,
      check({ member: { lead } }, { text }) {
        expect(text).toContain(`${lead}source list`);
        expect(text).not.toContain(`${lead}source delete`);
      },
    },
    {
      does: 'tells of one command what a manager may do with it',
      command: 'help',
      by: 'manager',
      values: { command: '/tag' },
      shows: /tag create/,
      check({ manager: { lead } }, { text }) {
        expect(text).toContain(`${lead}tag create`);
        expect(text).not.toContain(`${lead}source`);
      },
    },
    {
      does: 'lists the questions that found no helpful answer',
      command: 'gaps',
      values: { page: '1' },
      shows: /questions? without a helpful answer/,
    },
  ],
  refuses: [
    {
      does: 'to tell of a command that is none',
      command: 'help',
      values: { command: 'weather' },
      shows: /don’t know that command/,
    },
  ],
};
