import { button, h } from './dom.js';
import { renderSize } from './files.js';
import { createCompletion } from './option-list.js';

/** @typedef {import('./option-list.js').Completions} Completions */

const maxFiles = 10;

/**
 * The message composer: Enter sends, Shift+Enter starts a new line, `@` completes names, and `/`
 * commands.
 *
 * @param {object} options
 * @param {() => { name: string, displayName: string }[]} options.people
 * @param {(before: string, attached: import('./command-completion.js').Attached) => Promise<Completions>} options.complete a command
 * @param {(text: string, files: File[]) => Promise<boolean>} options.send whether it was sent
 * @param {() => void} options.editLast called when Up is pressed in an empty composer
 */
export function createComposer({ people, complete, send, editLast }) {
  let files = [];
  let sending = false;
  const text = h('textarea', { rows: 1, dir: 'auto', autocomplete: 'off', spellcheck: 'true' });
  const attached = h('ul', { class: 'chips', hidden: true });
  const picker = h('input', { type: 'file', multiple: true, hidden: true, tabindex: -1 });
  const label = 'Attach files';
  const attach = button('+', () => picker.click(), {
    class: 'attach',
    'aria-label': label,
    title: label,
  });
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Send');
  const completion = createCompletion(text, find);
  const element = h(
    'form',
    { class: 'composer' },
    completion.list,
    attached,
    h('div', { class: 'row' }, text, attach, picker, submit),
  );

  function find(before) {
    const [, typed] = /(?:^|\s)@([\w.-]*)$/.exec(before) ?? [];
    if (typed !== undefined) return findPeople(typed.toLowerCase());
    return /^\/[^\n]*$/.test(before)
      ? complete(before, attachedNow())
      : { choices: [], isMarked: false };
  }

  function attachedNow() {
    return { count: files.length, choose: () => picker.click() };
  }

  /** Empty once a full name is typed, because Enter then sends. */
  function findPeople(typed) {
    const found = people().filter(({ name, displayName }) =>
      [name, displayName.toLowerCase()].some((known) => known.startsWith(typed)),
    );
    const isWhole = found.length === 1 && found[0].name === typed;
    const choices = found.map(({ name, displayName }) => ({
      label: displayName,
      hint: `@${name}`,
      replaces: typed.length + 1,
      choose: () => `@${name} `,
    }));
    return { choices: isWhole ? [] : choices, isMarked: true };
  }

  function showFiles(next) {
    files = next;
    attached.hidden = files.length === 0;
    attached.replaceChildren(...files.map(renderAttached));
  }

  function renderAttached(file) {
    const remove = () => showFiles(files.filter((one) => one !== file));
    return h(
      'li',
      {},
      `${file.name} `,
      h('span', { class: 'note' }, renderSize(file.size)),
      button('×', remove, { 'aria-label': `Remove ${file.name}` }),
    );
  }

  function attachFiles(more) {
    showFiles([...files, ...more].slice(0, maxFiles));
    completion.close();
    text.focus();
  }

  async function trySend() {
    if (sending || (!text.value.trim() && files.length === 0)) return;
    sending = true;
    submit.disabled = true;
    const [writing, bringing] = [text.value, files];
    text.value = '';
    completion.close();
    showFiles([]);
    const sent = await send(writing, bringing).catch(() => false);
    if (!sent) {
      text.value = text.value || writing;
      if (files.length === 0) showFiles(bringing);
    }
    sending = false;
    submit.disabled = false;
  }

  picker.addEventListener('change', () => {
    attachFiles(picker.files);
    picker.value = '';
  });
  text.addEventListener('paste', ({ clipboardData }) => {
    if (clipboardData.files.length > 0) attachFiles(clipboardData.files);
  });
  text.addEventListener('keydown', (event) => {
    if (completion.takeKey(event)) return;
    if (event.key === 'ArrowUp' && text.value === '') {
      event.preventDefault();
      editLast();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void trySend();
  });
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void trySend();
    text.focus();
  });

  return {
    element,
    /** The unsent text. */
    get draft() {
      return text.value;
    },
    set draft(value) {
      text.value = value;
      completion.close();
    },
    /** @param {string} label */
    address(label) {
      text.setAttribute('placeholder', label);
      text.setAttribute('aria-label', label);
    },
    focus: () => text.focus(),
    /** @param {Iterable<File>} more */
    attach: attachFiles,
  };
}
