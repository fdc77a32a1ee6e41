import { createLru } from '../../shared/primitives/lru.ts';
import type { SlackFile } from './files.ts';
import { newId, newSecret } from './identifiers.ts';

/** Files that the app has announced but not yet shared. */
export interface Uploads {
  /** Returns a URL for a file's bytes, valid for 10 minutes. */
  announce(name: string, length: number): Announced;
  /** The upload that belongs to a URL's ticket. */
  byTicket(ticket: string): Announced | undefined;
  /** The upload with this file id, which is then removed. */
  claim(id: string): SlackFile | undefined;
}

/** A file uploaded in two steps: first its bytes, then where it is shared. */
interface Announced {
  /** The file's id once its bytes have arrived. */
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
  const uploads = createLru<Announced>(maxUploads);
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
