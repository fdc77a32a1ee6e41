import type { IncomingMessage, ServerResponse } from 'node:http';
import { type App, HTTPModuleFunctions, HTTPResponseAck, type Logger } from '@slack/bolt';
import type { Log } from '../../shared/primitives/log.ts';
import { createTally } from '../../shared/primitives/tally.ts';
import type { PlatformError } from '../conversation/errors.ts';
import {
  type BodyLimits,
  createBodyReader,
  explainRefusals,
  type ReadingLimits,
  type RefusalReason,
  refuse,
  RefusedRequest,
} from './http-body.ts';
import type { EventConnection } from './event-connection.ts';
import { eventsPath } from './manifest.ts';

/** What a request says before its body. */
interface Head {
  isSigned: boolean;
  limits: BodyLimits;
}

type RequestLimits = BodyLimits & ReadingLimits;

const usualLimits: RequestLimits = {
  maxBytes: 1024 * 1024,
  timeoutMs: 30_000,
  maxBodies: 100,
  maxHeldBytes: 16 * 1024 * 1024,
};

/**
 * Slack checks certificates with a form that it does not sign, of 42 bytes:
 * github.com/slackapi/bolt-js/issues/1397
 */
const unsignedFormLimits: BodyLimits = { maxBytes: 256, timeoutMs: 3_000 };

const form = 'application/x-www-form-urlencoded';
const contentTypes = new Set(['application/json', form]);

/** Older requests may be replays: docs.slack.dev/authentication/verifying-requests-from-slack */
const maxAgeSeconds = 5 * 60;

/**
 * Slack's Events API over HTTP: requests signed with the app's signing secret. A request that is
 * wrong by its headers is refused before its body is read, and bodies are limited. Bolt's own receiver
 * would read 4 MB of any request, and a body of `null` would end the process.
 */
export function createHttpConnection(options: {
  signingSecret: string;
  /** Called at the first request that is signed with the secret. */
  onSigned?: () => void;
  limits?: Partial<RequestLimits>;
  logger: Logger;
  log: Log;
}): EventConnection {
  const { signingSecret, onSigned, logger, log } = options;
  const limits = { ...usualLimits, ...options.limits };
  const bodies = createBodyReader(limits);
  const refused = createTally<RefusalReason>((reason, count) => {
    const message = explainRefusals(reason);
    if (message) log.warn({ count }, message);
  });
  /** While it is open. */
  let app: App | undefined;
  let failed = Promise.withResolvers<PlatformError>();
  let wasSigned = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { isSigned, limits: bodyLimits } = readHead(request, limits);
    const rawBody = await bodies.read(request, bodyLimits);
    if (!app) throw new RefusedRequest('closed');
    const body = await readBody(Object.assign(request, { rawBody }), signingSecret, isSigned);
    if (body['ssl_check'] === '1') return HTTPModuleFunctions.buildSSLCheckResponse(response);
    if (!wasSigned) onSigned?.();
    wasSigned = true;
    if (body['type'] === 'url_verification') {
      return HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    }
    const ack = new HTTPResponseAck({
      logger,
      processBeforeResponse: false,
      httpRequest: request,
      httpRequestBody: body,
      httpResponse: response,
    });
    try {
      await app.processEvent({
        body,
        ack: ack.bind(),
        retryNum: HTTPModuleFunctions.extractRetryNumFromHTTPRequest(request),
        retryReason: HTTPModuleFunctions.extractRetryReasonFromHTTPRequest(request),
      });
    } catch (error) {
      // Otherwise Bolt would log it again after three seconds.
      ack.ack();
      throw error;
    }
  }

  return {
    get isConnected() {
      return app !== undefined;
    },
    get fatalError() {
      return failed.promise;
    },
    async open(bolt) {
      failed = Promise.withResolvers();
      app = bolt;
    },
    fail(error) {
      app = undefined;
      failed.resolve(error);
    },
    async close() {
      app = undefined;
    },
    requestListener(request, response) {
      // Slack redelivers events that get a 503.
      if (!app) return refuse(response, 'closed');
      answer(request, response).catch((error: unknown) => {
        if (error instanceof RefusedRequest) {
          refused.add(error.reason);
          return refuse(response, error.reason);
        }
        log.error({ err: error }, 'an event from Slack failed');
        if (!response.headersSent) response.writeHead(500).end();
      });
    },
  };
}

/** @throws {RefusedRequest} when the headers show that the request is not Slack's */
function readHead({ url = '', method, headers }: IncomingMessage, limits: BodyLimits): Head {
  if (url.split('?', 1)[0] !== eventsPath) throw new RefusedRequest('elsewhere');
  if (method !== 'POST') throw new RefusedRequest('wrongMethod');
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!contentTypes.has(type)) throw new RefusedRequest('wrongType');
  const signature = headers['x-slack-signature'];
  const time = headers['x-slack-request-timestamp'];
  const bytes = Number(headers['content-length']);
  if (type === form && !signature && !time && bytes <= unsignedFormLimits.maxBytes) {
    return { isSigned: false, limits: unsignedFormLimits };
  }
  if (!/^v0=[\da-f]{64}$/.test(String(signature)) || !/^\d{1,12}$/.test(String(time))) {
    throw new RefusedRequest('unsigned');
  }
  if (Number(time) < Date.now() / 1000 - maxAgeSeconds) throw new RefusedRequest('stale');
  if (bytes > limits.maxBytes) throw new RefusedRequest('tooLarge');
  return { isSigned: true, limits };
}

/** @throws {RefusedRequest} when the body is not signed, or is nothing that Slack sends */
async function readBody(
  request: IncomingMessage & { rawBody: Buffer },
  signingSecret: string,
  isSigned: boolean,
): Promise<Record<string, unknown>> {
  const { parseAndVerifyHTTPRequest, parseHTTPRequestBody } = HTTPModuleFunctions;
  const verified = await parseAndVerifyHTTPRequest({ signingSecret }, request).catch(() => {
    throw new RefusedRequest(isSigned ? 'wronglySigned' : 'unsigned');
  });
  let body: unknown;
  try {
    body = parseHTTPRequestBody(verified);
  } catch {
    throw new RefusedRequest('unreadable');
  }
  if (!isSlacks(body)) throw new RefusedRequest('unreadable');
  return body;
}

/** Events and interactions have a type, commands their name. */
function isSlacks(body: unknown): body is Record<string, unknown> {
  const { type, command, event, ssl_check: check } = Object(body) as Record<string, unknown>;
  if (type === 'event_callback') return typeof event === 'object' && event !== null;
  return [type, command, check].some((field) => typeof field === 'string');
}
