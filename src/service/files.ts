import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFolder, makePrivate } from '../shared/primitives/private-files.ts';
import { createUuid } from './identifiers.ts';

/** The files of sources, named by the source's uuid: a user's file name is never a path. */
export interface Files {
  /** A new path for a file that is still arriving. */
  createIncomingPath(): string;
  /** Turns the file at an incoming path into a source's file. */
  keep(incomingPath: string, uuid: string): void;
  path(uuid: string): string;
  has(uuid: string): boolean;
  remove(uuid: string): void;
}

/**
 * Stores files under `directory`, for its owner alone; those that others could read become so. Removes
 * what an earlier process left incomplete, or without a source (not in `known`).
 */
export function createFiles(directory: string, known: ReadonlySet<string>): Files {
  const incoming = join(directory, 'incoming');
  const sources = join(directory, 'sources');
  rmSync(incoming, { recursive: true, force: true });
  for (const folder of [directory, incoming, sources]) createPrivateFolder(folder);
  for (const name of readdirSync(sources)) {
    const file = join(sources, name);
    if (known.has(name)) makePrivate(file);
    else rmSync(file, { recursive: true, force: true });
  }

  const path = (uuid: string) => join(sources, uuid);

  return {
    createIncomingPath: () => join(incoming, createUuid()),
    keep(incomingPath, uuid) {
      renameSync(incomingPath, path(uuid));
    },
    path,
    has: (uuid) => existsSync(path(uuid)),
    remove(uuid) {
      rmSync(path(uuid), { force: true });
    },
  };
}
