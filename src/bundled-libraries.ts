import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The libraries of many modules. From one file each, they load in a third of the time. */
export const bundledLibraries = ['@slack/bolt', 'discord.js', 'hono', 'undici', 'zod'];

const modules = join(import.meta.dirname, '../node_modules');

/** Where the bundles are: what empties node_modules empties it too. */
export const bundleFolder = join(modules, '.cache/causeway/libraries');

/** The name of a library's bundle, without its ending. */
export const toBundleName = (library: string) => library.replaceAll(/[@/]/g, '-');

/**
 * Has the libraries loaded from their bundles, which `npm ci` makes (scripts/bundle-libraries.js).
 * Where there are none, or where something was installed since, they load as they are.
 */
export function useBundledLibraries(): void {
  if (!isNewer(bundleFolder, join(modules, '.package-lock.json'))) return;
  const urls = new Map(
    bundledLibraries.map((library) => [
      library,
      pathToFileURL(join(bundleFolder, `${toBundleName(library)}.mjs`)).href,
    ]),
  );
  registerHooks({
    resolve(specifier, context, next) {
      const url = urls.get(specifier);
      return url ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
    },
  });
}

function isNewer(one: string, other: string): boolean {
  const [made, installed] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return made !== undefined && installed !== undefined && made.mtimeMs >= installed.mtimeMs;
}
