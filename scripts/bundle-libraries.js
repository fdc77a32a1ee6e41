// `npm ci` runs this: it makes one file of each library that has many modules.
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const virtual = '\0bundle:';

/** A module that exports what Node.js finds in a library, which may be a CommonJS one. */
async function toEntry(library) {
  const names = Object.keys(await import(library));
  const exported = names.filter((name) => !['module.exports', '__esModule'].includes(name));
  return `export { ${exported.join(', ')} } from ${JSON.stringify(library)};`;
}

/** Each library's entry is a module of ours. */
const entries = {
  name: 'entries',
  resolveId(id, importer) {
    if (id.startsWith(virtual)) return id;
    return importer?.startsWith(virtual) ? this.resolve(id, import.meta.filename) : undefined;
  },
  load: (id) => (id.startsWith(virtual) ? toEntry(id.slice(virtual.length)) : undefined),
};

/** npm can install a version of a package twice: discord.js and its REST client have an undici each. */
function createDeduplication() {
  const folders = new Map();
  return {
    name: 'deduplication',
    async resolveId(id, importer, options) {
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      const folder = found && toPackageFolder(found.id);
      if (!folder) return found;
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const first = folders.getOrInsert(`${name}@${version}`, folder);
      return { ...found, id: first + found.id.slice(folder.length) };
    },
  };
}

/** The folder of the package that a module belongs to. */
function toPackageFolder(path) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
}

async function bundle() {
  const { rolldown } = await import('rolldown');
  const { bundledLibraries, bundleFolder, toBundleName } =
    await import('../src/bundled-libraries.ts');
  const built = await rolldown({
    input: Object.fromEntries(bundledLibraries.map((name) => [toBundleName(name), virtual + name])),
    platform: 'node',
    // discord.js uses zlib-sync where it is installed. Proxies replace the WebSocket of ws.
    external: ['ws', 'zlib-sync'],
    logLevel: 'silent',
    plugins: [entries, createDeduplication()],
  });
  const dir = `${bundleFolder}.new`;
  rmSync(dir, { recursive: true, force: true });
  await built.write({
    dir,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared-[name].mjs',
  });
  rmSync(bundleFolder, { recursive: true, force: true });
  renameSync(dir, bundleFolder);
}

try {
  await bundle();
} catch (error) {
  // Without development dependencies, there is no bundler, and this may be an old Node.js.
  process.stderr.write(`The libraries load from their own files: ${error.message}\n`);
}
