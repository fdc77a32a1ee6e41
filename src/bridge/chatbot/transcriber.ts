import { Readable } from 'node:stream';
import { request } from 'undici';
import { z } from 'zod';
import type { Transcribe } from '../conversation/chatbot.ts';
import { PlatformError } from '../conversation/errors.ts';
import { readUpTo } from '../../shared/primitives/bytes.ts';
import type { ModelServer } from '../../shared/primitives/model-server.ts';
import { createMultipart } from './add-source.ts';

/** https://platform.openai.com/docs/api-reference/audio/createTranscription */
const Transcription = z.object({ text: z.string().max(100_000) });

const maxBodyBytes = 1024 * 1024;
/** A local model may take longer than the note lasts. */
const timeoutMs = 120_000;

/**
 * A client of a transcription server. What it says in refusals stays unread: it may repeat the words.
 * It throws PlatformError.
 */
export function createTranscriber({ baseUrl, apiKey, model }: ModelServer): Transcribe {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/audio/transcriptions`;
  return async (file, signal) => {
    const { headers, body } = createMultipart({ model, response_format: 'json' }, file);
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { ...headers, ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
        body: Readable.from(body),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal,
      });
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        throw new Error(`The transcription server answered ${answer.statusCode}`);
      }
      const text = (await readUpTo(answer.body, maxBodyBytes, tooLong)).toString();
      return Transcription.parse(JSON.parse(text)).text;
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      // Its own words: the platform did not deliver the file.
      if (cause instanceof PlatformError) throw cause;
      throw new PlatformError('failed', 'voice_not_transcribed', { cause: error });
    }
  };
}

const tooLong = () => new Error('The transcription is too long');
