import { PlatformError } from '../conversation/platform-error.ts';
import { tooFast, unreachable } from './errors.ts';
import { type RenderedMessage, renderMessage } from './message.ts';

/** Shows messages only to the person who used a command. */
export interface Responder {
  /** How many uses are left. */
  readonly usesLeft: number;
  /** @throws {PlatformError} `uneditable` when the time or the uses are over */
  send(message: RenderedMessage): Promise<void>;
}

/** docs.slack.dev/interactivity/handling-user-interaction, "Message responses": 5 uses, 30 minutes. */
const maxUses = 5;
const timeoutMs = 10_000;

/**
 * Answers at a response_url. Each message replaces the one before; with `replacing`, the first
 * replaces the message whose button was pressed.
 */
export function createResponder(options: {
  url: string;
  /** Origins that a response_url may have, in addition to Slack's own. */
  trustedOrigins: readonly string[];
  /** The thread to answer in. */
  thread?: string;
  replacing?: boolean;
}): Responder {
  const { url, trustedOrigins, thread, replacing = false } = options;
  const trusted = ['https://hooks.slack.com', ...trustedOrigins];
  let left = trusted.includes(URL.parse(url)?.origin ?? '') ? maxUses : 0;
  return {
    get usesLeft() {
      return left;
    },
    async send(message) {
      if (left === 0) throw over();
      const first = left === maxUses;
      const body = {
        ...message,
        response_type: 'ephemeral',
        replace_original: replacing || !first,
        ...(thread && { thread_ts: thread }),
      };
      const answer = await post(url, body);
      if (answer.ok) {
        left -= 1;
        return;
      }
      if (answer.status === 429) {
        throw tooFast((Number(answer.headers.get('retry-after')) || 1) * 1000);
      }
      left = 0;
      throw over();
    },
  };
}

/**
 * Shows a text.
 * @throws {PlatformError} as `send`
 */
export function say(responder: Responder, markdown: string): Promise<void> {
  return responder.send(renderMessage({ markdown }));
}

async function post(url: string, body: object): Promise<Response> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    return answer;
  } catch (error) {
    throw unreachable(error);
  }
}

function over(): PlatformError {
  return new PlatformError('uneditable', 'answer_expired');
}
