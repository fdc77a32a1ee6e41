import { LRUCache } from 'lru-cache';
import type { SlackFile } from './files.ts';
import { newId, newSecret } from './identifiers.ts';

/** Files an app has announced and not yet shared. */
export interface Uploads {
  /** Hands out an address to send a file's bytes to, good for 10 minutes. */
  announce(name: string, length: number): Announced;
  /** The upload whose bytes an address takes. */
  byTicket(ticket: string): Announced | undefined;
  /** The upload with a file id; it is forgotten with this. */
  claim(id: string): SlackFile | undefined;
}

/** A file on its way in two steps: its bytes, then its place. */
interface Announced {
  /** The id the file has once its bytes are here. */
  id: string;
  ticket: string;
  name: string;
  length: number;
  expires: number;
  stored?: SlackFile;
}

const lifetimeMs = 600_000;
const maxUploads = 100;

/** Uploads kept in memory, the last hundred. */
export function createUploads(now: () => number): Uploads {
  const uploads = new LRUCache<string, Announced>({ max: maxUploads });
  return {
    announce(name, length) {
      const expires = now() + lifetimeMs;
      const upload = { id: newId('F'), ticket: newSecret(16), name, length, expires };
      uploads.set(upload.id, upload);
      return upload;
    },
    byTicket: (ticket) =>
      [...uploads.values()].find((upload) => upload.ticket === ticket && upload.expires > now()),
    claim(id) {
      const stored = uploads.get(id)?.stored;
      if (stored) uploads.delete(id);
      return stored;
    },
  };
}
