import { h, newId } from './dom.js';

/**
 * The choices for what is typed in a field, which keeps the focus: the arrows mark a choice, Enter
 * takes the marked one, Esc closes the list.
 *
 * @typedef {{ label: string, hint?: string, [more: string]: any }} Choice
 *
 * @param {any} control the field
 * @param {string} kind the list's class
 * @param {(choice: any) => void} take called with the chosen one
 */
export function createOptionList(control, kind, take) {
  const element = h('ul', {
    role: 'listbox',
    id: newId(),
    class: kind,
    hidden: true,
    'aria-label': 'Suggestions',
  });
  let choices = [];
  let marked = -1;
  // A text area with choices stays a text area (https://www.w3.org/TR/html-aria/#el-textarea).
  const isCombobox = control.localName === 'input';
  if (isCombobox) control.setAttribute('role', 'combobox');
  control.setAttribute('aria-autocomplete', 'list');
  control.setAttribute('aria-controls', element.id);
  if (isCombobox) control.setAttribute('aria-expanded', 'false');

  /**
   * @param {Choice[]} next
   * @param {boolean} [isMarked] whether Enter takes the first one
   * @param {string} [none] what to say where there are no choices
   */
  function show(next, isMarked = false, none) {
    // An answer that comes late with the same choices leaves the mark where the arrows moved it.
    const isSame = next.length === choices.length && next.every(isShown);
    const first = isMarked ? 0 : -1;
    const index = isSame && marked > 0 ? marked : first;
    choices = next;
    element.hidden = choices.length === 0 && !none;
    if (isCombobox) control.setAttribute('aria-expanded', String(!element.hidden));
    element.replaceChildren(...choices.map(renderChoice));
    if (choices.length === 0 && none) {
      element.append(h('li', { role: 'option', 'aria-disabled': 'true', class: 'note' }, none));
    }
    mark(index);
  }

  function isShown({ label }, index) {
    return label === choices[index].label;
  }

  function renderChoice({ label, hint }, index) {
    return h(
      'li',
      {
        role: 'option',
        id: `${element.id}-${index}`,
        // The field keeps the focus.
        onmousedown: (event) => event.preventDefault(),
        onclick: () => take(choices[index]),
      },
      h('strong', {}, label),
      hint && h('span', { class: 'note' }, hint),
    );
  }

  function mark(index) {
    marked = choices.length === 0 ? -1 : index;
    for (const [at, item] of [...element.children].entries()) {
      item.setAttribute('aria-selected', String(at === marked));
      if (at === marked) item.scrollIntoView({ block: 'nearest' });
    }
    if (marked < 0) control.removeAttribute('aria-activedescendant');
    else control.setAttribute('aria-activedescendant', `${element.id}-${marked}`);
  }

  function move(step) {
    const from = marked < 0 && step < 0 ? 0 : marked;
    mark((from + step + choices.length) % choices.length);
  }

  /** Takes the marked choice, or else the first. */
  function takeMarked() {
    if (choices.length > 0) take(choices[Math.max(marked, 0)]);
  }

  const close = () => show([]);
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: takeMarked,
    Escape: close,
  };

  return {
    element,
    show,
    close,
    get isOpen() {
      return !element.hidden;
    },
    takeMarked,
    /** Whether the list handled the key. */
    takeKey(event) {
      const isOurs = !element.hidden && !event.isComposing && !event.shiftKey;
      const act = isOurs ? keys[event.key] : undefined;
      if (!act || (event.key === 'Enter' && marked < 0)) return false;
      event.preventDefault();
      act();
      return true;
    },
  };
}

/**
 * Completes what people type in a text field: `find` says what there is to choose for the text
 * before the caret, and each choice what it puts in place of how many characters.
 *
 * @typedef {{ label: string, hint: string, replaces: number, choose: () => string }} Completion
 * @typedef {{ choices: Completion[], isMarked: boolean }} Completions `isMarked`: Enter takes the first
 *
 * @param {any} text the textarea
 * @param {(before: string) => Completions | Promise<Completions>} find
 */
export function createCompletion(text, find) {
  const list = createOptionList(text, 'completion', accept);
  let looks = 0;
  /** The length of the text that the choices are for. */
  let length = 0;

  async function look() {
    const mine = (looks += 1);
    const before = text.value.slice(0, text.selectionStart);
    const { choices, isMarked } = await find(before);
    if (mine !== looks) return;
    length = before.length;
    list.show(choices, isMarked);
  }

  function accept({ replaces, choose }) {
    const caret = text.selectionStart;
    const chosen = choose();
    // What was typed since then is replaced too.
    text.setRangeText(chosen, Math.min(length - replaces, caret), caret, 'end');
    close();
    text.focus();
    if (chosen) void look();
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
