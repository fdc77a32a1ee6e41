import { button, h, newId } from './dom.js';
import { createOptionList } from './option-list.js';

/** A field of a form, with its label, hint and error; `kept` is its value from before. */
export function createField(field, kept) {
  const { id, name, label, hint, required, input } = field;
  const [controlId, hintId, errorId] = [newId(), newId(), newId()];
  const error = h('p', { class: 'problem', id: errorId, hidden: true });
  const described = `${hint ? `${hintId} ` : ''}${errorId}`;
  const about = {
    id: controlId,
    dir: 'auto',
    'aria-describedby': described,
    'aria-required': required ? 'true' : 'false',
  };
  const made = createControl(input, about, kept, required);
  const words = [label, required ? '' : h('span', { class: 'note' }, ' optional')];
  const caption = made.isGroup
    ? h('legend', {}, ...words)
    : h('label', { for: controlId }, ...words);
  const element = h(
    made.isGroup ? 'fieldset' : 'div',
    { class: 'field', 'aria-describedby': made.isGroup && described },
    caption,
    made.element,
    hint ? h('p', { class: 'note', id: hintId }, hint) : '',
    error,
  );
  return {
    id,
    name,
    input,
    ...made,
    element,
    complain(text) {
      error.textContent = text ?? '';
      error.hidden = !text;
      if (text) made.control.setAttribute('aria-invalid', 'true');
      else made.control.removeAttribute('aria-invalid');
    },
  };
}

function createControl(input, about, kept, required) {
  if (input.kind === 'file') return createFileInput(input, about, kept);
  if (input.kind === 'search') return createSearch(input, about, kept);
  if (input.kind === 'choice') {
    return input.open ? createOpenChoice(input, kept) : createSelect(input, about, kept, required);
  }
  const { type, lines, value, placeholder, least, most } = input;
  const limits = { placeholder, minlength: least, maxlength: most };
  const control = lines
    ? h('textarea', { ...about, ...limits, rows: 4 })
    : h('input', { ...about, ...limits, type, step: type === 'number' ? 'any' : undefined });
  control.value = kept ?? value ?? '';
  // An emptied text is sent as such; an empty date or time counts as not chosen.
  const isChosen = type === 'date' || type === 'time';
  const read = () => ({ value: isChosen && control.value === '' ? undefined : control.value });
  return { control, element: control, read };
}

function createFileInput({ most, types }, about, kept) {
  const toAccept = (type) =>
    /^(image|video|audio)$/.test(type) ? `${type}/*` : `.${type.replace(/^\./, '')}`;
  const accept = types.map(toAccept).join(',') || undefined;
  const control = h('input', { ...about, type: 'file', multiple: most > 1, accept });
  if (kept) control.files = kept;
  return { control, element: control, read: () => ({ files: [...control.files] }) };
}

function createSelect({ options, chosen, multiple }, about, kept, required) {
  const initial = kept === undefined ? chosen : [kept].flat();
  const control = h(
    'select',
    { ...about, multiple },
    !multiple && chosen.length === 0 && h('option', { value: '' }, required ? 'Choose…' : 'None'),
    ...options.map(({ value, label }) =>
      h('option', { value, selected: initial.includes(value) }, label),
    ),
  );
  const read = () => ({
    value: multiple
      ? [...control.selectedOptions].map(({ value }) => value)
      : control.value || undefined,
  });
  return { control, element: control, read };
}

function createOpenChoice({ options, chosen, multiple }, kept) {
  const initial = kept === undefined ? chosen : [kept].flat();
  const name = newId();
  const boxes = options.map(({ value }) =>
    h('input', {
      type: multiple ? 'checkbox' : 'radio',
      name,
      value,
      checked: initial.includes(value),
    }),
  );
  const element = h(
    'div',
    { class: 'choices' },
    ...boxes.map((box, index) => h('label', {}, box, ` ${options[index].label}`)),
  );
  const read = () => {
    const picked = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    return { value: multiple ? picked : picked[0] };
  };
  return { control: boxes[0], element, isGroup: true, read };
}

/** The values of a form, without fields that were not filled in. */
export function readValues(fields) {
  const values = {};
  const files = [];
  for (const { name, read } of fields) {
    const found = read();
    for (const file of found.files ?? []) files.push({ field: name, file });
    if (found.value !== undefined) values[name] = found.value;
  }
  return { values, files };
}

/** The labels of values seen as options, for forms that are shown again. */
const labels = new Map();

/**
 * A menu with options from the bot while people type. `offer` shows them. Selected options appear
 * above and can be removed. Enter selects, and never submits the form.
 */
function createSearch({ chosen, multiple }, about, kept) {
  remember(chosen);
  let picked = kept === undefined ? chosen.map(({ value }) => value) : [kept].flat();
  const shown = h('ul', { class: 'chips', hidden: true });
  const control = h('input', { ...about, ...plainText, placeholder: 'Type to search' });
  const list = listBelow(control, ({ value }) => {
    picked = multiple ? [...picked, value] : [value];
    control.value = '';
    showPicked();
  });

  function offer(choices, none) {
    remember(choices);
    const fresh = choices.filter(({ value }) => !picked.includes(value));
    list.show(fresh, control.value !== '', none);
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
        return h('li', {}, label, button('×', drop, { 'aria-label': `Remove ${label}` }));
      }),
    );
  }

  showPicked();
  const element = h('div', { class: 'search' }, shown, control, list.element);
  const read = () => ({ value: multiple ? picked : picked[0] });
  return { control, element, offer, read };
}

const plainText = { type: 'text', autocomplete: 'off' };

function listBelow(control, take) {
  const list = createOptionList(control, 'offers', (choice) => {
    take(choice);
    list.close();
    control.focus();
    tellChange(control);
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
