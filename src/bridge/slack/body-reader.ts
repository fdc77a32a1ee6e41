import type { IncomingMessage } from 'node:http';
import { RefusedRequest, type RefusalReason } from './refusal.ts';

/** What a single body may take. */
export interface BodyLimits {
  maxBytes: number;
  /** For the whole body, in ms. */
  timeoutMs: number;
}

/** What all bodies that are being read may take together. */
export interface ReadingLimits {
  maxBodies: number;
  /** Of memory. */
  maxHeldBytes: number;
}

/** Reads the bodies of requests whose senders are not known yet. */
export interface BodyReader {
  /** @throws {RefusedRequest} when it is too large, late or incomplete, or had to make room for others */
  read(request: IncomingMessage, limits: BodyLimits): Promise<Buffer>;
}

interface Reading {
  refuse(reason: RefusalReason): void;
}

/**
 * Above the limits, whoever has waited longest makes room. What Slack sends arrives at once, so
 * senders that stall keep it out only if they come faster than it arrives.
 */
export function createBodyReader({ maxBodies, maxHeldBytes }: ReadingLimits): BodyReader {
  /** Oldest first. */
  const readings = new Set<Reading>();
  let heldBytes = 0;

  function makeRoom(): void {
    for (const oldest of readings) {
      if (readings.size <= maxBodies && heldBytes <= maxHeldBytes) return;
      oldest.refuse('crowded');
    }
  }

  return {
    read(request, { maxBytes, timeoutMs }) {
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      // Parts are copied, because each is an object and may hold a single byte. `transfer` frees the
      // smaller buffer at once; as garbage, such buffers would pile up as fast as bytes are sent.
      let held = new ArrayBuffer();
      let size = 0;

      function grow(bytes: number): void {
        heldBytes -= held.byteLength;
        held = held.transfer(Math.min(maxBytes, Math.max(bytes, 2 * size)));
        heldBytes += held.byteLength;
      }
      function take(part: Buffer): void {
        const bytes = size + part.length;
        if (bytes > maxBytes) return reading.refuse('tooLarge');
        if (bytes > held.byteLength) grow(bytes);
        new Uint8Array(held).set(part, size);
        size = bytes;
        makeRoom();
      }
      /** False if it has ended before. */
      function end(): boolean {
        if (!readings.delete(reading)) return false;
        clearTimeout(timer);
        heldBytes -= held.byteLength;
        request.off('data', take).pause();
        return true;
      }
      const reading: Reading = {
        refuse(reason) {
          if (!end()) return;
          held.transfer(0);
          reject(new RefusedRequest(reason));
        },
      };
      const timer = setTimeout(() => reading.refuse('late'), timeoutMs);
      readings.add(reading);
      request.on('data', take);
      request.once('end', () => {
        if (end()) resolve(Buffer.from(held, 0, size));
      });
      request.once('close', () => reading.refuse('incomplete'));
      makeRoom();
      return promise;
    },
  };
}
