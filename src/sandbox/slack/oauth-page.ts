import { html } from 'hono/html';

/** What an app asks a person for. */
export interface Asked {
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
export interface Place {
  id: string;
  name: string;
  /** Whether the app can't be installed there. */
  isTaken: boolean;
}

/** The page on which people install the app, or cancel. */
export function renderAuthorization(asked: Asked, places: Place[]) {
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
export function renderRefusal(reason: string) {
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
