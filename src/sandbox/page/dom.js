/**
 * Creates an element with properties, attributes, listeners (`onclick`) and children. Texts become
 * text nodes, never markup. Undefined or false values are omitted.
 *
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {...(Node | string | undefined | false | (Node | string | undefined | false)[])} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** A new id, for references between elements. */
export function newId() {
  count += 1;
  return `e${count}`;
}

let count = 0;

/** A button that submits nothing. */
export function button(label, onclick, props = {}) {
  return h('button', { type: 'button', onclick, ...props }, label);
}

/**
 * The picture of a person or a bot: the first letter of the name, in a color of its own.
 *
 * @param {{ name: string, displayName: string, bot?: boolean }} author
 */
export function renderAvatar({ displayName, name, bot }) {
  const sum = Array.from(name, (letter) => letter.charCodeAt(0)).reduce((one, two) => one + two, 0);
  const kind = bot ? 'bot' : `hue-${sum % 6}`;
  return h('div', { class: `avatar ${kind}`, 'aria-hidden': 'true' }, Array.from(displayName)[0]);
}

/**
 * Asks a question in a dialog; Esc means no.
 *
 * @param {string} question
 * @param {string} action what the button that agrees says
 * @returns {Promise<boolean>}
 */
export function askToConfirm(question, action) {
  const id = newId();
  const { promise, resolve } = Promise.withResolvers();
  const end = (answer) => {
    resolve(answer);
    dialog.close();
  };
  const cancel = button('Cancel', () => end(false));
  const agree = button(action, () => end(true), { class: 'danger' });
  const dialog = h(
    'dialog',
    { 'aria-labelledby': id, onclose: () => dialog.remove(), oncancel: () => resolve(false) },
    h('p', { id, dir: 'auto' }, question),
    h('p', { class: 'buttons end' }, cancel, agree),
  );
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus();
  return promise;
}

/** As in 5:22 PM. */
export const timeOfDay = new Intl.DateTimeFormat([], { timeStyle: 'short' });

/** As in Sunday, November 22, 2026 at 5:22 PM. */
export const dateAndTime = new Intl.DateTimeFormat([], { dateStyle: 'full', timeStyle: 'short' });

/** As in Sunday, November 22, 2026. */
export const dayAndDate = new Intl.DateTimeFormat([], { dateStyle: 'full' });
