import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import { documentationStyle } from './documentation-style.ts';
import { renderDocumentation } from './documentation-page.ts';
import type { AppEnv } from './app-env.ts';
import { createOpenApi } from './openapi.ts';

/** The page has one style and nothing else, so the policy allows nothing else. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src '${toCspHash(documentationStyle)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
};

/** Serves the contract as OpenAPI and as a page; no key is needed. */
export function addDocumentation(app: Hono<AppEnv>): void {
  let rendered: { json: string; page: string } | undefined;
  const render = () => {
    const openApi = createOpenApi();
    return { json: JSON.stringify(openApi), page: renderDocumentation(openApi) };
  };

  app.get('/', (context) => context.redirect('/api/v1/docs'));
  app.get('/api/v1/openapi.json', () => {
    rendered ??= render();
    return new Response(rendered.json, { headers: { 'content-type': 'application/json' } });
  });
  app.get('/api/v1/docs', () => {
    rendered ??= render();
    return new Response(rendered.page, { headers });
  });
}

function toCspHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
