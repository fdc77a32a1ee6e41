import { PlatformError } from '../conversation/platform-error.ts';
import { tooFast, unreachable } from './errors.ts';
import { renderInSections, type ShownContent } from './message.ts';

/** Shows messages only to the person who used a command. */
export interface Responder {
  /** @throws {PlatformError} `uneditable` when the time or the uses are over */
  send(content: ShownContent): Promise<void>;
}

/** docs.slack.dev/interactivity/handling-user-interaction, "Message responses": 5 uses, 30 minutes. */
const maxUses = 5;
const timeoutMs = 10_000;

/**
 * Answers at a response_url, which takes no markdown block. Each answer to a command adds a message;
 * with `replacing`, it replaces the message whose button was pressed.
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
    async send(content) {
      if (left === 0) throw over();
      const body = {
        ...(await renderInSections(content)),
        response_type: 'ephemeral',
        replace_original: replacing,
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
