import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '@slack/bolt';
import {
  ErrorCode,
  InstallProvider,
  type Installation,
  type InstallationStore,
} from '@slack/oauth';
import type { Log } from '../../shared/primitives/log.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { clientOptions, slackApi } from './clients.ts';
import { slackErrorCode } from './errors.ts';
import { installPath, redirectPath } from './manifest.ts';

/** The credentials of an app that workspaces install. */
export interface OAuthCredentials {
  clientId: string;
  clientSecret: string;
  /** Signs what the browser brings back from Slack. */
  stateSecret: string;
}

/**
 * Slack's OAuth as Bolt uses it: a signed state that is also in a cookie, so that nobody can have
 * another person's browser finish an installation. docs.slack.dev/authentication/installing-with-oauth
 */
export function createInstallProvider(
  { clientId, clientSecret, stateSecret }: OAuthCredentials,
  options: { installationStore: InstallationStore; apiUrl: string; logger: Logger },
): InstallProvider {
  const { apiUrl } = options;
  const isSlack = new URL(apiUrl).origin === new URL(slackApi).origin;
  return new InstallProvider({
    clientId,
    clientSecret,
    stateSecret,
    // Slack's own page says what is asked for.
    directInstall: true,
    // A code and a refresh token work once: a repeated call would be refused.
    clientOptions: clientOptions(apiUrl, 0),
    ...(!isSlack && { authorizationUrl: new URL('../oauth/v2/authorize', apiUrl).href }),
    ...options,
  });
}

/** The pages where people install the app, by path. */
export function createInstallPages(
  provider: InstallProvider,
  options: {
    /** What is asked for. */
    scopes: readonly string[];
    onInstalled(installation: Installation): void;
    log: Log;
  },
): Map<string, RequestListener> {
  const { scopes, onInstalled, log } = options;

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('cache-control', 'no-store');
    await provider.handleInstallPath(request, response, {}, { scopes: [...scopes] });
  }

  async function finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { install } = textsOf(request);
    await provider.handleCallback(request, response, {
      success(installation) {
        onInstalled(installation);
        respond(response, 200, renderDone(installation, install));
      },
      failure(error) {
        const { title, reason, status } = explain(error, install);
        log.warn({ reason: error.code, slack: slackErrorCode(error) }, 'the app was not installed');
        respond(response, status, renderPage(title, [paragraph(reason), linkBack(install)]));
      },
    });
  }

  const listen =
    (answer: typeof begin): RequestListener =>
    (request, response) => {
      if (request.method !== 'GET') {
        response.writeHead(405, { allow: 'GET' }).end();
        return;
      }
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a page to install the app failed');
        if (response.headersSent) return response.destroy();
        const { install } = textsOf(request);
        respond(response, 500, renderPage(install.failed, [paragraph(install.later)]));
      });
    };

  return new Map([
    [installPath, listen(begin)],
    [redirectPath, listen(finish)],
  ]);
}

type InstallTexts = Texts['install'];

function textsOf({ headers }: IncomingMessage): Texts {
  return textsFor(headers['accept-language']?.split(/[,;]/, 1)[0]?.trim());
}

/** What went wrong, for the person at the browser. */
function explain(error: Error & { code?: string }, texts: InstallTexts) {
  const { code } = error;
  if (code === ErrorCode.AuthorizationError) {
    return { title: texts.cancelled, reason: texts.cancelledHint, status: 200 };
  }
  const isForeign = code === ErrorCode.InvalidStateError || code === ErrorCode.MissingStateError;
  if (isForeign || code === ErrorCode.MissingCodeError) {
    return { title: texts.failed, reason: texts.otherBrowser, status: 400 };
  }
  const refusal = slackErrorCode(error);
  const reason = refusal === undefined ? texts.later : texts.refused(refusal);
  return { title: texts.failed, reason, status: refusal === undefined ? 500 : 400 };
}

function renderDone({ team, enterprise, bot }: Installation, texts: InstallTexts): string {
  const scopesShown = (bot?.scopes ?? []).map((scope) => `<li><code>${escape(scope)}</code></li>`);
  const name = team?.name ?? enterprise?.name ?? team?.id ?? enterprise?.id ?? '';
  return renderPage(texts.done(name), [
    paragraph(texts.next),
    paragraph(texts.granted),
    `<ul>${scopesShown.join('')}</ul>`,
  ]);
}

function paragraph(text: string): string {
  return `<p>${escape(text)}</p>`;
}

function linkBack({ again }: InstallTexts): string {
  return `<p><a href="${installPath}">${escape(again)}</a></p>`;
}

function renderPage(title: string, content: readonly string[]): string {
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}</style></head>
<body><main><h1>${escape(title)}</h1>
${content.join('\n')}
</main></body>
</html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function respond(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(page);
}
