import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Hono } from 'hono';
import { compress } from 'hono/compress';

const pageFolder = new URL('page/', import.meta.url);

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
};

/**
 * The page's security headers: only its own origin, and only its own script and style files.
 */
const pageHeaders = {
  'content-security-policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
};

/** Serves the page's files, and the library that reads its Markdown. Mounted at /sandbox; the page is at /sandbox/. */
export function createPageFiles(): Hono {
  const own = readdirSync(pageFolder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => extname(name) in contentTypes,
  );
  const files = new Map(own.map((name) => [name, new URL(name, pageFolder)]));
  files.set('markdown-it.js', new URL(import.meta.resolve('markdown-it/browser')));
  const routes = new Hono();
  routes.use(compress());
  routes.get('/*', (context) => {
    const { path } = context.req;
    // Without the trailing slash, the page's relative links would be wrong.
    if (path === '/sandbox') return context.redirect('/sandbox/');
    const name = path === '/sandbox/' ? 'index.html' : path.slice('/sandbox/'.length);
    const file = files.get(name);
    return file ? serve(file, name) : context.notFound();
  });
  return routes;
}

async function serve(file: URL, name: string): Promise<Response> {
  const bytes = await readFile(file);
  const type = contentTypes[extname(name)] ?? 'application/octet-stream';
  return new Response(bytes, { headers: { ...pageHeaders, 'content-type': type } });
}
