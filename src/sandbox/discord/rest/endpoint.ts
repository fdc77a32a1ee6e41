import type { Upload } from '../attachments.ts';
import type { RateLimit } from '../rate-limits.ts';

/** A request to an endpoint. */
export interface Call {
  /** A path parameter by name. */
  param(name: string): string;
  query: URLSearchParams;
  /** The JSON body, or the `payload_json` part; undefined if there is none. */
  body: unknown;
  /** The files of a multipart body, in numeric order. */
  files: Upload[];
}

/** One operation of the REST API. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters, as in `/channels/:channel/messages`. */
  path: string;
  /**
   * Whether a token in the path authorises the call; such calls don't count towards the global
   * limit.
   */
  tokenInPath?: true;
  limit?: RateLimit;
  /** The status of a response with a body; 200 by default. */
  status?: 201;
  /**
   * The answer's body, or undefined for 204.
   * @throws {DiscordRefusal}
   */
  handle(call: Call): object | undefined | Promise<object | undefined>;
}
