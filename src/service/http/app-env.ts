import type { IncomingMessage } from 'node:http';

/** What the server and middleware tell the handlers behind them. */
export interface AppEnv {
  Bindings: {
    /** The request as Node has it; absent where it came over no socket. */
    incoming?: IncomingMessage;
  };
  Variables: {
    owner: string;
    /** Headers of the answer, whatever it will be. */
    answerHeaders: Record<string, string>;
  };
}
