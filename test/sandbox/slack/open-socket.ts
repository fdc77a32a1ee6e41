import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { SlackWorkspace } from '../../../src/sandbox/slack/slack-workspace.ts';
import { createClient } from './serve-workspace.ts';

export interface SocketFrame {
  type: string;
  envelope_id?: string;
  reason?: string;
  retry_attempt?: number;
  retry_reason?: string;
  accepts_response_payload?: boolean;
  num_connections?: number;
  payload?: { event?: { type: string; [field: string]: unknown }; [field: string]: unknown };
}

/** A Socket Mode connection under the test's own hands, which acknowledges nothing by itself. */
export async function openSocket(slack: SlackWorkspace) {
  const opened = await createClient(slack, slack.credentials.appToken).apps.connections.open({});
  const socket = new WebSocket(String(opened.url));
  const frames: SocketFrame[] = [];
  const waiting: ((frame: SocketFrame) => void)[] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as SocketFrame;
    const next = waiting.shift();
    if (next) next(frame);
    else frames.push(frame);
  });
  const pinged = once(socket, 'ping');
  await once(socket, 'open');
  return {
    url: String(opened.url),
    socket,
    /** The next frame, in the order they came. */
    async next(): Promise<SocketFrame> {
      const frame = frames.shift();
      return frame ?? new Promise((resolve) => waiting.push(resolve));
    },
    acknowledge(frame: SocketFrame, payload: object = {}): void {
      socket.send(JSON.stringify({ envelope_id: frame.envelope_id, payload }));
    },
    pinged,
    closed: once(socket, 'close'),
  };
}
