/** A message is read out after this many ms without a change. */
const settledMs = 1500;
const maxCharacters = 2000;

/**
 * Announces messages to screen readers. A growing reply is announced once, after it stops changing.
 *
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
