import { FormData, Response } from 'undici';
import type { TextFile } from '../conversation/ports.ts';

/**
 * A message with a file, ready to send. The library's own forms only pass through the copy of undici
 * that it brought along, and not where the process has a newer one.
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
