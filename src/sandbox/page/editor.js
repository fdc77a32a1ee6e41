import { h } from './dom.js';

/**
 * The editor of a message: Enter saves, Escape cancels.
 *
 *
 * @param {string} source
 * @param {(text: string) => Promise<unknown>} edit resolves with undefined if it failed
 * @param {() => void} stop called after saving or cancelling
 */
export function createEditor(source, edit, stop) {
  const text = h('textarea', { 'aria-label': 'Edit the message', rows: 2 });
  text.value = source;

  async function save() {
    const isChanged = text.value.trim() !== '' && text.value !== source;
    if (!isChanged || (await edit(text.value))) stop();
  }

  text.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      stop();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void save();
  });
  const buttons = h(
    'div',
    { class: 'buttons' },
    h('button', { type: 'button', onclick: stop }, 'Cancel'),
    h('button', { type: 'button', class: 'primary', onclick: save }, 'Save'),
  );
  return h('div', { class: 'editor' }, text, buttons);
}
