import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait for real processes most of the time. Begun last, they would run alone in the end. */
const long = [
  /\/sandbox\/page\.test/,
  /\/bench\/crash\//,
  /\/e2e\/(?:process|start-and-stop|commands-cut-off)/,
  /\/e2e\//,
  /\/service\//,
];

/** Starts the longest files first, as a clean clone knows no durations. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex((pattern) => pattern.test(moduleId));
      return at === -1 ? long.length : at;
    };
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}
