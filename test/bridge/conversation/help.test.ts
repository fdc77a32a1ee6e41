import { describe, expect, it, test, vi } from 'vitest';
import { findHelp } from '../../../src/bridge/conversation/help.ts';
import { english, textsFor } from '../../../src/bridge/texts/texts.ts';
import { usualOptions } from '../../fixtures/conversation-tools.ts';
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
  ['Why don’t you reply when I don’t tag you?', 'following'],
  ['Warum antwortest du nicht, wenn ich dich nicht erwähne?', 'following'],
  ['What are you for?', 'abilities'],
  ['Wofür bist du da?', 'abilities'],
  ['How do I make you forget our conversation?', 'conversations'],
  ['Wie bringe ich dich dazu, unser Gespräch zu vergessen?', 'conversations'],
  ['Zeig mir eine Liste deiner Befehle', 'commands'],
  ['Was für Befehle versteht der Bot?', 'commands'],
  ['Erinnerst du dich später noch an unsere Gespräche?', 'conversations'],
  ['What does /causeway source delete do?', 'deleting'],
  ['How do I delete a user in the router?', undefined],
  ['How do you stop a drink?', undefined],
  ['Can I cancel my order with you?', undefined],
  ['Can you explain the cleaning command of the machine?', undefined],
  ['Kannst du mir den Reinigungsbefehl der Maschine erklären?', undefined],
  ['Do your commands work with the router at home?', undefined],
  ['Which voice commands are there?', undefined],
  ['How do I upload new firmware?', undefined],
  ['Wer kann den Router verwalten und Benutzer hinzufügen?', undefined],
  [`${'how do I upload a file '.repeat(20)}?`, undefined],
])('“%s” is about %s', (question, topic) => {
  expect(findHelp(question)?.topic).toBe(topic);
});

test.each([
  ['How do I start a new session with the bot?', 'de', english],
  ['Wie starte ich eine neue Session mit dem Bot?', 'en', textsFor('de')],
  ['Bot format?', 'de', textsFor('de')],
])('“%s” of a reader of %s is in the language of most of its words', (question, locale, texts) => {
  expect(findHelp(question, locale)?.texts).toBe(texts);
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

  it.each([
    [
      'show me a list of your commands',
      'Router',
      'The command help shows a list of all commands.',
      /^These are the main/,
    ],
    ['How can I interrupt you?', 'Manual', 'Descaling must not be interrupted.', /^Press /],
    ['Which commands do you offer?', 'Router', 'The router has commands.', /^These are the main/],
  ])('“%s” is put to the bot: a manual comes after', async (query, title, quote, answer) => {
    const { thread } = await ask(query, { response: `${quote} [1.1]`, title, quote });
    expect(thread.visible()[0]).toMatch(answer);
  });

  it('is no gap if the help answers it, unlike other questions without a source', async () => {
    const refused: unknown[] = [];
    const gaps = {
      refused: async ({ query }: { query: string }, nearest?: string) =>
        void refused.push([query, nearest]),
      unhelpful: async () => {},
      answered: async () => {},
      forget: async () => {},
      list: async () => [],
      take: async () => undefined,
      release: async () => {},
      taught: async () => {},
    };
    const counted = vi.fn<(platform: string) => void>();
    const reports = { ...usualOptions.reports, refused: counted };
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
    ['Which commands do you offer?', 'Shop', 'We offer repairs.'],
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
