import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/security.md', 'utf8');
const quoted = Array.from(page.matchAll(/`([^`\n]+)`/g), ([, text = '']) => text);

test('the page names every file of attacks, and every file that it names exists', () => {
  const named = quoted.filter((text) => /^test\/\S+\.ts$/.test(text));
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
  expect(globSync('test/security/*.test.ts').filter((path) => !named.includes(path))).toEqual([]);
});

test('every promise names its tests', () => {
  const [, promises = ''] = /^## What is promised\n(.*?)^Limits/ms.exec(page) ?? [];
  const items = promises.split(/^- /m).slice(1);
  expect(items.length).toBeGreaterThan(10);
  expect(items.filter((item) => !/`test\/\S+\.test\.ts`\s*$/.test(item))).toEqual([]);
});

test('every variable that the page names exists', () => {
  const environment = readFileSync('.env.example', 'utf8');
  const names = quoted.flatMap((text) => /^([A-Z]+(?:_[A-Z]+)*)(?:=|$)/.exec(text)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !environment.includes(`\n${name}=`))).toEqual([]);
});

test('the page is short, and README.md links to it', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(189);
  expect(readFileSync('README.md', 'utf8')).toContain('(docs/security.md)');
});
