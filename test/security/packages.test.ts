import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Package {
  version: string;
  integrity?: string;
  hasInstallScript?: boolean;
  bin?: Record<string, string>;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string[];
  optional?: boolean;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Package>;
};
const { '': project, ...packages } = lock.packages;
const all = Object.entries(packages);
const runtimes = all.filter(([, { bin }]) => bin?.['node'] !== undefined);

test('the lock file has a hash of every package', () => {
  expect(project).toBeDefined();
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});

test('no package runs a script when it is installed', () => {
  expect(all.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

test('Node.js is one package for this platform, with one version for all platforms', () => {
  const platforms = runtimes.map(([, { os, cpu, libc }]) => [os, cpu, libc ?? []].flat().join(' '));
  expect(platforms.toSorted()).toEqual([
    'darwin arm64',
    'darwin x64',
    // The packages don't say `libc`: docs/decisions/0001-tools.md.
    'linux arm64 glibc',
    'linux x64 glibc',
    'win32 x64',
  ]);
  expect(runtimes.filter(([, { optional }]) => !optional)).toEqual([]);
  expect(new Set(runtimes.map(([, { version }]) => version)).size).toBe(1);
});

test('npm scripts run the Node.js of the lock file if it has one for the platform', () => {
  for (const [folder, { version }] of runtimes) {
    if (!existsSync(folder)) continue;
    const running = execFileSync('node_modules/.bin/node', ['-p', 'process.versions.node']);
    expect(running.toString().trim()).toBe(version);
  }
});
