import { publishSent } from '../sent.ts';

/**
 * A dispatch event with its sequence number:
 * https://docs.discord.com/developers/events/gateway-events
 */
export interface Dispatch {
  op: 0;
  t: string;
  s: number;
  d: object;
}

/** A gateway session, which outlives its connection. */
export interface Session {
  readonly id: string;
  readonly intents: number;
  /** Sends the bot an event, now if it is connected, otherwise when it resumes. */
  emit(name: string, data: object): void;
  attach(send: (dispatch: Dispatch) => void): void;
  /** Stops sending, unless another connection has taken over the session. */
  detach(send: (dispatch: Dispatch) => void): void;
  /** The events after a sequence number; undefined if they are no longer kept. */
  since(sequence: number): Dispatch[] | undefined;
}

const maxKeptEvents = 1_000;

/** A session that keeps its last thousand events for a resume. */
export function createSession(id: string, intents: number): Session {
  const kept: Dispatch[] = [];
  let sequence = 0;
  let receiver: ((dispatch: Dispatch) => void) | undefined;
  return {
    id,
    intents,
    emit(name, data) {
      publishSent({ kind: 'event', name, data });
      sequence += 1;
      const dispatch: Dispatch = { op: 0, t: name, s: sequence, d: data };
      kept.push(dispatch);
      if (kept.length > maxKeptEvents) kept.shift();
      receiver?.(dispatch);
    },
    attach(send) {
      receiver = send;
    },
    detach(send) {
      if (receiver === send) receiver = undefined;
    },
    since(seen) {
      const oldest = kept[0]?.s ?? 1;
      if (seen > sequence || seen < oldest - 1) return undefined;
      return kept.filter(({ s }) => s > seen);
    },
  };
}
