import { h, newId } from './dom.js';

/**
 * The list that completes what one types in a text field: `find` says what there is to choose for
 * the text before the caret, and each choice knows what it puts in place of how many characters.
 *
 * @param {any} text the textarea
 * @param {(before: string) => { label: string, hint: string, replaces: number, choose: () => string }[]} find
 */
export function createCompletion(text, find) {
  const list = h('ul', {
    role: 'listbox',
    id: newId(),
    class: 'completion',
    hidden: true,
    'aria-label': 'Suggestions',
  });
  let choices = [];
  let chosen = 0;
  text.setAttribute('role', 'combobox');
  text.setAttribute('aria-autocomplete', 'list');
  text.setAttribute('aria-controls', list.id);
  text.setAttribute('aria-expanded', 'false');

  function show(next) {
    choices = next;
    chosen = 0;
    list.hidden = choices.length === 0;
    text.setAttribute('aria-expanded', String(!list.hidden));
    list.replaceChildren(
      ...choices.map(({ label, hint }, index) =>
        h(
          'li',
          {
            role: 'option',
            id: `${list.id}-${index}`,
            onmousedown: (event) => event.preventDefault(),
            onclick: () => accept(index),
          },
          h('strong', {}, label),
          h('span', { class: 'note' }, hint),
        ),
      ),
    );
    mark(0);
  }

  function mark(index) {
    chosen = (index + choices.length) % Math.max(choices.length, 1);
    for (const [at, item] of [...list.children].entries()) {
      item.setAttribute('aria-selected', String(at === chosen));
      if (at === chosen) item.scrollIntoView({ block: 'nearest' });
    }
    if (choices.length > 0) text.setAttribute('aria-activedescendant', `${list.id}-${chosen}`);
    else text.removeAttribute('aria-activedescendant');
  }

  function accept(index) {
    const { replaces, choose } = choices[index];
    const caret = text.selectionStart;
    text.setRangeText(choose(), caret - replaces, caret, 'end');
    show([]);
    text.focus();
  }

  text.addEventListener('input', () => show(find(text.value.slice(0, text.selectionStart))));
  text.addEventListener('blur', () => show([]));

  return {
    list,
    close: () => show([]),
    /** Whether the list handled the key. */
    takeKey(event) {
      if (list.hidden || event.isComposing) return false;
      const keys = {
        ArrowDown: () => mark(chosen + 1),
        ArrowUp: () => mark(chosen - 1),
        Enter: () => accept(chosen),
        Tab: () => accept(chosen),
        Escape: () => show([]),
      };
      const act = event.shiftKey ? undefined : keys[event.key];
      if (!act) return false;
      event.preventDefault();
      act();
      return true;
    },
  };
}
