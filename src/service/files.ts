import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createUuid } from './identifiers.ts';

/** The files behind sources, named by the source's uuid: what a user named a file is never a path. */
export interface Files {
  /** A path of its own for a file that is still arriving. */
  createIncomingPath(): string;
  /** Makes the file at an incoming path a source's. */
  keep(incomingPath: string, uuid: string): void;
  path(uuid: string): string;
  has(uuid: string): boolean;
  remove(uuid: string): void;
}

/**
 * Keeps files under `directory`. What a former process left half arrived, or without a source (not
 * in `known`), is removed.
 */
export function createFiles(directory: string, known: ReadonlySet<string>): Files {
  const incoming = join(directory, 'incoming');
  const sources = join(directory, 'sources');
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { recursive: true });
  mkdirSync(sources, { recursive: true });
  for (const name of readdirSync(sources)) {
    if (!known.has(name)) rmSync(join(sources, name), { recursive: true, force: true });
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
