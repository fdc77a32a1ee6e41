import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { bundledLibraries, bundleFolder, toBundleName } from '../../src/bundled-libraries.ts';

const hasBundles = existsSync(bundleFolder);
if (!hasBundles) process.stdout.write('The bundles are not tested: npm run prepare makes them.\n');

const namesOf = (library: object) =>
  Object.keys(library)
    .filter((name) => !['module.exports', '__esModule'].includes(name))
    .toSorted();

test.skipIf(!hasBundles).each(bundledLibraries)(
  'the bundle of %s exports all of it',
  async (library) => {
    const bundle = pathToFileURL(`${bundleFolder}/${toBundleName(library)}.mjs`).href;
    const names = namesOf(await import(bundle));
    expect(names).toEqual(namesOf(await import(library)));
    expect(names.length).toBeGreaterThan(1);
  },
);
