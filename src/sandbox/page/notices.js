import { NotResponding } from './api.js';
import { button, h } from './dom.js';

const durationMs = 8000;
const maxToasts = 3;

/**
 * Notices at the top of the page.
 *
 * @param {HTMLElement} element
 * @param {HTMLElement} banner says, while it is shown, that the sandbox does not respond
 */
export function createToasts(element, banner) {
  function complain(text) {
    const close = () => toast.remove();
    const toast = h('div', { class: 'toast' }, text, button('×', close, { 'aria-label': 'Close' }));
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
        if (banner.hidden || !(error instanceof NotResponding)) complain(error.message);
        return undefined;
      }
    },
  };
}

/**
 * A banner that says that the sandbox does not respond, as long as it does not.
 *
 * @param {HTMLElement} element
 * @param {boolean} isLost
 */
export function showLost(element, isLost) {
  element.hidden = !isLost;
  element.textContent = isLost ? 'The sandbox is not responding. Retrying…' : '';
}

/** A message is read out after this many ms without a change. */
const settledMs = 1500;
const maxCharacters = 2000;

/**
 * Announces messages to screen readers. A growing reply is announced once, after it stops changing.
 *
 * @param {HTMLElement} element a live region
 */
export function createAnnouncer(element) {
  const waiting = new Map();
  /**
   * @param {string} id
   * @param {() => string} read
   */
  return function announce(id, read) {
    clearTimeout(waiting.get(id));
    const speak = () => {
      waiting.delete(id);
      element.textContent = read().slice(0, maxCharacters);
    };
    waiting.set(id, setTimeout(speak, settledMs));
  };
}
