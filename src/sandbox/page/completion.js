import { createOptionList } from './option-list.js';

/**
 * Completes what one types in a text field: `find` says what there is to choose for the text before
 * the caret, and each choice what it puts in place of how many characters.
 *
 * @typedef {{ label: string, hint: string, replaces: number, choose: () => string }} Completion
 * @typedef {{ choices: Completion[], isMarked: boolean }} Completions `isMarked`: Enter takes the first
 *
 * @param {any} text the textarea
 * @param {(before: string) => Completions | Promise<Completions>} find
 */
export function createCompletion(text, find) {
  const list = createOptionList(text, { kind: 'completion', take: accept });
  let looks = 0;

  async function look() {
    const mine = (looks += 1);
    const { choices, isMarked } = await find(text.value.slice(0, text.selectionStart));
    if (mine === looks) list.show(choices, { isMarked });
  }

  function accept({ replaces, choose }) {
    const caret = text.selectionStart;
    text.setRangeText(choose(), caret - replaces, caret, 'end');
    close();
    text.focus();
    void look();
  }

  function close() {
    looks += 1;
    list.close();
  }

  text.addEventListener('input', look);
  text.addEventListener('blur', close);

  return {
    list: list.element,
    close,
    /** Whether the list handled the key. */
    takeKey(event) {
      if (event.key !== 'Tab' || event.shiftKey || !list.isOpen) return list.takeKey(event);
      event.preventDefault();
      list.takeMarked();
      return true;
    },
  };
}
