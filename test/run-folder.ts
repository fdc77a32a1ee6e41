import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for what one worker of the run makes for all. */
    runFolder: string;
  }
}

let folder: string | undefined;

export function setup(project: TestProject): void {
  folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  project.provide('runFolder', folder);
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
