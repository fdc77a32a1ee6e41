import * as api from '../api.js';
import { askToConfirm, button, h } from '../dom.js';

const states = {
  no: 'not installed',
  yes: 'installed',
  organisation: 'installed by its organisation',
};
/** Seconds that a new token lives. */
const lifetimes = { '': 'as the manifest says', 43200: '12 hours', 7230: '2 hours, 30 s' };

/**
 * The Slack workspaces: where the bot is installed, and how it loses that.
 *
 * @param {(act: () => Promise<unknown>) => unknown} change runs what a button does
 */
export function createWorkspacesPane(change) {
  let shown = '';
  const list = h('ul');
  const note = h(
    'p',
    { class: 'note' },
    'Causeway runs with one token here: other workspaces can’t install it.',
  );
  const name = h('input', {
    'aria-label': 'Name of the new workspace',
    placeholder: 'Name',
    required: true,
  });
  const organisation = h('input', {
    'aria-label': 'Its organisation, if it belongs to one',
    placeholder: 'Organisation (optional)',
  });
  const lifetime = h(
    'select',
    {
      'aria-label': 'New tokens live',
      onchange: ({ target }) => {
        const tokenLifetime = target.value ? Number(target.value) : null;
        return change(() => api.post('slack/switches', { tokenLifetime }));
      },
    },
    ...Object.entries(lifetimes).map(([value, text]) => h('option', { value }, text)),
  );

  function add() {
    if (!name.reportValidity()) return;
    const body = { name: name.value, organisation: organisation.value || undefined };
    void change(async () => {
      await api.post('slack/workspaces', body);
      name.value = '';
      organisation.value = '';
    });
  }

  /** Asks first: what was revoked does not come back. */
  async function lose({ id, name: from }, operation, question) {
    if (!(await askToConfirm(`${question} ${from}?`, 'Yes'))) return;
    await change(() => api.post(`slack/workspaces/${id}/${operation}`, {}));
  }

  function renderActions(workspace, installUrl) {
    const { id, installed, expires } = workspace;
    if (installed === 'no') {
      return installUrl ? [h('a', { class: 'button', href: installUrl }, 'Install…')] : [];
    }
    const expire = () => change(() => api.post(`slack/workspaces/${id}/expire`, {}));
    return [
      button('Remove app', () => lose(workspace, 'uninstall', 'Remove the app from')),
      button('Revoke token', () => lose(workspace, 'revoke', 'Revoke the bot’s token in')),
      expires && button('Expire token', expire),
    ];
  }

  function render(workspace, installUrl) {
    const { name: title, organisation: above, installed, expires } = workspace;
    const until = expires && new Date(expires).toLocaleTimeString();
    return h(
      'li',
      {},
      h('strong', {}, title),
      above && ` · ${above}`,
      h('span', { class: 'note' }, ` ${states[installed]}`, until && `, token until ${until}`),
      h('span', { class: 'losses' }, ...renderActions(workspace, installUrl)),
    );
  }

  return {
    element: h(
      'section',
      { class: 'workspaces', 'aria-label': 'Slack workspaces' },
      h('h3', {}, 'Slack workspaces'),
      list,
      note,
      h('p', { class: 'adding' }, name, organisation, button('Add workspace', add)),
      h('label', {}, 'New tokens live ', lifetime),
    ),
    /** @param {any} inspection */
    show({ workspaces, installUrl, tokenLifetime }) {
      const now = JSON.stringify([workspaces, installUrl]);
      note.hidden = installUrl !== undefined || workspaces.length === 1;
      const chosen = tokenLifetime === undefined ? '' : String(tokenLifetime);
      if (document.activeElement !== lifetime) lifetime.value = chosen;
      if (now === shown) return;
      shown = now;
      list.replaceChildren(...workspaces.map((workspace) => render(workspace, installUrl)));
    },
  };
}
