import { expect, it, describe, vi } from 'vitest';
import { ChatbotError, PlatformError } from '../../../src/bridge/conversation/errors.ts';
import { createFakeMessage, createFakeThread, editOf } from '../../fixtures/fake-thread.ts';
import { setUpConversation } from './set-up-conversation.ts';

describe('files beside a question', () => {
  const { create } = setUpConversation();

  const files = ['a.md', 'b.ogg'].map((name) => ({
    name,
    size: 3,
    contentType: name.endsWith('ogg') ? 'audio/ogg' : 'text/markdown',
    ref: { name },
  }));
  const by = { id: 'U1', name: 'Ada', isManager: false };

  /** A thread whose files are read as given. */
  function threadWith(read: () => AsyncIterable<Uint8Array>) {
    return { ...createFakeThread(), readFile: vi.fn<typeof read>(read) };
  }

  async function* bytes() {
    yield Buffer.from('abc');
  }

  it('are read again when the question is asked again, as the documents may be gone by then', async () => {
    const thread = threadWith(bytes);
    const transcribe = async () => 'When is that?';
    const { ask, chatbot, conversation, finish } = create({ transcribe });
    const { answer } = chatbot;
    chatbot.answer = () => {
      throw new ChatbotError('invalid', 'no');
    };
    await ask(thread, 'Read this.', { files });
    expect(chatbot.queries.map(({ query }) => query)).toEqual(['Read this.\n\nWhen is that?']);
    chatbot.answer = answer;
    const [turn = ''] = thread.turns();
    await conversation.pressed({ action: 'retry', turn, by, place: thread.address });
    await finish();
    expect(chatbot.documents).toEqual(['a.md', 'a.md']);
    expect(chatbot.queries.at(-1)?.query).toBe('Read this.\n\nWhen is that?');
    expect(thread.visible().at(-1)).not.toContain('📎');
  });

  it.each(['a.md', 'b.ogg'])(
    'do not bring back the words of before an edit that came while they were read: %s',
    async (name) => {
      const gate = Promise.withResolvers<void>();
      const thread = threadWith(async function* () {
        await gate.promise;
        yield Buffer.from('abc');
      });
      const transcribe = async ({ content }: { content: AsyncIterable<Uint8Array> }) => {
        for await (const _ of content);
        return 'When is that?';
      };
      const { conversation, chatbot, finish } = create({ transcribe });
      const beside = files.filter((each) => each.name === name);
      const message = createFakeMessage(thread, 'Read this.', { files: beside });
      void conversation.message(message);
      await vi.advanceTimersByTimeAsync(1_000);
      await conversation.edited(editOf(message, 'Read that.'));
      await vi.advanceTimersByTimeAsync(1_000);
      gate.resolve();
      await finish();
      const heard = name === 'b.ogg' ? '\n\nWhen is that?' : '';
      expect(chatbot.queries.map(({ query }) => query)).toEqual([`Read that.${heard}`]);
    },
  );

  it('keep what is said in them in the question when its words are edited', async () => {
    const thread = threadWith(bytes);
    const transcribe = async () => 'When is that?';
    const { ask, chatbot, conversation, finish } = create({ transcribe });
    await ask(thread, 'Read this.', { files });
    const message = createFakeMessage(thread, 'Read this.', { files });
    await conversation.edited(editOf(message, 'Read this.'));
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.visible()).toHaveLength(1);
    for (const text of ['Read that.', 'Read it.']) {
      await conversation.edited(editOf(message, text));
      await vi.advanceTimersByTimeAsync(100);
      const turn = thread.turns().at(-1) ?? '';
      await conversation.pressed({ action: 'retry', turn, by, place: thread.address });
      await finish();
    }
    expect(chatbot.queries.map(({ query }) => query)).toEqual([
      'Read this.\n\nWhen is that?',
      'Read that.\n\nWhen is that?',
      'Read it.\n\nWhen is that?',
    ]);
  });

  it('that could not be read are tried again with the question', async () => {
    let isAway = true;
    const thread = threadWith(() => {
      if (isAway) throw new PlatformError('failed', 'file_gone');
      return bytes();
    });
    const { ask, chatbot, conversation, finish } = create();
    const { answer } = chatbot;
    chatbot.answer = () => {
      throw new ChatbotError('invalid', 'no');
    };
    await ask(thread, 'Read this.', { files: files.slice(0, 1) });
    expect(chatbot.documents).toEqual([]);
    isAway = false;
    chatbot.answer = answer;
    const [turn = ''] = thread.turns();
    await conversation.pressed({ action: 'retry', turn, by, place: thread.address });
    await finish();
    expect(chatbot.documents).toEqual(['a.md']);
    expect(thread.visible().at(-1)).not.toContain('📎');
  });

  it('that a platform does not give are named, and more than ten are', async () => {
    const thread = threadWith(() => {
      throw new PlatformError('gone', 'file_gone');
    });
    const { ask, chatbot } = create();
    const many = Array.from({ length: 11 }, (_, at) => ({
      ...files[0],
      name: `${at}.md`,
      size: 3,
    }));
    await ask(thread, 'Read this.', { files: many.map((each) => ({ ...each, ref: {} })) });
    const [shown = ''] = thread.visible();
    expect(shown).toContain('📎 Not read: 0.md: ');
    expect(shown).toContain('10.md: I read up to 10 files with a question.');
    expect(chatbot.documents).toEqual([]);
    expect(thread.readFile).toHaveBeenCalledTimes(10);
  });

  it('that take too long are named', async () => {
    const thread = threadWith(bytes);
    const transcribe = (_: object, signal: AbortSignal) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { ask, chatbot } = create({ transcribe });
    await ask(thread, 'Listen.', { files: files.slice(1) });
    expect(chatbot.queries).toMatchObject([{ query: 'Listen.' }]);
    expect(thread.visible()[0]).toContain('📎 Not read: b.ogg');
  });

  it('with a greeting are a question', async () => {
    const { ask, chatbot } = create();
    await ask(threadWith(bytes), 'Hi', { files: files.slice(0, 1) });
    expect(chatbot.queries).toMatchObject([{ query: 'Hi' }]);
  });
});
