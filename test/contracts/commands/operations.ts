import { expect, test } from 'vitest';
import { textFile } from './scenario.ts';
import type { World } from './world.ts';

/** How each operation of the interface is reached from a chat. */
interface Reach {
  operation: string;
  /** The command or message. */
  by: string;
  act(world: World): Promise<unknown>;
}

const use =
  (who: 'manager' | 'member', command: string, values: Record<string, string>, shows: RegExp) =>
  ({ [who]: seat }: World) =>
    seat.use({ command, values }, shows);

const reaches: readonly Reach[] = [
  {
    operation: 'POST /api/v1/chatbot/create',
    by: '/chatbot create',
    act: use('manager', 'chatbot create', { name: 'Reached' }, /Reached.*was created/),
  },
  {
    operation: 'POST /api/v1/chatbot/{uuid}/update',
    by: '/chatbot update',
    async act({ client, manager }) {
      await client.createChatbot({ name: 'Reached to update' });
      const values = { chatbot: 'Reached to update', messages: '9' };
      await manager.use({ command: 'chatbot update', values }, /Saved: .*Reached to update/);
    },
  },
  {
    operation: 'GET /api/v1/chatbot/{uuid}/agents',
    by: '/agent list',
    act: use('member', 'agent list', {}, /\d+ agents?/),
  },
  {
    operation: 'POST /api/v1/agent/{uuid}/update',
    by: '/agent update',
    async act({ client, chatbot, manager }) {
      await client.createAgent(chatbot, { name: 'Reached agent', type: 'user-facing' });
      const values = { agent: 'Reached agent', prompt: 'Be brief.' };
      await manager.use({ command: 'agent update', values }, /Saved: .*Reached agent/);
    },
  },
  {
    operation: 'DELETE /api/v1/agent/{uuid}/delete',
    by: '/agent delete',
    async act({ client, chatbot, manager }) {
      await client.createAgent(chatbot, { name: 'Reached last', type: 'user-facing' });
      const values = { agent: 'Reached last' };
      const asked = await manager.use({ command: 'agent delete', values }, /Delete the agent/);
      await manager.press(asked, 'Delete', /was deleted/);
    },
  },
  {
    operation: 'POST /api/v1/chatbot/{uuid}/data-source/upload',
    by: '/source upload',
    act: ({ manager }) =>
      manager.use(
        { command: 'source upload', values: {}, files: [textFile('reached.md', '# Reached\n')] },
        /is ready/,
      ),
  },
  {
    operation: 'POST /api/v1/chatbot/{uuid}/data-source/url',
    by: '/source url',
    act: ({ manager, website }) =>
      manager.use({ command: 'source url', values: { url: `${website.url}/reached` } }, /is ready/),
  },
  {
    operation: 'POST /api/v1/data-source/{uuid}/update',
    by: '/source rename',
    async act({ addSource, manager }) {
      await addSource('Reached by its name');
      const values = { source: 'Reached by its name', title: 'Reached by another' };
      await manager.use({ command: 'source rename', values }, /is now called/);
    },
  },
  {
    operation: 'POST /api/v1/data-source/{uuid}/delete',
    by: '/source delete',
    async act({ addSource, manager }) {
      await addSource('Reached to delete');
      const values = { sources: 'Reached to delete' };
      const asked = await manager.use({ command: 'source delete', values }, /Delete this source/);
      await manager.press(asked, 'Delete', /was deleted/);
    },
  },
  {
    operation: 'POST /api/v1/chatbot/{uuid}/source-tag/create',
    by: '/tag create',
    act: use('manager', 'tag create', { name: 'Reached tag', color: 'red' }, /Reached tag/),
  },
  {
    operation: 'POST /api/v1/chatbot/{uuid}/session/create',
    by: 'a mention',
    act: ({ converse }) => converse('Is a session created?'),
  },
  {
    operation: 'POST /api/v1/session/{uuid}/message/stream',
    by: 'a mention',
    act: ({ converse }) => converse('What is Causeway about?'),
  },
  {
    operation: 'GET /api/v1/session/{uuid}/messages',
    by: '/session show',
    async act({ conversation, member }) {
      const { session } = await conversation();
      await member.use({ command: 'session show', values: { session } }, /When is it open/);
    },
  },
  {
    operation: 'GET /api/v1/chatbot/{uuid}/sessions',
    by: '/session list',
    act: use('member', 'session list', {}, /\d+ sessions?/),
  },
];

/** Each of the interface's 14 operations is asked of the service by what someone does in a chat. */
export function testOperations(world: () => World): void {
  test('the operations named are 14', () => {
    expect(new Set(reaches.map(({ operation }) => operation)).size).toBe(14);
  });

  test.each(reaches)('$operation is reached by $by', async ({ operation, act }) => {
    const { requests } = world();
    const before = requests.all().length;
    await act(world());
    expect(requests.all().slice(before)).toContain(operation);
  });
}
