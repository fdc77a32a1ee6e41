import type { DatabaseSync } from 'node:sqlite';

/** Max bytes of one file. */
export const maxFileBytes = 25 * 1024 * 1024;
/** Max bytes of all files together; beyond it, the oldest files are deleted. */
const maxTotalBytes = 200 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** The bytes of files, stored in pieces so that neither a write nor a read holds a whole file. */
export interface Contents {
  /**
   * Stores a file under a new id and resolves with its size in bytes.
   * @throws {ContentTooLarge} when it is larger than 25 MB; nothing is stored then
   */
  write(id: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number>;
  /**
   * A new stream of the file; undefined if it was never stored or has been deleted to make room.
   */
  read(id: string): ReadableStream<Uint8Array> | undefined;
  delete(id: string): void;
}

/** The file is larger than the sandbox's limit. */
export class ContentTooLarge extends Error {
  override readonly name = 'ContentTooLarge';
  constructor() {
    super(`The file is larger than ${maxFileBytes / 1024 / 1024} MB, the sandbox’s limit.`);
  }
}

/** Stores files in a table of `database`, which the caller closes. */
export function createContents(database: DatabaseSync): Contents {
  const insert = database.prepare('INSERT INTO contents (id, piece, bytes) VALUES (?, ?, ?)');
  const select = database.prepare('SELECT bytes FROM contents WHERE id = ? AND piece = ?');
  const remove = database.prepare('DELETE FROM contents WHERE id = ?');
  const total = database.prepare('SELECT coalesce(sum(length(bytes)), 0) AS size FROM contents');
  const oldest = database.prepare('SELECT id FROM contents ORDER BY position LIMIT 1');

  function makeRoom(): void {
    while (Number(total.get()?.['size']) > maxTotalBytes) remove.run(String(oldest.get()?.['id']));
  }

  function readPiece(id: string, piece: number): Uint8Array | undefined {
    const bytes = select.get(id, piece)?.['bytes'];
    return bytes instanceof Uint8Array ? bytes : undefined;
  }

  return {
    async write(id, bytes) {
      let size = 0;
      let piece = 0;
      let pending: Uint8Array[] = [];
      let pendingSize = 0;
      const flush = () => {
        insert.run(id, piece++, Buffer.concat(pending));
        pending = [];
        pendingSize = 0;
      };
      try {
        for await (const part of bytes) {
          size += part.byteLength;
          if (size > maxFileBytes) throw new ContentTooLarge();
          pending.push(part);
          pendingSize += part.byteLength;
          if (pendingSize >= pieceBytes) flush();
        }
        if (pendingSize > 0 || piece === 0) flush();
      } catch (error) {
        remove.run(id);
        throw error;
      }
      makeRoom();
      return size;
    },
    read(id) {
      if (!readPiece(id, 0)) return undefined;
      let piece = 0;
      return new ReadableStream({
        pull(controller) {
          const bytes = readPiece(id, piece++);
          if (bytes) controller.enqueue(bytes);
          else controller.close();
        },
      });
    },
    delete(id) {
      remove.run(id);
    },
  };
}
