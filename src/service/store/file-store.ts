import { open } from 'node:fs/promises';
import type { Queries } from './schema.ts';

/** The uploaded files of sources, which go with their source. */
interface FileStore {
  /** Stores a file as the source's. */
  put(source: string, path: string): Promise<void>;
  /**
   * Writes a source's file to a path.
   * @returns false if it has none
   */
  copyTo(path: string, source: string): Promise<boolean>;
}

const partBytes = 1024 * 1024;

/** Stores files in parts, so that neither a write nor a read holds a whole one. */
export function createFileStore(db: Queries): FileStore {
  return {
    async put(source, path) {
      await using file = await open(path);
      const data = Buffer.alloc(partBytes);
      for (let part = 0; ; part += 1) {
        const { bytesRead } = await file.read(data, 0, partBytes, part * partBytes);
        if (bytesRead === 0) return;
        const row = { source, part, data: data.subarray(0, bytesRead) };
        await db.insertInto('sourceFiles').values(row).execute();
      }
    },
    async copyTo(path, source) {
      await using file = await open(path, 'wx', 0o600);
      for (let part = 0; ; part += 1) {
        const row = await db
          .selectFrom('sourceFiles')
          .select('data')
          .where('source', '=', source)
          .where('part', '=', part)
          .executeTakeFirst();
        if (!row) return part > 0;
        await file.write(row.data);
      }
    },
  };
}
