import { createHmac } from 'node:crypto';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import {
  type Delivered,
  type Envelope,
  publishSent,
  type Retry,
  type Transport,
  withinAcknowledgement,
} from './delivery.ts';
import { newSecret } from './identifiers.ts';
import type { SocketMode } from './socket-mode.ts';

/** How Slack reaches the app: Socket Mode, or a request URL. */
export interface AppLink extends Pick<
  SocketMode,
  'connections' | 'disconnect' | 'repeat' | 'sever'
> {
  /**
   * Delivers events and interactions to a URL from now on, or over Socket Mode with undefined.
   * @throws {Error} when the URL does not answer Slack's challenge
   */
  setRequestUrl(url: string | undefined): Promise<void>;
  /** Whether the app is reached over HTTP. */
  isHttp(): boolean;
}

interface Signing {
  signingSecret: string;
  now: () => number;
  sleep: Sleep;
}

/** The link, and the transport that uses it. */
export function createAppLink(
  socketMode: SocketMode,
  signing: Signing,
): { link: AppLink; transport: Transport } {
  let current: Transport = socketMode;
  const transport: Transport = {
    send(envelope, retry) {
      publishSent({ kind: envelope.type, payload: envelope.payload });
      return current.send(envelope, retry);
    },
    reachable: (signal) => current.reachable(signal),
  };
  const link: AppLink = {
    async setRequestUrl(requestUrl) {
      if (requestUrl === undefined) {
        current = socketMode;
        return;
      }
      const http = createHttpDelivery({ requestUrl, ...signing });
      await verifyRequestUrl(http, requestUrl);
      current = http;
    },
    isHttp: () => current !== socketMode,
    connections: socketMode.connections,
    disconnect: socketMode.disconnect,
    repeat: socketMode.repeat,
    sever: socketMode.sever,
  };
  return { link, transport };
}

const connectionFailed: Delivered = { acknowledged: false, reason: 'connection_failed' };
const timedOut: Delivered = { acknowledged: false, reason: 'http_timeout' };
const maxBytes = 1024 * 1024;

/**
 * Delivers with signed POST requests to the app's request URL:
 * docs.slack.dev/authentication/verifying-requests-from-slack.
 */
export function createHttpDelivery(options: Signing & { requestUrl: string }): Transport {
  const { requestUrl, signingSecret, now, sleep } = options;

  async function post(body: string, type: string, retry: Retry | undefined, signal: AbortSignal) {
    const time = Math.floor(now() / 1000);
    const signature = createHmac('sha256', signingSecret)
      .update(`v0:${time}:${body}`)
      .digest('hex');
    const headers = {
      'content-type': type,
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': `v0=${signature}`,
      ...(retry && {
        'x-slack-retry-num': String(retry.attempt),
        'x-slack-retry-reason': retry.reason,
      }),
    };
    return fetch(requestUrl, { method: 'POST', headers, body, redirect: 'manual', signal });
  }

  return {
    send(envelope, retry) {
      const { body, type } = toBody(envelope);
      const attempt = async (signal: AbortSignal) => {
        try {
          return await toDelivered(await post(body, type, retry, signal));
        } catch {
          return connectionFailed;
        }
      };
      return withinAcknowledgement(attempt, timedOut, sleep);
    },
    reachable: untilAborted,
  };
}

/**
 * Proves that an app listens at a request URL, as Slack does before it takes one.
 * @throws {Error} when the challenge does not come back
 */
async function verifyRequestUrl(http: Transport, requestUrl: string): Promise<void> {
  const challenge = newSecret(16);
  const payload = { type: 'url_verification', challenge };
  const delivered = await http.send({ type: 'events_api', payload });
  const response = delivered.acknowledged ? delivered.response : undefined;
  const echoed = (response as { challenge?: unknown } | undefined)?.challenge ?? response;
  if (echoed === challenge) return;
  const found = delivered.acknowledged ? 'a different answer came' : delivered.reason;
  throw new Error(`${requestUrl} did not return the challenge (${found}).`);
}

function toBody({ type, payload }: Envelope): { body: string; type: string } {
  const form = 'application/x-www-form-urlencoded';
  if (type === 'events_api') return { body: JSON.stringify(payload), type: 'application/json' };
  if (type === 'slash_commands') {
    return { body: new URLSearchParams(payload as Record<string, string>).toString(), type: form };
  }
  return { body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), type: form };
}

async function toDelivered(response: Response): Promise<Delivered> {
  const { status, headers } = response;
  const text = new TextDecoder().decode(await readUpTo(response.body, maxBytes, tooLarge));
  if (status >= 300 && status < 400) return { acknowledged: false, reason: 'too_many_redirects' };
  if (status !== 200) {
    const noRetry = headers.get('x-slack-no-retry') === '1';
    return { acknowledged: false, reason: 'http_error', noRetry };
  }
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { acknowledged: true, response: isJson ? (JSON.parse(text) as unknown) : text };
}

const tooLarge = () => new Error('The answer to a delivery is larger than 1 MB.');

/** There is no signal that an HTTP server is back. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
