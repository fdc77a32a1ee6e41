import { h } from './dom.js';

const durationMs = 8000;
const maxToasts = 3;

/**
 * Notices at the top of the page.
 *
 * @param {HTMLElement} element
 */
export function createToasts(element) {
  let lost;

  function complain(text) {
    const close = () => toast.remove();
    const button = h('button', { type: 'button', 'aria-label': 'Close', onclick: close }, '×');
    const toast = h('div', { class: 'toast' }, text, button);
    element.append(toast);
    while (element.children.length > maxToasts) element.firstElementChild.remove();
    setTimeout(close, durationMs);
  }

  return {
    complain,
    /** Resolves with undefined, and says why, when what is tried fails. */
    async attempt(act) {
      try {
        return await act();
      } catch (error) {
        complain(error.message);
        return undefined;
      }
    },
    /** Says that the connection is lost, until it is found again. */
    lose() {
      lost ??= h('div', { class: 'toast' }, 'The sandbox is not responding. Retrying…');
      element.append(lost);
    },
    find() {
      lost?.remove();
    },
  };
}
