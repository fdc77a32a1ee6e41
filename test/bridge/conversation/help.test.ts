import { describe, expect, it, test, vi } from 'vitest';
import { findHelp } from '../../../src/bridge/conversation/help.ts';
import {
  createFakeMessage,
  createFakeThread,
  fakeAddress,
  turnOf,
} from '../../fixtures/fake-thread.ts';
import { answerTo, setUpConversation } from './set-up-conversation.ts';

const typed = (platform: string, words: string) => `/${platform} ${words}`;
const ada = { id: 'U1', name: 'Ada', isManager: false };

test.each([
  ['what commands are there?', 'commands'],
  ['How do I upload a PDF?', 'upload'],
  ['who can add sources?', 'managers'],
  ['Wie lösche ich eine Quelle?', 'deleting'],
  ['Kann ich dir unsere Webseite beibringen?', 'website'],
  ['Which voice commands are there?', undefined],
  ['How do I upload new firmware?', undefined],
  ['Wer kann den Router verwalten und Benutzer hinzufügen?', undefined],
  [`${'how do I upload a file '.repeat(20)}?`, undefined],
])('“%s” is about %s', (question, topic) => {
  expect(findHelp(question)?.topic).toBe(topic);
});

describe('a question about the bot itself', () => {
  const { create } = setUpConversation();

  /** Asks when the service's newest message has this reply and quotes this source. */
  async function ask(query: string, { response, title, quote }: Record<string, string>) {
    const created = create({ typed });
    const { chatbot } = created;
    const thread = createFakeThread();
    chatbot.answer = async function* () {
      yield response ?? '';
      const sources = title ? [{ marker: '1.1', title, quote: quote ?? '' }] : [];
      const state = 'whole' as const;
      chatbot.stored.set('s1', { id: 'm1', query, response: response ?? '', sources, state });
    };
    await created.ask(thread, query, { author: ada });
    return { ...created, thread, turn: turnOf(createFakeMessage(thread, query)) };
  }

  it('is answered from the help, and nothing else is seen before', async () => {
    const { thread } = await ask('How do I delete a source?', { response: 'I found nothing.' });
    expect(thread.history.join('\n')).not.toContain('nothing');
    expect(thread.visible()).toEqual([expect.stringMatching(/^Type `\/fake source delete`/)]);
  });

  it('is answered in the language of the question', async () => {
    const { thread } = await ask('Wie lösche ich eine Quelle?', { response: 'Nichts.' });
    expect(thread.visible()).toEqual([expect.stringMatching(/^Gib `\/fake source delete`/)]);
  });

  it('names sources that only mention its words', async () => {
    const { thread } = await ask('How do I upload a PDF?', {
      response: 'A photo as PDF is enough. [1.1]',
      title: 'Handbook',
      quote: 'Upload the sick note. A photo as PDF is enough.',
    });
    expect(thread.visible()).toEqual([
      expect.stringMatching(/^Type `\/fake source upload`[^]+too: \[1\] Handbook\)$/),
    ]);
  });

  it('is no gap if the help answers it, unlike other questions without a source', async () => {
    const refused: unknown[] = [];
    const gaps = {
      refused: async ({ query }: { query: string }, nearest?: string) =>
        void refused.push([query, nearest]),
      unhelpful: async () => {},
      list: async () => [],
    };
    const counted = vi.fn<(platform: string) => void>();
    const reports = { turnEnded: () => {}, rated: () => {}, refused: counted };
    const { ask: put, chatbot } = create({ typed, gaps, reports });
    const thread = createFakeThread();
    for (const query of ['How do I delete a source?', 'Where is the canteen?']) {
      const unanswered = { nearest: 'Handbook' };
      chatbot.answer = async function* () {
        yield 'I found nothing.';
        const reply = { query, response: 'I found nothing.', sources: [], unanswered };
        chatbot.stored.set('s1', { id: query, state: 'whole', ...reply });
      };
      await put(thread, query, { author: ada });
    }
    expect(refused).toEqual([['Where is the canteen?', 'Handbook']]);
    expect(counted.mock.calls).toEqual([['fake']]);
  });

  it.each([
    ['How do I upload a PDF?', 'Manual', 'To upload a PDF, press the arrow.'],
    ['Wie lade ich ein PDF hoch?', 'Handbuch', 'Um ein PDF hochzuladen, drücke den Pfeil.'],
    ['what commands are there?', 'Commands', 'There are start and halt.'],
    ['Who can delete files?', 'Manual', 'Only the owner can delete a file.'],
    ['What can you do?', 'What can you do?', 'I sell shoes.'],
  ])('“%s” is answered by a document first', async (query, title, quote) => {
    const { thread, conversation, turn } = await ask(query, {
      response: `${quote} [1.1]`,
      title,
      quote,
    });
    expect(thread.visible()[0]).toContain(quote);
    expect(thread.visible()[0]).not.toContain('/fake');
    expect(thread.buttons()[0]).toContain('Help with this bot');
    const press = { action: 'help', turn, by: ada, place: fakeAddress } as const;
    expect(await answerTo(conversation.pressed(press))).toContain('`/fake ');
  });
});
