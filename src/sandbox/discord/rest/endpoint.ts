import type { Context } from 'hono';
import { readUpTo } from '../../../shared/primitives/bytes.ts';
import type { Upload } from '../attachments.ts';
import type { RateLimit } from '../rate-limits.ts';
import { DiscordRefusal, refusal } from '../refusals.ts';

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

/**
 * What answers a call: the body, or nothing for 204.
 * @throws {DiscordRefusal}
 */
type Handle = (call: Call) => object | void | Promise<object | void>;

/** One operation of the REST API. */
export interface Endpoint {
  /**
   * Whether a token in the path authorises the call; such calls don't count towards the global
   * limit.
   */
  tokenInPath?: true;
  limit?: RateLimit;
  /** The status of a response with a body; 200 by default. */
  status?: 201;
  handle: Handle;
}

/** Operations by method and path, as in `GET /channels/:channel/messages`. */
export type Endpoints = Record<string, Handle | Endpoint>;

/** Two files of the max size, plus their metadata. */
const maxBytes = 26 * 1024 * 1024;
const maxJsonBytes = 1024 * 1024;

/**
 * A call with its body read.
 * @throws {DiscordRefusal} 40005 when the body is too large, 50109 when it is not JSON
 */
export async function readCall(context: Context): Promise<Call> {
  const { req } = context;
  return {
    param: (name) => req.param(name) ?? '',
    query: new URL(req.url).searchParams,
    ...(await readBody(req.raw)),
  };
}

async function readBody(request: Request): Promise<Pick<Call, 'body' | 'files'>> {
  const type = request.headers.get('content-type') ?? '';
  const isMultipart = type.startsWith('multipart/form-data');
  const max = isMultipart ? maxBytes : maxJsonBytes;
  const bytes = await readUpTo(request.body, max, () => refusal(40005));
  if (bytes.byteLength === 0) return { body: undefined, files: [] };
  if (isMultipart) return readMultipart(bytes, type);
  return { body: parseJson(bytes.toString()), files: [] };
}

/** https://docs.discord.com/developers/reference#uploading-files */
async function readMultipart(
  bytes: Buffer<ArrayBuffer>,
  type: string,
): Promise<Pick<Call, 'body' | 'files'>> {
  const form = await new Response(bytes, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new DiscordRefusal(400, 50035, 'Invalid Form Body');
    });
  const numbered: [number, Upload][] = [];
  for (const [field, value] of form) {
    const number = /^files?\[(\d+)\]$/.exec(field)?.[1];
    if (typeof value === 'string' || number === undefined) continue;
    numbered.push([Number(number), await toUpload(value)]);
  }
  const json = form.get('payload_json');
  return {
    body: typeof json === 'string' ? parseJson(json) : undefined,
    files: numbered.toSorted(([one], [other]) => one - other).map(([, upload]) => upload),
  };
}

async function toUpload(file: File): Promise<Upload> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, bytes, type: file.type || undefined };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(50109);
  }
}
