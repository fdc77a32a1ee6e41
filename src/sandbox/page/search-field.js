import { h, newId } from './dom.js';

/** The labels of values seen as options, for forms that are shown again. */
const labels = new Map();

/**
 * A menu with options from the bot while people type. `offer` shows them. Selected options appear
 * above and can be removed.
 */
export function createSearch({ chosen, multiple }, about, kept) {
  remember(chosen);
  let picked = kept === undefined ? chosen.map(({ value }) => value) : [kept].flat();
  const list = h('ul', { role: 'listbox', id: newId(), class: 'offers', hidden: true });
  const shown = h('ul', { class: 'picked', hidden: true });
  const control = h('input', {
    ...about,
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    placeholder: 'Type to search',
    'aria-controls': list.id,
    'aria-expanded': 'false',
  });

  function offer(choices) {
    remember(choices);
    list.hidden = false;
    control.setAttribute('aria-expanded', 'true');
    const fresh = choices.filter(({ value }) => !picked.includes(value));
    list.replaceChildren(
      ...(fresh.length > 0
        ? fresh.map(({ value, label }) =>
            h('li', { role: 'option', tabindex: 0, onclick: () => pick(value) }, label),
          )
        : [h('li', { class: 'note' }, 'No results')]),
    );
  }

  function close() {
    list.hidden = true;
    control.setAttribute('aria-expanded', 'false');
  }

  function pick(value) {
    picked = multiple ? [...picked, value] : [value];
    control.value = '';
    showPicked();
    close();
    control.focus();
  }

  function showPicked() {
    shown.hidden = picked.length === 0;
    shown.replaceChildren(
      ...picked.map((value) => {
        const label = labels.get(value) ?? value;
        const drop = () => {
          picked = picked.filter((one) => one !== value);
          showPicked();
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

  list.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.target.click();
  });
  const element = h('div', { class: 'search' }, shown, control, list);
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (!element.contains(relatedTarget)) close();
  });
  showPicked();
  const read = () => ({ value: multiple ? picked : picked[0] });
  return { control, element, offer, read };
}

function remember(choices) {
  for (const { value, label } of choices) labels.set(value, label);
}
