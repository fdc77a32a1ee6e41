// `npm ci` runs this: it strips the types of the modules that the process that reads files loads.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.cache/causeway/', root);

const ingestion = new URL('src/service/ingestion/', root);

async function stripTypes() {
  const { registerHooks, stripTypeScriptTypes } = await import('node:module');
  const modules = {};
  registerHooks({
    load(url, context, next) {
      if (url.startsWith(root.href) && url.endsWith('.ts')) {
        const source = readFileSync(new URL(url), 'utf8');
        modules[url.slice(root.href.length)] = { source, code: stripTypeScriptTypes(source) };
      }
      return next(url, context);
    },
  });
  await import(new URL('extract-process.ts', ingestion));
  // These are loaded with the first file of their kind.
  const kinds = new URL('kinds/', ingestion);
  for (const kind of readdirSync(kinds)) await import(new URL(kind, kinds));
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('stripped-modules.json', folder), JSON.stringify(modules));
}

try {
  await stripTypes();
} catch (error) {
  // This may be an old Node.js.
  process.stderr.write(`Types are stripped when files are read: ${error.message}\n`);
}
