import * as api from './api.js';
import { commandLabel } from './command-label.js';
import { createComposer } from './composer.js';
import { h } from './dom.js';
import { labelComposer, renderHeading, renderHint } from './headings.js';
import { createMessageView } from './message.js';
import { showsIn, toHash } from './place.js';
import { toSent, toTyped } from './typed-text.js';

/** @typedef {import('./place.js').Place} Place */

const pageSize = 200;
const maxMessages = 9999;

/**
 * A channel, or a thread: its messages, what the bot is doing, and where one writes.
 *
 * @param {object} page
 * @param {any} page.directory
 * @param {any} page.toasts
 * @param {any} page.forms
 * @param {(place: Place, text: string, files: File[]) => Promise<boolean>} page.send
 * @param {(platform: string) => void} page.asks called before a button is pressed
 * @param {(id: string, read: () => string) => void} page.announce
 */
export function createConversation({ directory, toasts, forms, send, asks, announce }) {
  /** @type {Place | undefined} */
  let place;
  let views = new Map();
  let loading;
  let limit = pageSize;
  let quiet;
  const drafts = new Map();

  const heading = h('header', { class: 'heading' });
  const earlier = h(
    'button',
    { type: 'button', class: 'earlier', hidden: true, onclick: loadEarlier },
    'Show earlier messages',
  );
  const hint = h('div', { class: 'hint', hidden: true });
  const list = h('ol', { class: 'messages' });
  const scroller = h(
    'div',
    { class: 'scroller', tabindex: 0, role: 'log', 'aria-live': 'off', 'aria-label': 'Messages' },
    earlier,
    list,
    hint,
  );
  const activity = h('span', { role: 'status' });
  const stop = h(
    'button',
    { type: 'button', class: 'danger', hidden: true, onclick: tryStop },
    'Stop',
  );
  const composer = createComposer({
    people: () => directory.mentionable(place.platform),
    commands: listCommands,
    send: (text, files) => send(place, text, files),
    editLast,
  });

  function leave() {
    if (place) drafts.set(toHash(place), composer.draft);
    place = undefined;
    loading = undefined;
  }

  async function open(next) {
    leave();
    place = next;
    limit = pageSize;
    composer.draft = drafts.get(toHash(place)) ?? '';
    composer.address(labelComposer(directory, place));
    heading.replaceChildren(...renderHeading(directory, place));
    await load();
    scrollToEnd();
  }

  /** Changes that arrive while the messages load are applied afterwards. */
  async function load() {
    const mine = { changes: [] };
    loading = mine;
    const { platform, channel, thread } = place;
    const query = { user: directory.me(platform).id, channel, thread, limit: String(limit) };
    const found = await toasts.attempt(() => api.get(`${platform}/messages`, query));
    if (loading !== mine) return;
    loading = undefined;
    views = new Map();
    const messages = found?.messages ?? [];
    list.replaceChildren(...messages.map((message) => addView(message).element));
    earlier.hidden = !found?.more || limit === maxMessages;
    showActivity(found?.activity ?? '', found?.lasts);
    stop.hidden = found?.stoppable !== true;
    for (const change of mine.changes) receive(change);
    showHint();
  }

  async function loadEarlier() {
    const height = scroller.scrollHeight;
    limit = Math.min(limit * 4, maxMessages);
    await load();
    scroller.scrollTop += scroller.scrollHeight - height;
  }

  /** Applies a change; returns whether it is a message shown here. */
  function receive(change) {
    if (!place || change.platform !== place.platform) return false;
    if (loading) loading.changes.push(change);
    const shown = change.message ?? change;
    if (change.kind === 'removed' && !loading) drop(shown.id);
    if (!showsIn(place, shown)) return false;
    if (change.kind === 'message') return showMessage(shown);
    if (loading) return false;
    if (change.kind === 'working') stop.hidden = !shown.stoppable;
    if (change.kind === 'activity') showActivity(shown.text, shown.lasts);
    return false;
  }

  function showMessage(message) {
    if (message.onlyFor && message.onlyFor !== directory.me(place.platform).id) return false;
    if (loading) return true;
    const following = isOwn(message) || isAtEnd();
    const view = views.get(message.id);
    if (view) view.update(message);
    else list.append(addView(message).element);
    if (!view && message.author.bot) showActivity('', 0);
    if (following) scrollToEnd();
    if (!isOwn(message)) announce(message.id, () => describe(message.id));
    showHint();
    return true;
  }

  /** Slack and Discord do the same. */
  function editLast() {
    const own = [...views.values()].filter(({ message }) => isOwn(message));
    own.findLast(({ message }) => message.source !== undefined)?.edit();
  }

  function drop(id) {
    views.get(id)?.element.remove();
    views.delete(id);
    showHint();
  }

  function addView(message) {
    const { platform, thread } = place;
    const { channel, id } = message;
    const at = { user: directory.me(platform).id, channel, message: id };
    const canOpen = (shown) =>
      !thread && !shown.onlyFor && (platform === 'slack' || shown.threadLabel !== undefined);
    const view = createMessageView(message, {
      names: directory.names(platform),
      role: (author) => directory.role(platform, author),
      isOwn,
      excerpt: (other) => describe(other).slice(0, 80),
      typed: ({ source }) => toTyped(source, directory.mentionable(platform)),
      threadHash: (shown) =>
        canOpen(shown) ? toHash({ platform, channel, thread: id }) : undefined,
      press({ action }, value) {
        asks(platform);
        return toasts.attempt(() => act(`${platform}/press`, { ...at, action, value }));
      },
      edit(text) {
        const sent = toSent(text, directory.mentionable(platform));
        return toasts.attempt(() => api.post(`${platform}/edit`, { ...at, text: sent }));
      },
      remove: () => toasts.attempt(() => api.post(`${platform}/delete`, at)),
      shortcuts: () => directory.shortcuts(platform),
      use: (shortcut) => toasts.attempt(() => act(`${platform}/shortcut`, { ...at, shortcut })),
    });
    views.set(id, view);
    return view;
  }

  async function act(path, body) {
    const answer = await api.post(path, body);
    if (answer.acknowledged === false) toasts.complain('The app did not respond in time.');
    if (answer.outcome === 'failed') toasts.complain(answer.reason);
  }

  function tryStop() {
    const { platform, channel, thread } = place;
    const body = { user: directory.me(platform).id, channel, thread };
    return toasts.attempt(() => api.post(`${platform}/stop`, body));
  }

  function isOwn({ author }) {
    return author.id === directory.me(place.platform).id;
  }

  function describe(id) {
    const view = views.get(id);
    return view ? `${view.message.author.displayName}: ${view.text}` : '';
  }

  function isAtEnd() {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
  }

  function scrollToEnd() {
    scroller.scrollTop = scroller.scrollHeight;
  }

  function showActivity(text, lasts) {
    clearTimeout(quiet);
    activity.textContent = text;
    if (text) quiet = setTimeout(() => showActivity('', 0), lasts);
  }

  function showHint() {
    hint.hidden = views.size > 0;
    if (!hint.hidden) hint.replaceChildren(...renderHint(directory, place, write));
  }

  function write(text) {
    composer.draft = text;
    composer.focus();
  }

  function listCommands() {
    return directory.commands(place.platform).map((command) => ({
      label: commandLabel(command),
      description: command.description,
      choose: () => choose(command),
    }));
  }

  /** Returns what to put into the composer: on Slack, people go on typing; on Discord a form opens. */
  function choose(command) {
    if (place.platform === 'slack') return `${commandLabel(command)} `;
    forms.run(place, command, '');
    return '';
  }

  return {
    // What one writes comes first in the order of the focus; the styles show it last.
    element: [composer.element, heading, scroller, h('div', { class: 'activity' }, activity, stop)],
    open,
    leave,
    receive,
    focus: composer.focus,
    attach: composer.attach,
    /** The unsent text. */
    get draft() {
      return composer.draft;
    },
    set draft(text) {
      composer.draft = text;
    },
  };
}
