import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';

const preload = 'src/service/ingestion/stripped-modules.js';

test('a module is loaded without its types as long as it has not changed', async () => {
  const unchanged = `export const unchanged: string = 'its types stripped at the start';`;
  const edited = `export const edited: string = 'as it is now';`;
  const root = createProject({
    'src/unchanged.ts': unchanged,
    'src/edited.ts': edited,
    'src/added.ts': `export const added: string = 'as it is';`,
    'node_modules/.cache/causeway/stripped-modules.json': JSON.stringify({
      'src/unchanged.ts': {
        source: unchanged,
        code: `export const unchanged = 'its types stripped before';`,
      },
      'src/edited.ts': {
        source: `export const edited: string = 'as it was';`,
        code: `export const edited = 'as it was';`,
      },
    }),
  });
  expect(await load(root, ['unchanged', 'edited', 'added'])).toEqual({
    unchanged: 'its types stripped before',
    edited: 'as it is now',
    added: 'as it is',
  });
});

test('modules load as they are when what npm ci makes is missing or damaged', async () => {
  const module = { 'src/module.ts': `export const module: string = 'as it is';` };
  const damaged = { 'node_modules/.cache/causeway/stripped-modules.json': '{"src/module.ts":' };
  const roots = [createProject(module), createProject({ ...module, ...damaged })];
  for (const root of roots) expect(await load(root, ['module'])).toEqual({ module: 'as it is' });
});

/** A folder with the preloaded module and other files. */
function createProject(files: Record<string, string>): string {
  const root = createTemporaryFolder();
  cpSync(fileURLToPath(new URL(`../../../${preload}`, import.meta.url)), join(root, preload));
  for (const [path, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** What modules of `src` export together, in a process of its own. */
async function load(root: string, names: string[]): Promise<unknown> {
  const imports = names.map((name) => `...(await import('./src/${name}.ts'))`);
  const code = `console.log(JSON.stringify({ ${imports.join(', ')} }))`;
  const options = [`--import=./${preload}`, '--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: root });
  return JSON.parse(stdout);
}
