import * as api from './api.js';
import { toHash } from './directory.js';
import { askToConfirm, button, dateAndTime, h, renderAvatar, timeOfDay } from './dom.js';
import { renderSize } from './files.js';
import { renderPart } from './message-part.js';

/**
 * A message as it is shown. `update` puts a newer version in its place and leaves alone what did
 * not change, so that a button keeps the focus while the text above it grows.
 *
 * @param {object} conversation
 * @param {(platform: string) => void} conversation.asks called before a button is pressed
 * @param {import('./directory.js').Place} conversation.place where it is shown
 * @param {(id: string) => string} conversation.excerpt the beginning of another message on the page, or ''
 */
export function createMessageView(first, { directory, toasts, asks, place, excerpt }) {
  const { platform } = place;
  const { channel } = first;
  const at = { user: directory.me(platform).id, channel, message: first.id };
  const names = directory.names(platform);
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
    const hash = threadHash();
    const role = directory.role(platform, message.author.id);
    const replied = message.replyTo && excerpt(message.replyTo);
    replaceChanged(by, renderBy(message, role, replied));
    updateParts();
    replaceChanged(below, renderBelow(message, hash));
    replaceChanged(actions, renderActions(hash));
  }

  /** The place of the thread that starts here, if there may be one. */
  function threadHash() {
    const { onlyFor, threadLabel } = message;
    const canOpen =
      !place.thread && !onlyFor && (platform === 'slack' || threadLabel !== undefined);
    return canOpen ? toHash({ platform, channel, thread: message.id }) : undefined;
  }

  function updateParts() {
    edited.remove();
    for (const [index, part] of message.parts.entries()) {
      const json = JSON.stringify(part);
      if (shownParts[index] === json) continue;
      const node = renderPart(part, names, press);
      const old = parts.children[index];
      if (old) old.replaceWith(node);
      else parts.append(node);
    }
    while (parts.children.length > message.parts.length) parts.lastElementChild?.remove();
    shownParts = message.parts.map((part) => JSON.stringify(part));
    if (message.edited) endOf(parts).append(edited);
  }

  function renderActions(hash) {
    const shortcuts = message.onlyFor === undefined ? directory.shortcuts(platform) : [];
    const isEditable = message.source !== undefined && message.author.id === at.user;
    return [
      shortcuts.length > 0 && renderMenu(shortcuts),
      hash && !message.threadLabel && h('a', { class: 'button', href: hash }, 'Reply in thread'),
      isEditable && button('Edit', startEdit),
      isEditable && button('Delete', remove),
    ];
  }

  /** The app's actions on messages. */
  function renderMenu(shortcuts) {
    const items = shortcuts.map(({ id, name }) =>
      button(name, () => {
        menu.open = false;
        return act('shortcut', { shortcut: id });
      }),
    );
    const menu = h(
      'details',
      { class: 'more' },
      h('summary', { class: 'button' }, 'More actions'),
      h('div', { class: 'items' }, ...items),
    );
    return menu;
  }

  function press({ action }, value) {
    asks(platform);
    return act('press', { action, value });
  }

  /** Does something with the message, and says so where the bot fails. */
  function act(operation, given) {
    return toasts.attempt(async () => {
      const answer = await api.post(`${platform}/${operation}`, { ...at, ...given });
      if (answer.acknowledged === false) toasts.complain('The app did not respond in time.');
      if (answer.outcome === 'failed') toasts.complain(answer.reason);
    });
  }

  function startEdit() {
    const stop = () => {
      editor.replaceWith(parts);
      actions.querySelector('button')?.focus();
    };
    const editor = createEditor(directory.toTyped(platform, message.source), edit, stop);
    parts.replaceWith(editor);
    editor.querySelector('textarea').focus();
  }

  function edit(text) {
    const sent = { ...at, text: directory.toSent(platform, text) };
    return toasts.attempt(() => api.post(`${platform}/edit`, sent));
  }

  async function remove() {
    if (!(await askToConfirm('Delete this message?', 'Delete'))) return;
    await toasts.attempt(() => api.post(`${platform}/delete`, at));
  }

  update(first);
  return {
    element,
    update,
    edit: startEdit,
    day: new Date(first.at).toDateString(),
    /** Names its day if it is the first of one; `continues`: it follows another of its author. */
    arrange({ day: name, continues }) {
      whole.classList.toggle('continues', continues);
      day.textContent = name ?? '';
      if (name === undefined) day.remove();
      else element.prepend(day);
    },
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

function renderBy({ author, at, onlyFor, command }, role, replied) {
  return [
    replied && h('div', { class: 'replied' }, '↪ ', h('bdi', {}, replied)),
    command && renderCommand(command),
    h('strong', { dir: 'auto' }, author.displayName),
    author.bot && h('span', { class: 'badge' }, 'APP'),
    role && h('span', { class: 'badge role' }, role),
    renderTime(at),
    onlyFor && h('span', { class: 'note' }, 'Only visible to you'),
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

function renderBelow({ files, threadLabel }, hash) {
  const links = files.map(({ name, size, url }) =>
    h(
      'a',
      { class: 'file', href: url, download: name },
      h('bdi', {}, name),
      h('span', { class: 'note' }, renderSize(size)),
    ),
  );
  if (!hash || !threadLabel) return links;
  const label = [h('bdi', {}, threadLabel), ' ›'];
  return [...links, h('a', { class: 'button thread-link', href: hash }, label)];
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
