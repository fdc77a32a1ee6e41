import { button, h, newId } from './dom.js';

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
