/** What the gateway sends and a session counts: https://docs.discord.com/developers/events/gateway-events */
export interface Dispatch {
  op: 0;
  t: string;
  s: number;
  d: object;
}

/** What the bot is told, which outlives the connection it is told over. */
export interface Session {
  readonly id: string;
  readonly intents: number;
  /** Tells the bot, now when it is connected, and when it resumes otherwise. */
  emit(name: string, data: object): void;
  attach(send: (dispatch: Dispatch) => void): void;
  /** Stops sending, unless another connection has taken the session over. */
  detach(send: (dispatch: Dispatch) => void): void;
  /** What was sent after a sequence number, or undefined where that is no longer known. */
  since(sequence: number): Dispatch[] | undefined;
}

const maxKeptEvents = 1_000;

/** A session that keeps its last thousand dispatches for resuming. */
export function createSession(id: string, intents: number): Session {
  const kept: Dispatch[] = [];
  let sequence = 0;
  let receiver: ((dispatch: Dispatch) => void) | undefined;
  return {
    id,
    intents,
    emit(name, data) {
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
