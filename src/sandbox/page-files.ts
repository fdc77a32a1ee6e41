import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
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
};

/** The page as the first sandbox of this process read it: restart to see a change. */
let page: ReturnType<typeof readPage> | undefined;

/**
 * Serves the page's files, and the library that parses its Markdown. Mounted at /sandbox; the page is
 * at /sandbox/. It loads its files from a folder named after their contents, so that the browser
 * need not ask for them again (RFC 8246).
 */
export function createPageFiles(): Hono {
  page ??= readPage();
  const { files, version } = page;
  const routes = new Hono();
  routes.use(compress());
  routes.get('/*', (context) => {
    const { path } = context.req;
    // Without the trailing slash, the page's relative links would be wrong.
    if (path === '/sandbox') return context.redirect('/sandbox/');
    const asked = path.slice('/sandbox/'.length) || 'index.html';
    const isVersioned = asked.startsWith(`${version}/`);
    const name = isVersioned ? asked.slice(version.length + 1) : asked;
    const bytes = files.get(name);
    if (!bytes) return context.notFound();
    return new Response(bytes, {
      headers: {
        ...pageHeaders,
        'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
        'cache-control': isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    });
  });
  return routes;
}

/** The page's files by name, and a short name for what is in them. */
function readPage() {
  const names = readdirSync(pageFolder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => extname(name) in contentTypes,
  );
  const files = new Map(names.map((name) => [name, readFileSync(new URL(name, pageFolder))]));
  files.set('markdown-it.js', readFileSync(new URL(import.meta.resolve('markdown-it/browser'))));
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(`${name}\n${bytes.length}\n`).update(bytes);
  const version = hash.digest('hex').slice(0, 16);
  const html = files.get('index.html')?.toString() ?? '';
  const naming = html.replaceAll(/ (href|src)="/g, ` $1="${version}/`);
  return { files: files.set('index.html', Buffer.from(naming)), version };
}
