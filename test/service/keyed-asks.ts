import type { ServerResponse } from 'node:http';
import {
  beginStream,
  type ModelServer,
  sendCompletion,
  sendDelta,
} from '../fixtures/model-server.ts';
import type { TestService } from './fixture.ts';
import { query } from './model/model-fixture.ts';

/** The key of every query that has no other. */
export const key = 'turn-1';

/** Asks with a key. */
export function ask(service: TestService, session: string, sent = query, sentKey = key) {
  return service.fetch(`/api/v1/session/${session}/message/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': sentKey },
    body: JSON.stringify({ query: sent }),
  });
}

/** Reads a reply until it says this. */
export async function readUntil(response: Response, words: string) {
  const reader = response.body?.getReader();
  if (!reader) throw new Error('The response has no body');
  let text = '';
  while (!text.includes(words)) text += Buffer.from((await reader.read()).value ?? []).toString();
  return reader;
}

/** A model that says the beginning, and the rest when it is told to. */
export function holdAnswers(models: ModelServer) {
  const held: ServerResponse[] = [];
  models.answer = (response) => {
    beginStream(response);
    sendDelta(response, 'At nine');
    held.push(response);
  };
  return {
    held,
    finish() {
      models.answer = (response) => sendCompletion(response, ['At nine', ' in the morning.']);
      for (const response of held.splice(0)) {
        sendDelta(response, ' in the morning.');
        response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
      }
    },
  };
}

/** What the model says in all. */
export const whole = 'At nine in the morning.';
