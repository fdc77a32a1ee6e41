import * as api from '../api.js';
import { button, h, newId } from '../dom.js';
import { createCallsPane } from './calls.js';
import { createFaultsPane } from './faults.js';
import { createRepliesPane } from './replies.js';
import { createWorkspacesPane } from './workspaces.js';

const everyMs = 500;
const storageKey = 'inspector';

/**
 * The drawer that shows what the bot does, and has things go wrong. While it is open, it asks the
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

/** The button that deletes everything said, after a confirmation that says what that is. */
function createEmptying(toasts) {
  const title = newId();
  const list = h('ul');
  const cancel = button('Cancel', () => dialog.close());
  const confirm = button('Empty everything', empty, { class: 'danger' });
  const dialog = h(
    'dialog',
    { 'aria-labelledby': title },
    h('h2', { id: title }, 'Empty everything?'),
    h('p', {}, 'This deletes from the sandbox, on Slack and on Discord, for good:'),
    list,
    h(
      'p',
      {},
      'People, channels and settings stay, and so does what the chatbot service has: sources, tags, agents and sessions.',
    ),
    h('p', { class: 'buttons end' }, cancel, confirm),
  );

  async function ask() {
    const contents = await toasts.attempt(() => api.get('inspector/contents'));
    if (!contents) return;
    const { messages, threads, files } = contents;
    const deleted = [
      `all messages, also those that only one person sees: ${messages}`,
      `all threads on Discord: ${threads}`,
      `all files in messages: ${files}`,
      'the forms that are open, and messages that were not sent yet',
      'what this inspector has recorded',
    ];
    list.replaceChildren(...deleted.map((each) => h('li', {}, each)));
    dialog.showModal();
    cancel.focus();
  }

  /** The page hears of it like everyone's, and loads again. */
  async function empty() {
    dialog.close();
    await toasts.attempt(() => api.post('inspector/empty', {}));
  }

  return [button('Empty everything…', ask), dialog];
}
