// `npm run mutations`: changes the code in 200 places, one at a time, and tells what no test notices.
// Processes that tests start run the code as it is.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type Vite,
} from 'vitest/node';
import { drawChanges, instrument } from './mutations/changes.ts';

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    folder: {
      type: 'string',
      multiple: true,
      default: ['src/bridge/conversation', 'src/service/retrieval'],
    },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '200' },
  },
});
const root = resolve(values.root);
const changes = drawChanges(root, values.folder, {
  seed: Number(values.seed),
  count: Number(values.count),
}).map((change, id) => ({ ...change, id }));
type Change = (typeof changes)[number];
const changesByFile = Map.groupBy(changes, ({ path }) => join(root, path));

/** The code of one run holds all changes, so each file is transformed once; none is written. */
const transform: Vite.Plugin = {
  name: 'mutations',
  enforce: 'pre',
  transform(code, id) {
    const inFile = changesByFile.get(id);
    return inFile && { code: instrument(code, inFile), map: null };
  },
};

/** Runs files in the order they are given in. */
class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** While a change is made, the first file that fails. */
let failed: TestModule | undefined;
let isChanged = false;
/** An endless loop ends no test. Every test that ends gives the next ones this time. */
const stallMilliseconds = 40_000;
let stalled: NodeJS.Timeout | undefined;

function noteEnd(module: TestModule, isFailed: boolean): void {
  stalled?.refresh();
  if (!isChanged || !isFailed) return;
  failed ??= module;
  void vitest.cancelCurrentRun('test-failure');
}

const vitest = await createVitest(
  {
    root,
    watch: false,
    related: [...changesByFile.keys()],
    // A browser clicks through the sandbox's page for a minute.
    exclude: ['test/sandbox/page.test.ts'],
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 15_000,
    silent: true,
    // It would keep the changed code.
    experimental: { viteModuleRunner: true },
    fsModuleCache: false,
    sequence: { sequencer: AsGiven },
    reporters: [
      {
        onTestCaseResult: (test) => noteEnd(test.module, test.result().state === 'failed'),
        onTestModuleEnd: (module) => noteEnd(module, !module.ok()),
      },
    ],
  },
  {
    plugins: [transform],
    test: { setupFiles: [join(import.meta.dirname, 'mutations/setup.ts')] },
  },
);

/** The tests of a file that reach a change, and how long they take together. */
interface Reach {
  module: TestModule;
  testIds: string[];
  milliseconds: number;
}

/** Runs the tests without a change; tells for each change which ones reach it, the quickest first. */
async function findReaches(): Promise<Map<number, Reach[]>> {
  const { testModules } = await vitest.start();
  const reaches = new Map<number, Reach[]>();
  for (const module of testModules) {
    if (!module.ok()) process.stderr.write(`fails without a change: ${module.relativeModuleId}\n`);
    const inFile = new Map<number, Reach>();
    for (const test of module.children.allTests('passed')) {
      const reached = [...(module.meta().reached ?? []), ...(test.meta().reached ?? [])];
      for (const id of new Set(reached)) {
        const reach = inFile.getOrInsert(id, { module, testIds: [], milliseconds: 0 });
        reach.testIds.push(test.id);
        reach.milliseconds += test.diagnostic()?.duration ?? 0;
      }
    }
    for (const [id, reach] of inFile) reaches.getOrInsert(id, []).push(reach);
  }
  for (const found of reaches.values()) found.sort((a, b) => a.milliseconds - b.milliseconds);
  return reaches;
}

type Outcome = TestModule | 'error' | 'time-out' | undefined;

/** Runs tests with a change made, or none, until one fails. */
async function run(change: Change | undefined, reaches: Reach[]): Promise<Outcome> {
  process.env['MUTATION'] = String(change?.id);
  failed = undefined;
  let isStalled = false;
  stalled = setTimeout(() => {
    isStalled = true;
    // The second call ends a worker that doesn't hear the first.
    void vitest.cancelCurrentRun('test-failure');
    void vitest.cancelCurrentRun('test-failure');
  }, stallMilliseconds);
  const specifications = reaches.map(({ module, testIds }) =>
    module.project.createSpecification(module.moduleId, { testIds }),
  );
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  clearTimeout(stalled);
  if (isStalled) return 'time-out';
  return failed ?? (unhandledErrors.length > 0 ? 'error' : undefined);
}

/** Who notices a change. A test that then fails without the change too has not noticed it. */
async function findNoticing(change: Change, reaches: Reach[]): Promise<Outcome> {
  if (reaches.length === 0) return undefined;
  const outcome = await run(change, reaches);
  if (typeof outcome !== 'object') return outcome;
  const isOwn = ({ module }: Reach) => module.moduleId === outcome.moduleId;
  const isUnreliable = await run(undefined, reaches.filter(isOwn));
  if (!isUnreliable) return outcome;
  return findNoticing(
    change,
    reaches.filter((reach) => !isOwn(reach)),
  );
}

const reachesByChange = await findReaches();
isChanged = true;
const unnoticed: string[] = [];
for (const change of changes) {
  const reaches = reachesByChange.get(change.id) ?? [];
  const outcome = await findNoticing(change, reaches);
  const place = `${change.path}:${change.line} ${change.text}`;
  const by = typeof outcome === 'object' ? outcome.relativeModuleId : outcome;
  process.stderr.write(`${place}: ${by ?? 'NOT NOTICED'}\n`);
  if (!outcome) unnoticed.push(`${place} (reached by ${reaches.length} test files)`);
}
await vitest.close();

const noticed = changes.length - unnoticed.length;
process.stdout.write(
  `The tests notice ${noticed} of ${changes.length} changes. They don't notice:\n`,
);
process.stdout.write(`${unnoticed.toSorted().join('\n')}\n`);
process.exitCode = 0;
