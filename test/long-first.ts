import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files. Begun last, they would run alone in the end. */
const long = [
  /\/sandbox\/page\.test/,
  /\/bench\/crash\//,
  /\/e2e\/(?:process|start-and-stop|commands-cut-off)/,
];
/** Folders with files of some seconds. */
const slow = /\/(?:e2e|service|security|app|slack|discord)\//;

/**
 * Starts the longest files first, as a clean clone knows no durations. The others come in an order that
 * mixes the folders: files that wait for sockets and processes beside files that compute.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex((pattern) => pattern.test(moduleId));
      if (at !== -1) return at;
      return slow.test(moduleId) ? long.length : long.length + 1;
    };
    const mixed = files.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1));
    return mixed.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** The same in every clone. */
function digest({ project, moduleId }: TestSpecification): string {
  const path = moduleId.slice(project.config.root.length);
  return createHash('sha256').update(path).digest('hex');
}
