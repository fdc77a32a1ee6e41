// Plain JavaScript, because Node.js starts a WebAssembly module to strip the first type.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const root = new URL('../../../', import.meta.url);
const modules = readModules();

registerHooks({
  load(url, context, next) {
    const module = modules[url.slice(root.href.length)];
    const isUnchanged = module && module.source === readFileSync(new URL(url), 'utf8');
    if (!isUnchanged) return next(url, context);
    return { format: 'module', source: module.code, shortCircuit: true };
  },
});

/** The modules without their types, by their paths. Without the file, Node.js strips the types. */
function readModules() {
  try {
    const file = new URL('node_modules/.cache/causeway/stripped-modules.json', root);
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
