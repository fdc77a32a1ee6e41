import { describe, expect, it } from 'vitest';
import type { StoredReply } from '../../../src/bridge/conversation/chatbot.ts';
import type { TurnReport } from '../../../src/bridge/conversation/reports.ts';
import { createFakeThread } from '../../fixtures/fake-thread.ts';
import { setUpConversation } from './set-up-conversation.ts';

const busy = 'The model is overloaded right now, so please ask again in a minute.';

describe('an answer that failed at the service', () => {
  const { create } = setUpConversation();

  async function askFor(streamed: string, stored: Partial<StoredReply>, locale?: string) {
    const reports: TurnReport[] = [];
    const { ask, chatbot } = create({
      reports: { turnEnded: (turn) => void reports.push(turn), rated: () => undefined },
    });
    const thread = createFakeThread();
    chatbot.stored.set('s1', {
      id: 'r1',
      query: 'q',
      response: streamed,
      sources: [],
      state: 'partial',
      ...stored,
    });
    chatbot.answer = async function* () {
      yield streamed;
    };
    await ask(thread, 'q', { author: { id: 'ada', name: 'Ada', isManager: false, locale } });
    return {
      visible: thread.visible(),
      buttons: thread.buttons().flat(),
      outcomes: reports.map(({ outcome }) => outcome),
    };
  }

  it('says so in the reader’s words, below what arrived', async () => {
    const stored = { reason: busy, failure: { code: 'model_busy' } as const };
    expect(await askFor(`At ni\n\n${busy}`, stored, 'de')).toEqual({
      visible: [expect.stringMatching(/^At ni\n\n⚠️ Das Modell hat gerade zu viel zu tun/)],
      buttons: ['Erneut versuchen'],
      outcomes: ['failed'],
    });
  });

  it('says so where nothing else arrived', async () => {
    const stored = { reason: busy, failure: { code: 'model_busy' } as const };
    expect((await askFor(busy, stored)).visible).toEqual([`⚠️ ${busy}`]);
  });

  it('says so in the service’s words, where we don’t know them', async () => {
    expect(await askFor('At ni', { reason: 'out of luck' })).toEqual({
      visible: ['At ni\n\n⚠️ out of luck'],
      buttons: ['Try again'],
      outcomes: ['failed'],
    });
  });

  it('says so where the service was interrupted', async () => {
    expect(await askFor('At ni', {})).toMatchObject({
      visible: ['At ni\n\n⚠️ The answer was cut off. Please ask again.'],
      outcomes: ['failed'],
    });
  });
});
