import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  beginStream,
  sendCompletion,
  sendDelta,
  startModelServer,
} from '../../fixtures/model-server.ts';

/**
 * A model that answers everything alike, but a question with “slowly” not to its end, and one with
 * “add a source” from the first passage.
 */
export interface HeldModel extends AsyncDisposable {
  baseUrl: string;
  /** Resolves once it was asked something with these words in it. */
  asked(words: string): Promise<void>;
  /** Resolves once nobody waits any more for the answer to such a question. */
  left(words: string): Promise<void>;
}

export async function startHeldModel(): Promise<HeldModel> {
  const models = await startModelServer();
  const heard = new EventEmitter();
  const questions: string[] = [];
  const left: string[] = [];
  const until = async (list: string[], words: string) => {
    while (!list.some((question) => question.includes(words))) await once(heard, 'change');
  };
  models.answer = (response, { body }) => {
    const question = body.messages.at(-1)?.content ?? '';
    questions.push(question);
    heard.emit('change');
    response.once('close', () => {
      left.push(question);
      heard.emit('change');
    });
    if (question.includes('slowly')) hold(response);
    else if (question.includes('add a source')) sendCompletion(response, ['At nine [1].']);
    else sendCompletion(response, ['At nine', ' in the morning.']);
  };
  return {
    baseUrl: models.baseUrl,
    asked: (words) => until(questions, words),
    left: (words) => until(left, words),
    [Symbol.asyncDispose]: () => models[Symbol.asyncDispose](),
  };
}

function hold(response: ServerResponse): void {
  beginStream(response);
  sendDelta(response, 'Let me think about that.\n\n');
}
