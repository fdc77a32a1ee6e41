import { FormData, Response } from 'undici';
import type { TextFile } from '../conversation/ports.ts';

/**
 * Encodes a message with a file as a multipart body. The library's own form data works only with
 * its bundled copy of undici, not with a newer one in the process.
 */
export async function encodeFile({ name, text }: TextFile, message: object) {
  const form = new FormData();
  form.set('payload_json', JSON.stringify(message));
  form.set('files[0]', new Blob([text], { type: 'text/plain; charset=utf-8' }), name);
  const encoded = new Response(form);
  return {
    body: await encoded.bytes(),
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    passThroughBody: true,
  };
}
