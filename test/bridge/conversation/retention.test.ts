import { expect, it, vi } from 'vitest';
import { openStore } from '../../../src/bridge/stores/open-store.ts';
import { createFakeMessage, createFakeThread, editOf } from '../../fixtures/fake-thread.ts';
import { settle, setUpConversation } from './set-up-conversation.ts';

const dayMs = 24 * 60 * 60 * 1000;
const { create, keepUp } = setUpConversation(() => openStore('memory:', { retentionMs: dayMs }));

it('a question is answered once, although it is edited after its answer has expired', async () => {
  const { conversation, chatbot, ask, finish } = create();
  const thread = createFakeThread();
  const sentAt = Date.now();
  await ask(thread, 'q', { addressed: 'direct' });
  await vi.advanceTimersByTimeAsync(2 * dayMs);
  await keepUp();
  const question = createFakeMessage(thread, 'q', { addressed: 'direct' });
  await settle(conversation.edited(editOf(question, 'q, in other words', sentAt)));
  await finish();
  expect(chatbot.queries.map(({ query }) => query)).toEqual(['q']);
});
