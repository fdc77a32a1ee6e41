import { randomUUID } from 'node:crypto';
import { sleep } from '../../../shared/primitives/time.ts';
import { textsFor } from '../../texts/texts.ts';
import { type ThreadAddress, workspaceKey } from '../address.ts';
import { NotAskedError } from '../questions.ts';
import { type TurnRecord, toReceivedRow } from '../inbox/row.ts';
import { closeMarkdown } from '../markdown/close-markdown.ts';
import type { Author } from '../platform.ts';
import { numberEnding, numberMarkers } from '../reply/reply-contents.ts';
import type { OpenSession } from '../sessions.ts';
import type { Tools } from '../tools.ts';
import { streamAndEnd } from './ask.ts';
import type { End } from './end.ts';

/** A question that only its asker is to know of. */
export interface AskedAlone {
  query: string;
  author: Author;
  /** Where it was asked: that decides which chatbot answers. */
  place: ThreadAddress;
}

/** An answer for one person, as Markdown; it grows until it is whole. */
interface PrivateAnswer {
  markdown: string;
  isWhole: boolean;
  /** It is no refusal, and did not fail. */
  isAnswered?: boolean;
}

/**
 * Answers a question for one person. It gets a session of its own, which is deleted afterwards: nothing
 * of it is kept.
 * @throws {ChatbotError}
 * @throws {NotAskedError} when the limit of questions is reached, or too many wait
 */
export type AnswerForOne = (
  asked: AskedAlone,
  signal: AbortSignal,
) => AsyncGenerator<PrivateAnswer>;

type SeenReply = Parameters<typeof streamAndEnd>[1];

/** Whoever waits sees the answer grow in steps. */
const stepMs = 1_000;
const deletingMs = 10_000;

/** Private questions. */
export function createPrivateQuestions(tools: Tools) {
  const { chatbot, sessions, admission, capacity, apart, log, maxReplyMs } = tools;

  async function ask(asked: AskedAlone, reply: SeenReply, signal: AbortSignal): Promise<End> {
    const opened = await sessions.openApart(asked.place, signal);
    try {
      await apart.set(opened.session, Date.now());
      const turn = toTurn(asked, opened);
      return await streamAndEnd(turn, reply, { tools, signal, answeredBy: opened.chatbot });
    } finally {
      void remove(opened.session, AbortSignal.timeout(deletingMs));
    }
  }

  async function remove(session: string, signal: AbortSignal): Promise<void> {
    try {
      await chatbot.deleteReplies(session, { ids: [], isAll: true }, signal);
      await apart.delete(session);
    } catch (error) {
      log.warn({ err: error }, 'the session of a private question is not deleted yet');
    }
  }

  /** Deletes the sessions that a process that died or a service that was away has left. Rejects when the store is down. */
  async function keepUp(signal: AbortSignal): Promise<void> {
    for await (const [session, createdMs] of apart.entries()) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(deletingMs)]);
      // By then it has ended, whichever process asked for it.
      if (Date.now() > createdMs + maxReplyMs + deletingMs) await remove(session, limited);
    }
  }

  const answer: AnswerForOne = async function* (asked, signal) {
    const { author, place } = asked;
    const texts = textsFor(author.locale);
    if (capacity.isFull(workspaceKey(place))) throw new NotAskedError(texts.thread.tooBusy);
    const spent = await admission.count(randomUUID(), { address: place, author });
    if (spent) {
      throw new NotAskedError(admission.explain(spent, author, texts));
    }
    let text = '';
    const ended = new AbortController();
    const reply = {
      append: (delta: string) => void (text += delta),
      restart: () => void (text = ''),
    };
    const asking = capacity
      .run(workspaceKey(asked.place), signal, () => ask(asked, reply, signal))
      .finally(() => ended.abort());
    // Whoever stops reading early does not hear of a failure.
    asking.catch(() => undefined);
    while (!ended.signal.aborted) {
      await sleep(stepMs, ended.signal).catch(() => undefined);
      const shown = closeMarkdown(numberMarkers(text).text);
      if (!ended.signal.aborted && shown.trim() !== '') yield { markdown: shown, isWhole: false };
    }
    const { ending, outcome, unanswered } = await asking;
    if (!ending) return;
    const markdown = [numberEnding(ending), ending.footer].filter(Boolean).join('\n\n');
    yield { markdown, isWhole: true, isAnswered: outcome !== 'failed' && !unanswered };
  };

  return { answer, keepUp };
}

/** The question as it would be stored, if it were. */
function toTurn({ query, author, place }: AskedAlone, opened: OpenSession): TurnRecord {
  const id = randomUUID();
  const { session, takesKeys } = opened;
  return {
    ...toReceivedRow({ ...place, id }),
    id,
    state: 'asking',
    address: place,
    author,
    query,
    session,
    key: takesKeys ? id : undefined,
    after: '',
    sentAt: Date.now(),
  };
}
