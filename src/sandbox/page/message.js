import { button, h, renderAvatar } from './dom.js';
import { renderSize } from './files.js';
import { renderPart } from './message-part.js';
import { dateAndTime, timeOfDay } from './time-formats.js';

/**
 * What a message's view needs from the page.
 *
 * @typedef {object} MessageOptions
 * @property {import('./inline.js').Names} names
 * @property {(message: any) => boolean} isOwn
 * @property {(id: string) => string | undefined} role what makes a person a manager, such as "Admin"
 * @property {(id: string) => string} excerpt the beginning of another message on the page, or nothing
 * @property {(message: any) => string} typed the text as its author edits it
 * @property {(message: any) => string | undefined} threadHash its thread's place, if it may have one
 * @property {(control: any, value?: string | string[]) => Promise<void>} press
 * @property {(text: string) => Promise<unknown>} edit resolves with nothing where it failed
 * @property {() => Promise<void>} remove
 * @property {() => { id: string, name: string }[]} shortcuts what the bot offers for a message with files
 * @property {(shortcut: string) => Promise<unknown>} use
 */

/**
 * A message as it is shown. `update` puts a newer version in its place and leaves alone what did
 * not change, so that a button keeps the focus while the text above it grows.
 *
 * @param {any} first
 * @param {MessageOptions} options
 */
export function createMessageView(first, options) {
  let message = first;
  let shownParts = [];
  const by = h('div', { class: 'by' });
  const parts = h('div', { class: 'parts' });
  const below = h('div', { class: 'below' });
  const actions = h('div', { class: 'actions' });
  const body = h('div', { class: 'body' }, by, parts, below);
  const whole = h('div', { class: 'message' }, renderAvatar(first.author), body, actions);
  const day = h('div', { class: 'day' });
  const element = h('li', {}, whole);
  const edited = h('span', { class: 'note' }, ' (edited)');

  function update(next) {
    message = next;
    whole.classList.toggle('hidden-from-others', message.onlyFor !== undefined);
    replaceChanged(by, renderBy(message, options));
    updateParts();
    replaceChanged(below, renderBelow(message, options));
    replaceChanged(actions, renderActions(message, options, startEdit));
  }

  function updateParts() {
    edited.remove();
    for (const [index, part] of message.parts.entries()) {
      const json = JSON.stringify(part);
      if (shownParts[index] === json) continue;
      const node = renderPart(part, options.names, options.press);
      const old = parts.children[index];
      if (old) old.replaceWith(node);
      else parts.append(node);
    }
    while (parts.children.length > message.parts.length) parts.lastElementChild?.remove();
    shownParts = message.parts.map((part) => JSON.stringify(part));
    if (message.edited) endOf(parts).append(edited);
  }

  function arrange({ day: name, continues }) {
    whole.classList.toggle('continues', continues);
    if (name === undefined) day.remove();
    else {
      day.textContent = name;
      element.prepend(day);
    }
  }

  function startEdit() {
    const stop = () => {
      editor.replaceWith(parts);
      actions.querySelector('button')?.focus();
    };
    const editor = createEditor(options.typed(message), options.edit, stop);
    parts.replaceWith(editor);
    editor.querySelector('textarea').focus();
  }

  update(first);
  return {
    element,
    update,
    arrange,
    edit: startEdit,
    day: new Date(first.at).toDateString(),
    get message() {
      return message;
    },
    /** What a screen reader says when it arrives. */
    get announcement() {
      return `${message.author.displayName}: ${parts.innerText}`;
    },
    /** Its beginning, for replies to it. */
    get excerpt() {
      return `${message.author.displayName}: ${parts.textContent}`.slice(0, 80);
    },
  };
}

/** A click is lost where its button is replaced between press and release. */
function replaceChanged(element, children) {
  const next = h('div', {}, ...children);
  if (next.innerHTML !== element.innerHTML) element.replaceChildren(...next.childNodes);
}

/** Where words can follow a message's text: within its last paragraph, otherwise below it. */
function endOf(parts) {
  const text = [...parts.children].findLast(({ classList }) => classList.contains('text'));
  const last = text?.lastElementChild;
  return last?.tagName === 'P' ? last : (text ?? parts);
}

function renderBy({ author, at, onlyFor, replyTo, command }, { excerpt, role }) {
  const replied = replyTo && excerpt(replyTo);
  return [
    replied ? h('div', { class: 'replied' }, '↪ ', h('bdi', {}, replied)) : '',
    command ? renderCommand(command) : '',
    h('strong', { dir: 'auto' }, author.displayName),
    author.bot ? h('span', { class: 'badge' }, 'APP') : '',
    role(author.id) ? h('span', { class: 'badge role' }, role(author.id)) : '',
    renderTime(at),
    onlyFor ? h('span', { class: 'note' }, 'Only visible to you') : '',
  ];
}

/** Who used which command, above its answer. */
function renderCommand({ user, name }) {
  const who = h('strong', {}, user.displayName);
  return h('div', { class: 'replied' }, who, ' used ', h('code', {}, name));
}

/** The day stands above the messages of a day. */
function renderTime(at) {
  const date = new Date(at);
  const text = timeOfDay.format(date);
  return h('time', { datetime: date.toISOString(), title: dateAndTime.format(date) }, text);
}

function renderBelow(message, { threadHash }) {
  const files = message.files.map(({ name, size, url }) =>
    h(
      'a',
      { class: 'file', href: url, download: name },
      h('bdi', {}, name),
      h('span', { class: 'note' }, renderSize(size)),
    ),
  );
  const hash = threadHash(message);
  if (!hash || !message.threadLabel) return files;
  return [
    ...files,
    h('a', { class: 'button thread-link', href: hash }, h('bdi', {}, message.threadLabel), ' ›'),
  ];
}

function renderActions(message, { isOwn, threadHash, remove, shortcuts, use }, startEdit) {
  const hash = threadHash(message);
  const offered = message.files.length > 0 ? shortcuts() : [];
  const actions = offered.map(({ id, name }) => button(name, () => use(id)));
  if (hash && !message.threadLabel) {
    actions.push(h('a', { class: 'button', href: hash }, 'Reply in thread'));
  }
  if (message.source === undefined || !isOwn(message)) return actions;
  const tryRemove = () => confirm('Delete this message?') && remove();
  return [...actions, button('Edit', startEdit), button('Delete', tryRemove)];
}

/**
 * The editor of a message: Enter saves, Escape cancels.
 *
 * @param {string} source
 * @param {(text: string) => Promise<unknown>} edit resolves with undefined if it failed
 * @param {() => void} stop called after saving or cancelling
 */
function createEditor(source, edit, stop) {
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
    button('Cancel', stop),
    button('Save', save, { class: 'primary' }),
  );
  return h('div', { class: 'editor' }, text, buttons);
}
