import type { Upload } from '../attachments.ts';
import type { RateLimit } from '../rate-limits.ts';

/** A request to an endpoint. */
export interface Call {
  /** A part of the path by its name in the endpoint's. */
  param(name: string): string;
  query: URLSearchParams;
  /** The JSON of the body, or of its `payload_json` part; undefined without one. */
  body: unknown;
  /** The files of a multipart body, in the order of their numbers. */
  files: Upload[];
}

/** One operation of the REST API. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the names of its parts, such as `/channels/:channel/messages`. */
  path: string;
  /** A token in the path authorises the call; such calls do not count to the limit of all. */
  tokenInPath?: true;
  limit?: RateLimit;
  /** The status of an answer with a body; 200 unless given. */
  status?: 201;
  /**
   * The answer's body, or undefined for 204.
   * @throws {DiscordRefusal}
   */
  handle(call: Call): object | undefined | Promise<object | undefined>;
}
