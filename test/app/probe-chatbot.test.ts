import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { probeChatbot } from '../../src/app/probe-chatbot.ts';
import type { ChatbotClient } from '../../src/bridge/chatbot/chatbot-client.ts';
import { ChatbotError, type ChatbotErrorKind } from '../../src/bridge/conversation/errors.ts';
import { silentLog } from '../fixtures/log.ts';

const chatbot = {} as Awaited<ReturnType<ChatbotClient['getChatbot']>>;
const failed = (kind: ChatbotErrorKind, status?: number) =>
  new ChatbotError(kind, `${kind} ${status ?? ''}`, { status });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A probe of a service with these answers, of which the last one repeats. */
function probe(...answers: (ChatbotError | typeof chatbot)[]) {
  const stopping = new AbortController();
  const lines: string[] = [];
  let tries = 0;
  const getChatbot = async () => {
    tries += 1;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof ChatbotError) throw answer;
    return chatbot;
  };
  const log = {
    ...silentLog,
    warn: (_: object, message?: string) => void lines.push(`warn: ${message}`),
    error: (_: object, message?: string) => void lines.push(`error: ${message}`),
  };
  const options = { log, signal: stopping.signal };
  const opened = probeChatbot({ client: { getChatbot }, uuid: 'bot' }, options);
  return { ...opened, lines, stopping, tries: () => tries };
}

test.each([
  [failed('unauthorized', 401), 'the key in CHATBOT_API_KEY'],
  [failed('not_found', 404), 'the chatbot in CHATBOT_UUID, which it does not know'],
])('what the configuration lacks is reported once until it is fixed', async (error, missing) => {
  const probed = probe(error, error, error, chatbot);
  await probed.firstTry;
  expect(probed.missing()).toBe(missing);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(probed.missing()).toBe(missing);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(probed.missing()).toBeUndefined();
  expect(probed.lines).toEqual([`error: the chatbot service refuses ${missing}`]);
});

test.each([failed('unavailable'), failed('unauthorized', 403), failed('timeout')])(
  'a service that answers %s is not a fault of the configuration',
  async (error) => {
    const probed = probe(error);
    await probed.firstTry;
    expect(probed.missing()).toBeUndefined();
    expect(probed.lines).toEqual(['warn: the chatbot service does not answer yet']);
  },
);

test('the probe ends when the process stops, and waits at most 30 s between tries', async () => {
  const probed = probe(failed('unavailable'));
  await probed.firstTry;
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(probed.tries()).toBeGreaterThan(1_000_000 / 30_000);
  const { tries, stopping } = probed;
  stopping.abort();
  const before = tries();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(tries()).toBe(before);
});
