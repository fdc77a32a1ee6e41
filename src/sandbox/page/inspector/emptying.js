import * as api from '../api.js';
import { h, newId } from '../dom.js';

/**
 * The button that deletes everything said, after a confirmation that says what that is.
 *
 * @param {any} toasts
 */
export function createEmptying(toasts) {
  const title = newId();
  const list = h('ul');
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel');
  const confirm = h(
    'button',
    { type: 'button', class: 'danger', onclick: empty },
    'Empty everything',
  );
  const dialog = h(
    'dialog',
    { 'aria-labelledby': title },
    h('h2', { id: title }, 'Empty everything?'),
    h('p', {}, 'This deletes from the sandbox, on Slack and on Discord, for good:'),
    list,
    h(
      'p',
      {},
      'People, channels and settings stay, and so does what the chatbot service has: sources, tags, agents and sessions.',
    ),
    h('p', { class: 'buttons end' }, cancel, confirm),
  );

  async function ask() {
    const contents = await toasts.attempt(() => api.get('inspector/contents'));
    if (!contents) return;
    const { messages, threads, files } = contents;
    const deleted = [
      `all messages, also those that only one person sees: ${messages}`,
      `all threads on Discord: ${threads}`,
      `all files in messages: ${files}`,
      'the forms that are open in Slack',
      'what this inspector has recorded',
    ];
    list.replaceChildren(...deleted.map((each) => h('li', {}, each)));
    dialog.showModal();
    cancel.focus();
  }

  /** The page hears of it like everyone's, and loads again. */
  async function empty() {
    dialog.close();
    await toasts.attempt(() => api.post('inspector/empty', {}));
  }

  return [h('button', { type: 'button', onclick: ask }, 'Empty everything…'), dialog];
}
