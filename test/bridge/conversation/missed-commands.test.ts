import { describe, expect, it, vi } from 'vitest';
import {
  createFakeMessage,
  createFakeThread,
  deliver,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, settle, setUpConversation } from './set-up-conversation.ts';

const ada = { id: 'U1', name: 'Ada', isManager: false };
const grace = { id: 'U2', name: 'Grace', isManager: true };

describe('a command that was given while the bot was away', () => {
  const { create } = setUpConversation();

  async function give() {
    const created = create();
    const thread = createFakeThread();
    created.threads.set('T', thread);
    const command = vi.fn<() => Promise<void>>(async () => {});
    const message = createFakeMessage(thread, 'source delete', { command });
    await created.conversation.received({ ...deliver(message), isMissed: true });
    await created.finish();
    const press = async (by: typeof ada) => {
      const pressed = { action: 'retry', turn: turnOf(message), by, place: fakeAddress } as const;
      const answer = answerTo(created.conversation.pressed(pressed));
      await settle(answer);
      return answer;
    };
    return { ...created, thread, command, press };
  }

  it('is not run but offered', async () => {
    const { thread, command } = await give();
    expect(command).not.toHaveBeenCalled();
    expect(thread.visible()).toEqual([expect.stringContaining('I haven’t run it')]);
    expect(thread.buttons()).toEqual([['Run it']]);
  });

  it('is run once if whoever gave it says so', async () => {
    const { command, press, finish } = await give();
    await press(ada);
    await finish();
    await press(ada);
    await finish();
    expect(command).toHaveBeenCalledOnce();
  });

  it('is not run for anybody else', async () => {
    const { command, press } = await give();
    expect(await press(grace)).toBe('Only the person who gave this command can run it.');
    expect(command).not.toHaveBeenCalled();
  });
});
