/** Milliseconds without a change after which a message is read out. */
const settledMs = 1500;
const maxCharacters = 2000;

/**
 * Reads messages out to who listens rather than looks. A reply that grows is read once, when it has
 * been still for a moment.
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
