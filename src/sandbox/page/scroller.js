import { h } from './dom.js';

/** Within this many pixels of the end, one follows what is new. */
const nearEnd = 80;

/**
 * What scrolls in a conversation. It stays at the end while its content grows, until one scrolls up.
 *
 * @param {...HTMLElement} content
 */
export function createScroller(...content) {
  let following = true;
  let position = 0;
  const element = h(
    'div',
    { class: 'scroller', tabindex: 0, role: 'log', 'aria-live': 'off', 'aria-label': 'Messages' },
    ...content,
  );

  function toEnd() {
    following = true;
    element.scrollTop = element.scrollHeight;
  }

  function isAtEnd() {
    return element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
  }

  element.addEventListener('scroll', () => {
    if (isAtEnd()) following = true;
    else if (element.scrollTop < position) following = false;
    position = element.scrollTop;
  });
  const follow = () => following && toEnd();
  const sizes = new ResizeObserver(follow);
  for (const each of [element, ...content]) sizes.observe(each);
  // Other messages of the same size together don't count as a new size.
  element.addEventListener('contentvisibilityautostatechange', follow, { capture: true });

  return {
    element,
    toEnd,
    /**
     * Changes the content, and leaves in its place what one sees first.
     *
     * @param {HTMLElement} list
     * @param {() => void} change
     */
    keep(list, change) {
      const edge = element.getBoundingClientRect().top;
      const first = [...list.children].find((one) => one.getBoundingClientRect().bottom > edge);
      const top = first?.getBoundingClientRect().top;
      following = false;
      change();
      if (first) element.scrollTop += first.getBoundingClientRect().top - top;
      position = element.scrollTop;
    },
  };
}
