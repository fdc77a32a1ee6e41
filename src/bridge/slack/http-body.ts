import type { IncomingMessage, ServerResponse } from 'node:http';

/** The limits of one body. */
export interface BodyLimits {
  maxBytes: number;
  /** For the whole body, in ms. */
  timeoutMs: number;
}

/** The limits of all bodies that are being read. */
export interface ReadingLimits {
  maxBodies: number;
  /** Of memory. */
  maxHeldBytes: number;
}

/** Reads the bodies of requests whose senders have not been verified yet. */
export interface BodyReader {
  /** @throws {RefusedRequest} when it is too large, late or incomplete, or had to make room for others */
  read(request: IncomingMessage, limits: BodyLimits): Promise<Buffer>;
}

interface Reading {
  refuse(reason: RefusalReason): void;
}

/**
 * Above the limits, the body that has been read for the longest time is dropped. Slack sends its
 * bodies at once, so stalling senders can displace them only by coming faster than they arrive.
 */
export function createBodyReader({ maxBodies, maxHeldBytes }: ReadingLimits): BodyReader {
  /** Oldest first. */
  const readings = new Set<Reading>();
  let heldBytes = 0;

  function makeRoom(): void {
    for (const oldest of readings) {
      if (readings.size <= maxBodies && heldBytes <= maxHeldBytes) return;
      oldest.refuse('crowded');
    }
  }

  return {
    read(request, { maxBytes, timeoutMs }) {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      // Parts are copied, because each is an object and may hold a single byte. `transfer` frees the
      // smaller buffer at once; as garbage, such buffers would pile up as fast as bytes are sent.
      let held = new ArrayBuffer();
      let size = 0;

      function grow(bytes: number): void {
        heldBytes -= held.byteLength;
        held = held.transfer(Math.min(maxBytes, Math.max(bytes, 2 * size)));
        heldBytes += held.byteLength;
      }
      function take(part: Buffer): void {
        const bytes = size + part.length;
        if (bytes > maxBytes) return reading.refuse('tooLarge');
        if (bytes > held.byteLength) grow(bytes);
        new Uint8Array(held).set(part, size);
        size = bytes;
        makeRoom();
      }
      /** False if it has ended before. */
      function end(): boolean {
        if (!readings.delete(reading)) return false;
        clearTimeout(timer);
        heldBytes -= held.byteLength;
        request.off('data', take).pause();
        return true;
      }
      const reading: Reading = {
        refuse(reason) {
          if (!end()) return;
          held.transfer(0);
          reject(new RefusedRequest(reason));
        },
      };
      const timer = setTimeout(() => reading.refuse('late'), timeoutMs);
      readings.add(reading);
      request.on('data', take);
      request.once('end', () => {
        if (end()) resolve(Buffer.from(held, 0, size));
      });
      request.once('close', () => reading.refuse('incomplete'));
      makeRoom();
      return promise;
    },
  };
}

/** A status, a sentence for the sender, and what the log says of several such requests. */
interface Answer {
  status: number;
  headers?: Record<string, string>;
  says: string;
  log?: string;
}

const retryLater = { 'retry-after': '5' };

const answers = {
  elsewhere: { status: 404, says: 'There is nothing here.' },
  wrongMethod: {
    status: 405,
    headers: { allow: 'POST' },
    says: 'Slack sends only POST requests.',
    log: 'Slack sends only POST requests, and these used another method',
  },
  wrongType: {
    status: 415,
    says: 'The body must be application/json or application/x-www-form-urlencoded.',
    log: 'their content type is not one that Slack sends',
  },
  unsigned: {
    status: 401,
    says: 'x-slack-signature or x-slack-request-timestamp is missing or malformed.',
    log: 'they carry no signature, so Slack did not send them',
  },
  stale: {
    status: 401,
    says: 'x-slack-request-timestamp is more than five minutes old.',
    log: 'they were signed more than five minutes ago; if Slack sent them, check this machine’s clock',
  },
  wronglySigned: {
    status: 401,
    says: 'The signature is not made with this app’s signing secret.',
    log: 'they are not signed with SLACK_SIGNING_SECRET; if Slack sent them, copy the Signing Secret from “Basic Information” of your app at https://api.slack.com/apps, and check this machine’s clock',
  },
  tooLarge: {
    status: 413,
    says: 'The body is larger than 1 MB.',
    log: 'their body is larger than 1 MB',
  },
  late: {
    status: 408,
    says: 'The body did not arrive in time.',
    log: 'their body did not arrive in time',
  },
  incomplete: {
    status: 400,
    says: 'The body is incomplete.',
    log: 'their sender left before the body was complete',
  },
  crowded: {
    status: 503,
    headers: retryLater,
    says: 'Too many requests send their bodies at once. Try again later.',
    log: 'too many send their bodies at once, and these had waited longest',
  },
  unreadable: {
    status: 400,
    says: 'The body is not an event, command or interaction of Slack.',
    log: 'they are signed, but their body is not an event, command or interaction of Slack',
  },
  /** While the process starts or ends, which the log says anyway. */
  closed: { status: 503, headers: retryLater, says: 'The bot is not connected. Try again later.' },
} satisfies Record<string, Answer>;

export type RefusalReason = keyof typeof answers;

/** A request to /slack/events that is not handled. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(answers[reason].says);
    this.reason = reason;
  }
}

/**
 * Answers with the reason and closes the connection; the rest of the body is not read
 * (RFC 9112 §9.6).
 */
export function refuse(response: ServerResponse, reason: RefusalReason): void {
  const { status, says, headers }: Answer = answers[reason];
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers, connection: 'close' }).end(`${says}\n`);
}

/** What the log says about refused requests and what to do; undefined if they need no line. */
export function explainRefusals(reason: RefusalReason): string | undefined {
  const { log }: Answer = answers[reason];
  return log && `requests to /slack/events were refused: ${log}`;
}
