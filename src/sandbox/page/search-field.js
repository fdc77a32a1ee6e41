import { h } from './dom.js';
import { createOptionList } from './option-list.js';

/** The labels of values seen as options, for forms that are shown again. */
const labels = new Map();

/**
 * A menu with options from the bot while people type. `offer` shows them. Selected options appear
 * above and can be removed. Enter selects, and never submits the form.
 */
export function createSearch({ chosen, multiple }, about, kept) {
  remember(chosen);
  let picked = kept === undefined ? chosen.map(({ value }) => value) : [kept].flat();
  const shown = h('ul', { class: 'picked', hidden: true });
  const control = h('input', { ...about, ...plainText, placeholder: 'Type to search' });
  const list = listBelow(control, ({ value }) => {
    picked = multiple ? [...picked, value] : [value];
    control.value = '';
    showPicked();
  });

  function offer(choices, none) {
    remember(choices);
    const fresh = choices.filter(({ value }) => !picked.includes(value));
    list.show(fresh, { isMarked: control.value !== '', none });
  }

  function showPicked() {
    shown.hidden = picked.length === 0;
    shown.replaceChildren(
      ...picked.map((value) => {
        const label = labels.get(value) ?? value;
        const drop = () => {
          picked = picked.filter((one) => one !== value);
          showPicked();
          tellChange(control);
        };
        return h(
          'li',
          {},
          label,
          h('button', { type: 'button', 'aria-label': `Remove ${label}`, onclick: drop }, '×'),
        );
      }),
    );
  }

  showPicked();
  const element = h('div', { class: 'search' }, shown, control, list.element);
  const read = () => ({ value: multiple ? picked : picked[0] });
  return { control, element, offer, read };
}

/**
 * A text for which the bot suggests values. `offer` shows them by name, and the name of a chosen one
 * is the text. Enter selects, and never submits the form.
 */
export function createSuggested({ value, placeholder, least, most }, about, kept) {
  const limits = { placeholder, minlength: least, maxlength: most };
  const control = h('input', { ...about, ...plainText, ...limits });
  control.value = kept ?? value ?? '';
  const list = listBelow(control, ({ label }) => {
    control.value = label;
  });
  const offer = (choices) => list.show(choices, { isMarked: control.value !== '' });
  const element = h('div', { class: 'search' }, control, list.element);
  return { control, element, offer, read: () => ({ value: control.value }) };
}

const plainText = { type: 'text', autocomplete: 'off' };

function listBelow(control, take) {
  const list = createOptionList(control, {
    kind: 'offers',
    take(choice) {
      take(choice);
      list.close();
      control.focus();
      tellChange(control);
    },
  });
  control.addEventListener('keydown', (event) => {
    if (!list.takeKey(event) && event.key === 'Enter') event.preventDefault();
  });
  control.addEventListener('blur', list.close);
  return list;
}

/** As the browser does where people change a field themselves. */
function tellChange(control) {
  control.dispatchEvent(new Event('change', { bubbles: true }));
}

function remember(choices) {
  for (const { value, label } of choices) labels.set(value, label);
}
