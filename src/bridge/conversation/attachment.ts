import { z } from 'zod';

/** A file beside a question, as it is stored until it is read. */
export const Attachment = z.object({
  name: z.string(),
  /** Bytes, as reported by the platform. */
  size: z.number(),
  contentType: z.string().optional(),
  /** What `Thread.readFile` needs to read it; JSON. */
  ref: z.unknown(),
});
export type Attachment = z.infer<typeof Attachment>;

/** A file that can be read once. */
export interface AttachedFile extends Pick<Attachment, 'name' | 'size' | 'contentType'> {
  content: AsyncIterable<Uint8Array>;
}

/** Writes down what is said in a sound file. */
export type Transcribe = (file: AttachedFile, signal: AbortSignal) => Promise<string>;
