import type { IncomingMessage } from 'node:http';
import { HTTPReceiver, type Logger } from '@slack/bolt';
import type { Log } from '../conversation/ports.ts';
import type { Connection } from './connection.ts';
import { eventsPath } from './manifest.ts';

/** Slack's Events API over HTTP: requests signed with the app's signing secret. */
export function createHttpConnection(options: {
  signingSecret: string;
  /** Called at the first request that is signed with the secret. */
  onSigned?: () => void;
  logger: Logger;
  log: Log;
}): Connection {
  const { signingSecret, onSigned, logger, log } = options;
  let opened = false;
  let isSigned = false;
  const receiver = new HTTPReceiver({
    signingSecret,
    logger,
    endpoints: eventsPath,
    async processEventErrorHandler({ error, response }) {
      log.error({ err: error }, 'an event from Slack failed');
      if (!response.headersSent) response.writeHead(500).end();
      return false;
    },
  });

  return {
    receiver,
    get isConnected() {
      return opened;
    },
    // Only Slack knows whether it still sends events.
    fatalError: new Promise(() => {}),
    async open() {
      opened = true;
    },
    async close() {
      opened = false;
    },
    requestListener(request, response) {
      // Slack redelivers events that get a 503.
      if (!opened) return void response.writeHead(503).end();
      response.once('finish', () => {
        if (response.statusCode === 401) log.warn({}, wrongSignature);
        if (isSigned || response.statusCode !== 200 || !isEvent(request)) return;
        isSigned = true;
        onSigned?.();
      });
      try {
        receiver.requestListener(request, response);
      } catch {
        // Bolt throws for any other path or method.
        response.writeHead(404).end();
      }
    },
  };
}

/** Forms may come unsigned: Bolt answers Slack's `ssl_check` without a signature. */
function isEvent({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

const wrongSignature =
  'a request to /slack/events was refused: it is not signed with SLACK_SIGNING_SECRET; if Slack sent it, copy the Signing Secret from “Basic Information” of your app at https://api.slack.com/apps, and check this machine’s clock';
