import type { Slack } from '../../../src/sandbox/slack/slack.ts';

/** What a person does on the page on which an app asks to be installed. */
export interface Choice {
  /** The id of the workspace or organisation. */
  place: string;
  /** By default, to allow. */
  decision?: 'allow' | 'cancel';
}

/** The page at an address to which an app sends a person. */
export async function openAuthorization(url: string) {
  const response = await fetch(url);
  return { status: response.status, page: await response.text() };
}

/** Answers the page, and returns the address to which the person is sent back. */
export async function answerAuthorization(url: string, { place, decision = 'allow' }: Choice) {
  const { origin, pathname, searchParams } = new URL(url);
  const body = new URLSearchParams(searchParams);
  body.set('install_in', place);
  body.set('decision', decision);
  const response = await fetch(origin + pathname, { method: 'POST', body, redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location') ?? '' };
}

/**
 * Installs an app that serves `/slack/install` and `/slack/oauth_redirect`, as a person in a browser
 * does, who keeps its cookie. Returns the app's last page.
 */
export async function installApp(installUrl: string, choice: Choice) {
  const begun = await fetch(installUrl, { redirect: 'manual' });
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const asked = begun.headers.get('location') ?? /href="([^"]+)"/.exec(await begun.text())?.[1];
  const { location } = await answerAuthorization((asked ?? '').replaceAll('&amp;', '&'), choice);
  const back = await fetch(location, { headers: { cookie } });
  return { status: back.status, page: await back.text() };
}

/** Where an app sends a person who installs it. */
export function authorizationUrl(slack: Slack, query: Record<string, string> = {}) {
  const url = new URL('../oauth/v2/authorize', slack.credentials.apiUrl);
  const { clientId } = slack.credentials;
  const defaults = {
    client_id: clientId,
    scope: 'chat:write,users:read',
    redirect_uri: 'http://127.0.0.1:1/back',
    state: 'kept',
  };
  url.search = new URLSearchParams({ ...defaults, ...query }).toString();
  return url.href;
}
