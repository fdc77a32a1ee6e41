const basePath = '/sandbox/control/';

/** The id of the Slack workspace that the page shows; without one, it is the first. */
export const workspace = new URLSearchParams(location.search).get('slack') ?? undefined;

/** The address of an operation, in the workspace that the page shows. */
function toUrl(path) {
  const isAll = !path.startsWith('slack/') || /^slack\/(?:faults|switches|workspaces)/.test(path);
  if (workspace === undefined || isAll) return basePath + path;
  return `${basePath}slack/workspaces/${workspace}/${path.slice('slack/'.length)}`;
}

/** The sandbox does not respond, which a banner says as long as it is so. */
export class NotResponding extends Error {
  message = 'The sandbox is not responding. Try again in a moment.';
}

/** @throws {Error} with what the sandbox says */
async function request(url, init) {
  const response = await fetch(url, init).catch(() => {
    throw new NotResponding();
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Error(answer.error ?? `The sandbox responded with status ${response.status}.`);
}

/** Reads something. Undefined values of the query are left out. */
export async function get(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return request(`${toUrl(path)}?${new URLSearchParams(given)}`);
}

/**
 * Sends a request, as a form when there are files.
 * @param {string} path
 * @param {object} body
 * @param {{ field: string, file: File }[]} files
 * @throws {Error} with what the sandbox says
 */
export async function post(path, body, files = []) {
  const json = JSON.stringify(body);
  if (files.length === 0) {
    const headers = { 'content-type': 'application/json' };
    return request(toUrl(path), { method: 'POST', headers, body: json });
  }
  const form = new FormData();
  form.append('json', json);
  for (const { field, file } of files) form.append(field, file, file.name);
  return request(toUrl(path), { method: 'POST', body: form });
}

/** Resets something. */
export async function remove(path) {
  return request(toUrl(path), { method: 'DELETE' });
}

/**
 * Follows all changes. `opened` is called whenever the stream starts again, because changes may
 * have been missed.
 *
 * @param {{ opened: () => void, lost: () => void, changed: (change: any) => void }} listener
 */
export function follow({ opened, lost, changed }) {
  const query = workspace === undefined ? '' : `?slack=${workspace}`;
  const events = new EventSource(`${basePath}events${query}`);
  events.addEventListener('open', opened);
  events.addEventListener('message', ({ data }) => changed(JSON.parse(data)));
  events.addEventListener('error', () => {
    lost();
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => follow({ opened, lost, changed }), 3000);
  });
}
