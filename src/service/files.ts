import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder } from '../shared/primitives/private-files.ts';
import { createUuid } from './identifiers.ts';

/** Files that are only needed for a while: on their way into the database, or out of it to be read. */
export interface TemporaryFiles {
  /** A new path. */
  createPath(): string;
  remove(path: string): Promise<void>;
}

/** Keeps them under `directory`, for its owner alone. Removes what an earlier process left. */
export function createTemporaryFiles(directory: string): TemporaryFiles {
  rmSync(directory, { recursive: true, force: true });
  createPrivateFolder(directory);
  return {
    createPath: () => join(directory, createUuid()),
    remove: (path) => rm(path, { force: true }),
  };
}
