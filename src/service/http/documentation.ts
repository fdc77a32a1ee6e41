import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hono } from 'hono';
import { inSteps } from '../../primitives/in-steps.ts';
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

/**
 * Serves the contract as OpenAPI and as a page, which are made when they are first asked for; no key
 * is needed.
 */
export function addDocumentation(app: Hono<AppEnv>): void {
  let json: string | undefined;
  let page: Promise<string> | undefined;
  const render = async () => {
    const openApi = createOpenApi();
    await nextTurn();
    return await inSteps(renderDocumentation(openApi));
  };

  app.get('/', (context) => context.redirect('/api/v1/docs'));
  app.get('/api/v1/openapi.json', () => {
    json ??= JSON.stringify(createOpenApi());
    return new Response(json, { headers: { 'content-type': 'application/json' } });
  });
  app.get('/api/v1/docs', async () => new Response(await (page ??= render()), { headers }));
}

function toCspHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
