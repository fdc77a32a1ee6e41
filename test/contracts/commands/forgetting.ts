import { expect } from 'vitest';
import type { NounScenarios } from './scenario.ts';

/** The last: what the member has asked before is gone. */
export const forgettingScenarios: NounScenarios = {
  works: [
    {
      does: 'deletes all that somebody asked, once they have confirmed it',
      command: 'session forget',
      by: 'member',
      given: ({ converse }) => converse('When is it open?', 'help'),
      shows: /Delete \d+ questions of yours for good/,
      async check({ client, chatbot, manager, member }, asked, { session = '' }) {
        await member.press(asked, 'Delete', /^🗑️ Deleted: \d+ questions(?![^]*Not deleted)/);
        const left = (await client.listSessions(chatbot)).map(({ uuid }) => uuid);
        expect(left).not.toContain(session);
        await member.use({ command: 'session forget', values: {} }, /nothing that you asked me/);
        await manager.use({ command: 'session show', values: { session } }, /no session called/i);
      },
    },
  ],
  refuses: [],
};
