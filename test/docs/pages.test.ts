import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')];
const text = (page: string) => readFileSync(page, 'utf8');
const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };

/** The anchors of GitHub's headings: lower case, with hyphens for spaces. */
const anchorsOf = (page: string) =>
  Array.from(text(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const links = pages.flatMap((page) =>
  Array.from(text(page).matchAll(/\]\(([^)\s:]+)\)/g), ([, target = '']) => ({ page, target })),
);

test.each(links)('$page leads to $target', ({ page, target }) => {
  const [path = '', anchor] = target.split('#');
  const file = path ? join(dirname(page), path) : page;
  expect(existsSync(file)).toBe(true);
  expect(anchor === undefined || anchorsOf(file).includes(anchor)).toBe(true);
});

test('every page for operators and developers can be reached from README.md', () => {
  const reached = new Set(
    links.filter(({ page }) => page === 'README.md').map(({ target }) => target),
  );
  expect(globSync('docs/*.md').filter((page) => !reached.has(page))).toEqual([]);
});

test('README.md takes two minutes to read', () => {
  expect(text('README.md').split('\n').length).toBeLessThan(150);
});

test('every npm script in the pages is in package.json', () => {
  const named = pages
    .filter((page) => !page.startsWith('docs/decisions'))
    .flatMap((page) => [
      ...text(page).matchAll(/\bnpm (?:run (?:-\S+ )*([\w:-]+)|(start|test))\b/g),
    ])
    .map(([, script, short]) => script ?? short ?? '');
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('what the page on troubleshooting quotes is in the code', () => {
  const code = globSync('src/**/*.{ts,js}')
    .map((file) => text(file))
    .join('\n');
  const seen = Array.from(
    text('docs/troubleshooting.md').matchAll(/^\| “([^”]+)”/gm),
    ([, quoted = '']) => quoted,
  );
  expect(seen.length).toBeGreaterThan(15);
  expect(seen.filter((quoted) => !code.includes(quoted))).toEqual([]);
});
