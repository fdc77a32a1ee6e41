import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { privateMode } from './private-files.ts';

/** Returns once the disk has a file, or a folder with everything in it. */
export function syncTree(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) syncTree(join(path, name));
  if (isFolder) syncFolder(path);
  else syncFile(path);
}

/** Returns once the disk has the names in a folder. Windows has no call for it. */
export function syncFolder(path: string): void {
  if (process.platform !== 'win32') syncFile(path);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Moves a file or folder, and returns once the disk has it at its new place. */
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
