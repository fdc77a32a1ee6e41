import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { privateMode } from './private-files.ts';

/** Returns once the disk has a file. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns once the disk has the names in a folder. Windows has no call for it. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') syncFile(path);
}

/** Moves a file, and returns once the disk has it at its new place. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Writes a private file whole or not at all, and returns once the disk has it. */
export function writeDurably(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text, { mode: privateMode, flush: true });
  renameDurably(unfinished, path);
}
