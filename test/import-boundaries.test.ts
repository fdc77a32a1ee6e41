import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowedImports, listFolders, rowOf } from '../oxlint.config.ts';

const root = join(import.meta.dirname, '..');
const folders = listFolders();
const rows = Object.keys(allowedImports).filter((row) => row !== 'main.ts');
const packages = [
  ...new Set(Object.values(allowedImports).flat()),
  '@slack/web-api',
  'hono/body-limit',
  'node:http',
  'node:fs/promises',
]
  .filter((name) => !rows.includes(name))
  .map((name) => name.replace('*', 'sqlite'));

/** What the probe in a folder imports, each with the path it writes: all that is not its own. */
function foreignImports(folder: string): [name: string, path: string][] {
  const pathTo = (target: string) => relative(folder, target).replace(/^(?!\.)/, './');
  return [
    ...rows
      .filter((row) => row !== rowOf(folder))
      .map((row): [string, string] => [row, pathTo(`src/${row}/inner/file.ts`)]),
    ['test', pathTo('test/file.ts')],
    ...packages.map((name): [string, string] => [name, name]),
  ];
}

const matches = (name: string, allowed: string) =>
  name === allowed ||
  name.startsWith(`${allowed}/`) ||
  (allowed === 'node:*' && name.startsWith('node:'));

/** A tree with the folders of `src` and a probe in each, and the imports that the linter refuses. */
const tree = mkdtempSync(join(tmpdir(), 'causeway-imports-'));
const refused = new Map<string, string[]>();

beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  cpSync(join(root, 'oxlint.config.ts'), join(tree, 'oxlint.config.ts'));
  cpSync(join(root, 'lint'), join(tree, 'lint'), { recursive: true });
  for (const folder of folders) {
    const depth = folder.split('/').length - rowOf(folder).split('/').length;
    const own = ['./file.ts', '../file.ts', '../../file.ts'].slice(0, depth);
    const paths = [...own, ...foreignImports(folder).map(([, path]) => path)];
    const lines = paths.map((path, at) => `export type { A as A${at} } from '${path}';`);
    mkdirSync(join(tree, folder), { recursive: true });
    writeFileSync(join(tree, folder, 'probe.ts'), lines.join('\n'));
  }
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'json', 'src'], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string; message: string }[];
  };
  for (const { code, filename, message } of diagnostics) {
    if (code !== 'eslint(no-restricted-imports)') continue;
    const path = /^'(.+)' import is restricted/.exec(message)![1]!;
    refused.set(filename, [...(refused.get(filename) ?? []), path]);
  }
});
afterAll(() => rmSync(tree, { recursive: true }));

it('the table has a row for every folder of src, and no other', () => {
  const found = new Set(folders.filter((folder) => folder !== 'src').map(rowOf));
  expect(rows.toSorted()).toEqual([...found].toSorted());
});

it.each(folders)('%s: the linter refuses every import that its row does not list', (folder) => {
  const allowed = allowedImports[rowOf(folder)]!;
  const forbidden = foreignImports(folder)
    .filter(([name]) => !allowed.some((one) => matches(name, one)))
    .map(([, path]) => path);
  expect(refused.get(`${folder}/probe.ts`)?.toSorted()).toEqual(forbidden.toSorted());
});

it.each([
  ['src/sandbox/slack', '../../bridge/slack/inner/file.ts'],
  ['src/sandbox', '../bridge/discord/inner/file.ts'],
  ['src/bridge/slack', '../discord/inner/file.ts'],
  ['src/service/http', '../../bridge/conversation/inner/file.ts'],
  ['src/bridge/conversation', '../commands/inner/file.ts'],
  ['src/bridge/conversation/reply', 'undici'],
  ['src/bridge/conversation', 'keyv'],
  ['src/bridge/conversation', '@slack/web-api'],
  ['src/bridge/conversation', 'discord.js'],
  ['src/bridge/conversation', 'node:fs/promises'],
])('%s may not import %s', (folder, path) => {
  expect(refused.get(`${folder}/probe.ts`)).toContain(path);
});
