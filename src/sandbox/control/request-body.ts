import type { Context } from 'hono';
import type { z } from 'zod';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import { maxFileBytes } from '../contents.ts';

/** A request that the control API rejects, with a sentence for the client. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: 400 | 404 | 413 | 415 | 503;
  constructor(status: ControlError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** A file in a request. */
export interface SentFile {
  name: string;
  type?: string;
  bytes: Uint8Array;
}

/** Max bytes of a request without files, and with them. */
const maxJsonBytes = 256 * 1024;
const maxFormBytes = 64 * 1024 * 1024;
const maxFiles = 10;

/**
 * Reads a request: JSON, or a multipart form with JSON in its field `json` and files in other
 * fields, by their names.
 * @throws {ControlError} 415 for another type, 413 when too large, 400 when invalid
 */
export async function readBody<T>(
  context: Context,
  schema: z.ZodType<T>,
): Promise<{ body: T; files: Record<string, SentFile[]> }> {
  const type = context.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') {
    const bytes = await readBytes(context, maxJsonBytes);
    return { body: parseJson(bytes.toString(), schema), files: {} };
  }
  if (type !== 'multipart/form-data') {
    throw new ControlError(415, 'Send application/json or multipart/form-data.');
  }
  const form = await readForm(context);
  const json = form.get('json');
  if (typeof json !== 'string') {
    throw new ControlError(400, 'json: is missing; it is the field with the request itself.');
  }
  return { body: parseJson(json, schema), files: await readFiles(form) };
}

function readBytes({ req }: Context, max: number): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () => new ControlError(413, `The request is larger than ${max} bytes.`);
  return readUpTo(req.raw.body, max, tooLarge);
}

async function readForm(context: Context): Promise<FormData> {
  const bytes = await readBytes(context, maxFormBytes);
  const headers = { 'content-type': context.req.header('content-type') ?? '' };
  try {
    return await new Response(bytes, { headers }).formData();
  } catch {
    throw new ControlError(400, 'The form is malformed or incomplete.');
  }
}

async function readFiles(form: FormData): Promise<Record<string, SentFile[]>> {
  const files: Record<string, SentFile[]> = Object.create(null);
  let count = 0;
  for (const [field, value] of form) {
    if (typeof value === 'string') continue;
    count += 1;
    if (count > maxFiles) throw new ControlError(400, `Send at most ${maxFiles} files at once.`);
    if (value.size > maxFileBytes) {
      throw new ControlError(413, `${value.name} is larger than ${maxFileBytes / 1024 / 1024} MB.`);
    }
    const bytes = new Uint8Array(await value.arrayBuffer());
    const file = { name: value.name || 'file', type: value.type || undefined, bytes };
    (files[field] ??= []).push(file);
  }
  return files;
}

function parseJson<T>(text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ControlError(400, 'The request is not JSON.');
  }
  return parseWith(schema, value);
}

/**
 * Parses a value with a schema.
 * @throws {ControlError} 400 naming each invalid field
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message, input }) => {
    const words = input === undefined ? 'is missing' : message;
    return path.length > 0 ? `${path.join('.')}: ${words}` : words;
  });
  throw new ControlError(400, faults.join('; '));
}
