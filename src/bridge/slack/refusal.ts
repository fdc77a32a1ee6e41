import type { ServerResponse } from 'node:http';

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
    says: 'Slack’s requests are posted.',
    log: 'Slack’s requests are posted, and these were not',
  },
  wrongType: {
    status: 415,
    says: 'The body must be application/json or application/x-www-form-urlencoded.',
    log: 'their content type is none that Slack sends',
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
    says: 'The body is no event, command or interaction of Slack.',
    log: 'they are signed, but their body is no event, command or interaction of Slack',
  },
  /** At the start and at the end, which the log tells anyway. */
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
 * Answers with the reason, and closes the connection: what is left of the body is not read
 * (RFC 9112 §9.6).
 */
export function refuse(response: ServerResponse, reason: RefusalReason): void {
  const { status, says, headers }: Answer = answers[reason];
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers, connection: 'close' }).end(`${says}\n`);
}

/** What the log says of refused requests, with what to do; undefined if that is not worth a line. */
export function explainRefusals(reason: RefusalReason): string | undefined {
  const { log }: Answer = answers[reason];
  return log && `requests to /slack/events were refused: ${log}`;
}
