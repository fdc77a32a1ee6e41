import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createLru } from '../../shared/primitives/cache.ts';
import { hostOf, isFromElsewhere } from '../connections.ts';
import { newDigits, newSecret } from './identifiers.ts';
import type { ActiveInstallation, Installations } from './installations.ts';
import type { AppManifest } from './manifest.ts';
import type { SlackClient, SlackSwitches, SlackTeam } from './model.ts';
import { SlackError } from './slack-error.ts';
import { html } from 'hono/html';

/** OAuth: docs.slack.dev/authentication/installing-with-oauth. */
export interface OAuth {
  /** The page on which people allow the app or cancel; mounted at /oauth. */
  routes: Hono;
  /** @throws {SlackError} `invalid_client_id` or `bad_client_secret` */
  authenticate(client: { client_id?: string; client_secret?: string }): void;
  /**
   * Installs the app where a person allowed it, once for each code and within ten minutes.
   * @throws {SlackError} `invalid_code` or `bad_redirect_uri`
   */
  install(code: string, redirectUri: string | undefined): ActiveInstallation;
  /** @throws {SlackError} `invalid_refresh_token`, or `token_rotation_not_enabled` */
  refresh(refreshToken: string): ActiveInstallation;
}

/** What a person allowed, until the app exchanges its code. */
interface Permission {
  id: string;
  scopes: string[];
  /** As the app sent it. */
  redirectUri?: string;
  expires: number;
}

const codeLifetimeMs = 10 * 60_000;
const maxCodes = 100;
const maxBytes = 64 * 1024;
/** docs.slack.dev/authentication/using-token-rotation */
const tokenLifetimeSeconds = 43_200;

/** Codes are kept in memory, at most the last hundred. */
export function createOAuth(options: {
  app: SlackClient;
  manifest: AppManifest;
  installations: Installations;
  switches: SlackSwitches;
  teams: () => SlackTeam[];
  now: () => number;
}): OAuth {
  const { app, manifest, installations, switches, teams, now } = options;
  const codes = createLru<Permission>(maxCodes);
  const routes = new Hono();

  function lifetimeMs(): number | undefined {
    const { tokenLifetime } = switches;
    if (tokenLifetime !== undefined) return tokenLifetime * 1000;
    return manifest.rotatesTokens() ? tokenLifetimeSeconds * 1000 : undefined;
  }

  /**
   * What the app asks for.
   * @throws {Error} which says what is wrong with it
   */
  function readRequest(query: Record<string, string>): Asked {
    const { client_id: clientId, scope = '', redirect_uri: sent, state = '', team } = query;
    if (clientId !== app.clientId) throw new Error('client_id: no app has this client id.');
    const scopes = scope.split(',').map((each) => each.trim());
    if (!scopes.every(Boolean)) throw new Error('scope: the app asks for no scopes.');
    const allowed = [switches.redirectUrl ?? [], manifest.redirectUrls()].flat();
    const redirectUri = sent ?? allowed[0];
    const isAllowed = allowed.length === 0 || allowed.some((url) => redirectUri?.startsWith(url));
    if (!redirectUri || !isAllowed || !/^https?:$/.test(URL.parse(redirectUri)?.protocol ?? '')) {
      throw new Error('redirect_uri: it must begin with one of the redirect URLs of the manifest.');
    }
    return { clientId, scopes, redirectUri, sent, state, team };
  }

  /** Where the app can be installed: not again in a workspace whose organisation has installed it. */
  function places(): Place[] {
    const enterprises = teams().flatMap(({ enterprise }) => enterprise ?? []);
    const organisations = new Map(enterprises.map((enterprise) => [enterprise.id, enterprise]));
    return [
      ...teams().map(({ id, name, enterprise }) => ({
        id,
        name,
        isTaken: enterprise !== undefined && installations.get(enterprise.id) !== undefined,
      })),
      ...[...organisations.values()].map(({ id, name }) => ({
        id,
        name: `${name} (all workspaces)`,
        isTaken: !manifest.isOrgReady(),
      })),
    ];
  }

  function teamsOf(id: string): string[] {
    const granted = teams().filter((team) => team.id === id || team.enterprise?.id === id);
    return granted.map((team) => team.id);
  }

  /** Responds with what `run` returns, or with a page that says what is wrong with the request. */
  function answer(context: Context, run: () => Response | Promise<Response>) {
    context.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    context.header('x-frame-options', 'DENY');
    context.header('cache-control', 'no-store');
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return context.html(renderRefusal(error.message), 400);
    }
  }

  routes.use(bodyLimit({ maxSize: maxBytes, onError: (context) => context.text('', 413) }));
  routes.get('/v2/authorize', (context) =>
    answer(context, () =>
      context.html(renderAuthorization(readRequest(context.req.query()), places())),
    ),
  );
  routes.post('/v2/authorize', async (context) => {
    if (isFromElsewhere(context.req.header(), hostOf(context))) return context.text('', 403);
    const form = Object.fromEntries(new URLSearchParams(await context.req.text()));
    return answer(context, () => {
      const { redirectUri, sent, scopes, state } = readRequest(form);
      const { install_in: id, decision } = form;
      const back = new URL(redirectUri);
      if (decision === 'allow') {
        const place = places().find((each) => each.id === id && !each.isTaken);
        if (!place) throw new Error('install_in: the app can’t be installed there.');
        const code = `${newDigits(12)}.${newDigits(13)}.${newSecret(32)}`;
        const expires = now() + codeLifetimeMs;
        codes.set(code, { id: place.id, scopes, redirectUri: sent, expires });
        back.searchParams.set('code', code);
      } else {
        back.searchParams.set('error', 'access_denied');
      }
      if (state) back.searchParams.set('state', state);
      return context.redirect(back.href, 302);
    });
  });

  return {
    routes,
    authenticate({ client_id: id, client_secret: secret }) {
      if (id !== app.clientId) throw new SlackError('invalid_client_id');
      if (secret !== app.clientSecret) throw new SlackError('bad_client_secret');
    },
    install(code, redirectUri) {
      const permission = codes.get(code);
      codes.delete(code);
      if (!permission || permission.expires <= now()) throw new SlackError('invalid_code');
      if (permission.redirectUri !== redirectUri) throw new SlackError('bad_redirect_uri');
      const { id, scopes } = permission;
      return installations.grant({ id, scopes, teams: teamsOf(id) }, lifetimeMs());
    },
    refresh: (refreshToken) =>
      installations.refresh(refreshToken, lifetimeMs() ?? tokenLifetimeSeconds * 1000),
  };
}

/** What an app asks a person for. */
interface Asked {
  clientId: string;
  scopes: string[];
  /** Where the person is sent back. */
  redirectUri: string;
  /** The `redirect_uri` that the app sent; undefined if it is that of the manifest. */
  sent?: string;
  state: string;
  /** The id of the workspace that the app suggests. */
  team?: string;
}

/** A workspace or an organisation, as people choose it. */
interface Place {
  id: string;
  name: string;
  /** Whether the app can't be installed there. */
  isTaken: boolean;
}

/** The page on which people install the app, or cancel. */
function renderAuthorization(asked: Asked, places: Place[]) {
  const { clientId, scopes, sent, state, team } = asked;
  return page(
    'Causeway wants to be installed',
    html`<form method="post">
      <input type="hidden" name="client_id" value="${clientId}" />
      <input type="hidden" name="scope" value="${scopes.join(',')}" />
      <input type="hidden" name="state" value="${state}" />
      ${sent === undefined ? '' : html`<input type="hidden" name="redirect_uri" value="${sent}" />`}
      <label for="place">Workspace</label>
      <select id="place" name="install_in">
        ${places.map(
          ({ id, name, isTaken }) =>
            html`<option
              value="${id}"
              ${id === team ? 'selected' : ''}
              ${isTaken ? 'disabled' : ''}
            >
              ${name}
            </option>`,
        )}
      </select>
      <p>It asks for these permissions:</p>
      <ul>
        ${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
      </ul>
      <p class="choice">
        <button name="decision" value="cancel">Cancel</button>
        <button name="decision" value="allow" class="allow">Allow</button>
      </p>
    </form>`,
  );
}

/** The page for a request that can't be answered by sending the person back. */
function renderRefusal(reason: string) {
  return page('Something went wrong', html`<p>${reason}</p>`);
}

function page(title: string, content: ReturnType<typeof html>) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} – Slack in the sandbox</title>
        <style>
          body {
            font:
              1rem/1.5 system-ui,
              sans-serif;
            color: #1d1c1d;
            background: #f4ede4;
            margin: 0;
            padding: 1rem;
          }
          main {
            max-width: 30rem;
            margin: 3rem auto;
            padding: 1.5rem;
            background: #fff;
            border-radius: 0.75rem;
          }
          h1 {
            font-size: 1.4rem;
            margin-top: 0;
          }
          label {
            display: block;
            font-weight: 600;
          }
          select,
          button {
            font: inherit;
            padding: 0.5rem 0.75rem;
            border: 1px solid #868686;
            border-radius: 0.4rem;
            background: #fff;
            color: inherit;
          }
          select {
            width: 100%;
          }
          .choice {
            display: flex;
            gap: 0.75rem;
            justify-content: flex-end;
          }
          .allow {
            background: #007a5a;
            border-color: #007a5a;
            color: #fff;
          }
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}
