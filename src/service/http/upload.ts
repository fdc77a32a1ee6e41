import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { privateMode } from '../../shared/primitives/private-files.ts';
import type { RefusedKind } from '../../shared/problems/problem.ts';
import { maxPictureBytes, pictureType } from '../answer/pictures.ts';
import { HttpError } from '../http-error.ts';
import { sniff } from '../ingestion/sniff.ts';
import { toFieldName } from './parse.ts';
import { readParts, readUnpacked } from './request-body.ts';

/** A fully received file. */
export interface ReceivedFile {
  path: string;
  fileName: string;
  contentType: string;
  bytes: number;
  /** SHA-256 of its content, in hex. */
  digest: string;
  /** The type of a picture that a model can see. */
  picture?: string;
}

interface Upload {
  file: ReceivedFile;
  /** The form's other fields. */
  fields: Record<string, string>;
}

interface UploadOptions {
  /** The path to write the file to. */
  path: string;
  maxBytes: number;
  /** Whether pictures are accepted. */
  takesPictures: boolean;
  /** Timeout for each part of the form. */
  timeoutMs: number;
  /** Node's request, read instead of its body, which would be a copy. */
  incoming?: IncomingMessage;
}

/** Max bytes of the form without the file. */
const maxFormBytes = 256 * 1024;

const sniffedBytes = 16 * 1024;

/**
 * Writes the `file` of a multipart form to disk as it arrives.
 * @throws {HttpError} 400 when the form is malformed, has no file, several, or a file of an
 * unsupported type, 408 when it stalls, 413 when the file is too large, 415 when the body is not a
 * form, or packed in an unknown way
 */
export async function receiveUpload(request: Request, options: UploadOptions): Promise<Upload> {
  const form = createForm(request, options.maxBytes);
  const fields = new Map<string, string>();
  const stop = new AbortController();
  let saving: Promise<ReceivedFile> | undefined;

  // Errors are awaited below; later ones add nothing.
  form.on('error', ignore);
  form.on('field', (name, value, _nameIsCut, isCut) => {
    if (isCut) {
      const params = { field: toFieldName(name) };
      form.destroy(new HttpError(413, { code: 'form_field_too_large', params }));
    }
    fields.set(name, value);
  });
  form.on('filesLimit', () => form.destroy(new HttpError(400, 'upload_several')));
  form.on('file', (_name, stream, fileName, _encoding, contentType) => {
    stream.on('error', ignore);
    saving = save(stream, { fileName: toFileName(fileName), contentType, ...options }, stop.signal);
    saving.catch((error: Error) => form.destroy(error));
  });

  try {
    await feed(form, readUnpacked(request, options.incoming), options);
  } catch (error) {
    stop.abort();
    await Promise.allSettled([saving]);
    throw toHttpError(error);
  }
  if (saving === undefined) {
    throw new HttpError(400, 'upload_missing');
  }
  const file = await saving;
  if (file.bytes === 0) {
    throw new HttpError(400, { code: 'upload_empty', params: { name: file.fileName } });
  }
  return { file, fields: Object.fromEntries(fields) };
}

function ignore(): void {}

function createForm(request: Request, maxBytes: number): BusboyInstance {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw new HttpError(415, 'form_not_multipart');
  }
  if (Number(request.headers.get('content-length')) > maxBytes + maxFormBytes) {
    throw tooLarge(maxBytes);
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fileSize: maxBytes,
        files: 1,
        fields: 20,
        fieldSize: 16 * 1024,
        parts: 21,
        headerPairs: 20,
        headerSize: 8 * 1024,
      },
    });
  } catch (error) {
    throw toHttpError(error);
  }
}

/** Writes the body into the form, until the form fails. */
async function feed(
  form: BusboyInstance,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, timeoutMs }: UploadOptions,
): Promise<void> {
  const finished = once(form, 'finish');
  finished.catch(ignore);
  let bytes = 0;
  for await (const part of readParts(body, timeoutMs)) {
    bytes += part.byteLength;
    if (bytes > maxBytes + maxFormBytes) throw tooLarge(maxBytes);
    // A form that has failed accepts nothing, and `finished` rejects with the reason.
    if (!form.write(part)) await Promise.race([once(form, 'drain'), finished]);
  }
  if (bytes === 0) throw new HttpError(400, 'form_empty');
  form.end();
  await finished;
}

async function save(
  stream: BusboyFileStream,
  target: UploadOptions & { fileName: string; contentType: string },
  signal: AbortSignal,
): Promise<ReceivedFile> {
  const { path, fileName, contentType, maxBytes } = target;
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let bytes = 0;

  async function* inspect(parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      if (bytes < sniffedBytes) head.push(part.subarray(0, sniffedBytes - bytes));
      bytes += part.byteLength;
      hash.update(part);
      yield part;
      if (stream.truncated) throw tooLarge(maxBytes);
    }
    if (stream.truncated) throw tooLarge(maxBytes);
  }

  await pipeline(stream, inspect, createWriteStream(path, { mode: privateMode, flush: true }), {
    signal,
  });
  const start = Buffer.concat(head);
  const picture = target.takesPictures ? pictureType(start) : undefined;
  if (picture === undefined) requireAllowed(start, fileName, contentType);
  else if (bytes > maxPictureBytes) throw tooLarge(maxPictureBytes);
  return { path, fileName, contentType, bytes, digest: hash.digest('hex'), picture };
}

/** The bytes show a PDF or an archive. Almost anything looks like text, so its name decides. */
function requireAllowed(head: Buffer, fileName: string, contentType: string): void {
  const sniffed = sniff(head, { fileName, contentType });
  const refuse = (kind: RefusedKind) =>
    new HttpError(400, { code: 'upload_refused', params: { name: fileName, kind } });
  if ('refused' in sniffed) throw refuse(sniffed.refused);
  const isText = sniffed.kind !== 'pdf' && sniffed.kind !== 'archived';
  if (isText && !isTextName(fileName)) throw refuse('unknown');
}

/** The extensions of text files. */
const textExtensions = new Set(
  `
  txt text md markdown mdx mkd rst adoc asciidoc org tex ltx bib wiki textile
  log csv tsv tab json jsonl ndjson geojson ipynb yaml yml toml ini cfg conf config env properties
  html htm xhtml xht xml xsl xsd svg rss atom rtf doc eml mbox ics vcf srt vtt sub lrc po pot tmx
  xlf diff patch css scss sass less vue svelte js mjs cjs jsx ts mts cts tsx py pyi rb php java kt kts
  groovy gradle scala clj go rs c h cc cpp cxx hpp hh cs fs vb swift m mm dart lua pl pm r jl ex exs erl
  hs elm ml lisp el scm sql graphql gql proto sh bash zsh fish ps1 bat cmd tf hcl nix cmake mk
  dockerfile asm f90 pas tcl vim
`
    .trim()
    .split(/\s+/),
);

/** A version or date at the end of a name ("Minutes 12.05.2026") says nothing about its type. */
const extensionPattern = /^\.[a-z][a-z\d_-]*$/iu;

/** Whether a text file may have this name: with an extension of text, or none. */
function isTextName(fileName: string): boolean {
  const extension = extname(fileName.trim());
  return !extensionPattern.test(extension) || textExtensions.has(extension.slice(1).toLowerCase());
}

/** Line breaks and other control characters, also those that change the direction of text. */
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A file name for display: without control characters, and shortened. Clients escape quotes and
 * line breaks in it, and nothing else (HTML §4.10.21.8).
 */
function toFileName(fileName = ''): string {
  const name = fileName
    .replace(/%(?:22|0D|0A)/gi, decodeURIComponent)
    .replace(controls, '')
    .trim();
  return name.slice(-255).toWellFormed() || 'file';
}

function tooLarge(maxBytes: number): HttpError {
  const mebibytes = Math.floor((maxBytes / 1024 / 1024) * 10) / 10;
  return new HttpError(413, { code: 'upload_too_large', params: { mebibytes } });
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isSystemError(error)) throw error;
  return new HttpError(400, 'form_malformed', { cause: error });
}

/** A full disk and similar errors are the service's fault, not the client's. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
