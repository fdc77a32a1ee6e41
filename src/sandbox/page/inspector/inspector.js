import * as api from '../api.js';
import { h } from '../dom.js';
import { createCallsPane } from './calls.js';
import { createEmptying } from './emptying.js';
import { createFaultsPane } from './faults.js';
import { createRepliesPane } from './replies.js';

const everyMs = 500;
const storageKey = 'inspector';

/**
 * The drawer that shows what the bot does, and has things go wrong. While it is open, it asks the
 * sandbox twice a second.
 *
 * @param {HTMLElement} element
 * @param {HTMLElement} button opens and closes it
 * @param {any} toasts
 */
export function createInspector(element, button, toasts) {
  let isOpen = false;
  let lastCall = 0;
  /** Answers to earlier questions are out of date. */
  let question = 0;
  let timer;
  const calls = createCallsPane();
  const replies = createRepliesPane();
  const faults = createFaultsPane(change);
  element.append(
    h(
      'header',
      {},
      h('h2', {}, 'Inspector'),
      ...createEmptying(toasts),
      h('button', { type: 'button', 'aria-label': 'Close the inspector', onclick: close }, '×'),
    ),
    h('div', { class: 'inspected' }, faults.element, calls.element, replies.element),
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
    button.focus();
  }

  function toggle(next) {
    isOpen = next;
    element.hidden = !isOpen;
    button.setAttribute('aria-expanded', String(isOpen));
    document.body.classList.toggle('inspecting', isOpen);
    if (isOpen) sessionStorage.setItem(storageKey, 'open');
    else sessionStorage.removeItem(storageKey);
  }

  button.addEventListener('click', () => (isOpen ? close() : open()));
  if (sessionStorage.getItem(storageKey)) open();
}
