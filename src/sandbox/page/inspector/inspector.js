import * as api from '../api.js';
import { button, h, newId } from '../dom.js';
import { createCallsPane } from './calls.js';
import { createFaultsPane } from './faults.js';
import { createRepliesPane } from './replies.js';
import { createWorkspacesPane } from './workspaces.js';

const everyMs = 500;
const storageKey = 'inspector';

/**
 * The drawer that shows what the bot does, and makes things go wrong. While it is open, it asks the
 * sandbox twice a second.
 *
 * @param {HTMLElement} element
 * @param {HTMLElement} opener opens and closes it
 */
export function createInspector(element, opener, toasts) {
  let isOpen = false;
  let lastCall = 0;
  /** Answers to earlier questions are out of date. */
  let question = 0;
  let timer;
  const calls = createCallsPane();
  const replies = createRepliesPane();
  const faults = createFaultsPane(change);
  const workspaces = createWorkspacesPane(change);
  // A click beside its controls gives it the focus, and Esc then closes it.
  element.tabIndex = -1;
  element.append(
    h(
      'header',
      {},
      h('h2', {}, 'Inspector'),
      ...createEmptying(toasts),
      button('×', close, { 'aria-label': 'Close the inspector' }),
    ),
    h(
      'div',
      { class: 'inspected' },
      h('div', { class: 'switches' }, faults.element, workspaces.element),
      calls.element,
      replies.element,
    ),
  );

  async function look() {
    clearTimeout(timer);
    question += 1;
    const mine = question;
    if (!document.hidden) {
      const query = { after: String(lastCall), reply: replies.wanted() };
      const inspection = await api.get('inspector', query).catch(() => undefined);
      if (mine !== question || !isOpen) return;
      if (inspection) show(inspection);
    }
    timer = setTimeout(() => void look(), everyMs);
  }

  function show(inspection) {
    // The sandbox has started again.
    if (inspection.lastCall < lastCall) calls.clear();
    else calls.add(inspection.calls);
    lastCall = inspection.lastCall < lastCall ? 0 : inspection.lastCall;
    replies.show(inspection);
    faults.show(inspection);
    workspaces.show(inspection);
  }

  async function change(act) {
    question += 1;
    await toasts.attempt(act);
    await look();
  }

  function open() {
    toggle(true);
    void look();
  }

  function close() {
    toggle(false);
    clearTimeout(timer);
    opener.focus();
  }

  function toggle(next) {
    isOpen = next;
    element.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
    document.body.classList.toggle('inspecting', isOpen);
    if (isOpen) sessionStorage.setItem(storageKey, 'open');
    else sessionStorage.removeItem(storageKey);
  }

  for (const one of [element, opener]) {
    one.addEventListener('keydown', (event) => {
      if (!isOpen || event.key !== 'Escape' || event.target.closest('dialog')) return;
      event.preventDefault();
      close();
    });
  }
  opener.addEventListener('click', () => (isOpen ? close() : open()));
  if (sessionStorage.getItem(storageKey)) open();
}

const remembered =
  'what the bot remembers: replies under way, conversations, settings, chosen chatbots and unanswered questions';
const taught =
  'all chatbots of the built-in service’s main owner, also those made through its API, with their sources, tags, agents and sessions';
/** What is deleted of what was stored, and what becomes of the rest, by what the sandbox says of it. */
const storedBy = {
  none: {
    deleted: [remembered, taught],
    rest: 'The first chatbot is then created again, with its first sources.',
  },
  service: {
    deleted: [remembered],
    rest: 'What the chatbot service has stays, because CHATBOT_API_URL or CHATBOT_UUID names it.',
  },
  all: {
    deleted: [],
    rest: 'What the bot and its service have stored stays, because real workspaces have used it.',
  },
};

/** The button that empties the sandbox, after a confirmation that says what that deletes. */
function createEmptying(toasts) {
  const title = newId();
  const list = h('ul');
  const cancel = button('Cancel', () => dialog.close());
  const confirm = button('Empty everything', empty, { class: 'danger' });
  const rest = h('p');
  const dialog = h(
    'dialog',
    { 'aria-labelledby': title },
    h('h2', { id: title }, 'Empty everything?'),
    h('p', {}, 'This deletes for good, on Slack and on Discord:'),
    list,
    rest,
    h('p', { class: 'buttons end' }, cancel, confirm),
  );

  async function ask() {
    const contents = await toasts.attempt(() => api.get('inspector/contents'));
    if (!contents) return;
    const { messages, threads, files, kept = 'none' } = contents;
    const deleted = [
      `all messages, also those that only one person sees: ${messages}`,
      `all threads on Discord: ${threads}`,
      `all files in messages: ${files}`,
      'open forms, and messages that were not sent yet',
      'what this inspector has recorded',
      ...storedBy[kept].deleted,
    ];
    rest.textContent = `Workspaces, people and channels stay. ${storedBy[kept].rest}`;
    list.replaceChildren(...deleted.map((each) => h('li', {}, each)));
    dialog.showModal();
    cancel.focus();
  }

  /** The page hears of it like everyone's, and loads again. */
  async function empty() {
    confirm.disabled = true;
    confirm.textContent = 'Emptying…';
    await toasts.attempt(() => api.post('inspector/empty', {}));
    confirm.disabled = false;
    confirm.textContent = 'Empty everything';
    dialog.close();
  }

  return [button('Empty everything…', ask), dialog];
}
