import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');
const [, layout = ''] = /^```\n(.*?)^```/ms.exec(page) ?? [];
const quoted = Array.from(
  page.replace(layout, '').matchAll(/`([^`\n]+)`/g),
  ([, text = '']) => text,
);
const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
const environment = readFileSync('.env.example', 'utf8');

/** Names of the web platform. */
const foreign = new Set(['Request', 'Response', 'fetch']);

const paths = quoted.filter((text) => /^[\w-]+(?:\/[\w.-]*)+$|^[\w.-]+\.(?:ts|md)$/.test(text));
const variables = quoted.filter((text) => /^[A-Z]+(?:_[A-Z]+)+$|^[A-Z]{3,}$/.test(text));
const typed = quoted.filter((text) => text.startsWith('/'));
const code = quoted.filter(
  (text) => ![...paths, ...variables, ...typed].includes(text) && !text.startsWith('npm '),
);
const names = code.flatMap((text) => text.match(/[A-Za-z]\w*/g) ?? []);

/** Whether a source declares it: as a constant, function, type, member or parameter. */
function isDeclared(name: string): boolean {
  const declaration = new RegExp(
    String.raw`\b(?:const|let|function\*?|class|interface|type) ${name}\b|^\s+(?:async |readonly )*\*?${name}\??[(:<,]`,
    'm',
  );
  return sources.some((source) => declaration.test(source));
}

test('the layout names every folder of src, and no other', () => {
  const listed = Array.from(layout.matchAll(/^ {2}(\S+)/gm), ([, name = '']) => name);
  const found = globSync('src/*').map((path) => path.replace('src/', ''));
  expect(listed.map((name) => name.replace('/', '')).toSorted()).toEqual(found.toSorted());
});

test('docs/architecture.md names paths, symbols and variables', () => {
  expect(paths.length).toBeGreaterThan(5);
  expect(names.length).toBeGreaterThan(5);
  expect(variables.length).toBeGreaterThan(1);
});

test.each([...new Set(paths)])('%s exists', (path) => {
  const places = ['', 'src/', 'test/', 'docs/'].map((folder) => `${folder}${path}`);
  expect(places.filter((place) => existsSync(place))).not.toEqual([]);
});

test.each([...new Set(names)])('%s is declared', (name) => {
  expect(foreign.has(name) || isDeclared(name)).toBe(true);
});

test.each([...new Set(variables)])('%s is a variable of .env.example', (name) => {
  expect(environment).toMatch(new RegExp(`^${name}=`, 'm'));
});

test.each([...new Set(typed)])('%s is a command or a path of HTTP', (text) => {
  const [name = '', action] = text.slice(1).split(' ');
  const words = [name, action].filter((word) => word !== undefined);
  expect(words.filter((word) => !sources.some((source) => source.includes(word)))).toEqual([]);
});
