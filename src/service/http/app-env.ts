import type { IncomingMessage } from 'node:http';

/** What the server and the middleware pass to the handlers. */
export interface AppEnv {
  Bindings: {
    /** Node's request; absent if the request came over no socket. */
    incoming?: IncomingMessage;
  };
  Variables: {
    owner: string;
    /** Headers of the response, whatever its status. */
    answerHeaders: Record<string, string>;
  };
}
