import * as api from './api.js';
import { createStoredMap, draftsName } from './browser-storage.js';
import { createComposer } from './composer.js';
import { showsIn, toHash } from './directory.js';
import { button, h } from './dom.js';
import { takeDrops } from './files.js';
import { renderHeading } from './heading.js';
import { createMessageView } from './message.js';
import { createMessageList, createScroller, isOlder } from './message-list.js';

/** @typedef {import('./directory.js').Place} Place */

const pageSize = '50';
const maxDrafts = 50;

/**
 * A channel, or a thread: its messages, what the bot is doing, and where people write.
 *
 * @param {HTMLElement} pane where it is shown
 * @param {object} page
 * @param {any} page.complete completes a command that is typed in a place
 * @param {(place: Place, text: string, files: File[]) => Promise<boolean>} page.send
 * @param {(platform: string) => void} page.asks called before a button is pressed
 * @param {(id: string, read: () => string) => void} page.announce
 */
export function createConversation(pane, { directory, toasts, complete, send, asks, announce }) {
  /** @type {Place | undefined} */
  let place;
  let draftKey = '';
  let loading;
  let quiet;
  const drafts = createStoredMap(draftsName, maxDrafts);

  const heading = h('header', { class: 'heading' });
  const hidden = { hidden: true };
  const earlier = button('Show earlier messages', showEarlier, hidden);
  const later = button('Show later messages', showLater, hidden);
  const newest = button('Jump to the newest', showNewest, hidden);
  const hint = h('div', { class: 'hint', hidden: true });
  const list = createMessageList(createView);
  const scroller = createScroller(
    h('div', { class: 'pages' }, earlier),
    list.element,
    h('div', { class: 'pages' }, later, newest),
    hint,
  );
  const activity = h('span', { role: 'status' });
  const stop = button('Stop', tryStop, { class: 'danger', hidden: true });
  const composer = createComposer({
    people: () => directory.mentionable(place.platform),
    complete: (before, attached) => complete(place, before, attached),
    send: (text, files) => send(place, text, files),
    editLast,
  });

  // What people write comes first in the order of the focus; the styles show it last.
  pane.append(
    composer.element,
    heading,
    scroller.element,
    h('div', { class: 'activity' }, activity, stop),
  );
  takeDrops(pane, composer.attach);
  addEventListener('pagehide', keepDraft);

  function keepDraft() {
    if (!place) return;
    if (composer.draft) drafts.set(draftKey, composer.draft);
    else drafts.delete(draftKey);
  }

  function leave() {
    keepDraft();
    place = undefined;
    loading = undefined;
  }

  async function open(next) {
    leave();
    place = next;
    draftKey = `${directory.who} ${toHash(place)}`;
    composer.draft = drafts.get(draftKey) ?? '';
    composer.address(labelComposer(directory, place));
    showHeading();
    await showNewest();
  }

  function showHeading() {
    heading.replaceChildren(...renderHeading(directory, place, toasts));
  }

  async function showNewest() {
    await load({}, (found) => {
      list.reset(found?.messages ?? []);
      earlier.hidden = !found?.more;
      showLaterButtons(false);
      showActivity(found?.activity ?? '', found?.lasts);
      stop.hidden = found?.stoppable !== true;
    });
    scroller.toEnd();
  }

  async function showEarlier() {
    if (loading) return;
    await load({ before: list.ids[0] }, (found) => {
      if (!found) return;
      scroller.keep(list.element, () => {
        const hasDropped = list.addEarlier(found.messages);
        if (hasDropped) showLaterButtons(true);
      });
      earlier.hidden = !found.more;
    });
  }

  async function showLater() {
    if (loading) return;
    await load({ after: list.ids.at(-1) }, (found) => {
      if (!found) return;
      scroller.keep(list.element, () => {
        const hasDropped = list.addLater(found.messages);
        if (hasDropped) earlier.hidden = false;
      });
      showLaterButtons(found.more);
    });
  }

  function showLaterButtons(isShown) {
    later.hidden = !isShown;
    newest.hidden = !isShown;
  }

  /** Changes that arrive while messages load are applied afterwards. */
  async function load(range, show) {
    const mine = { changes: [] };
    loading = mine;
    const query = { ...directory.at(place), ...range, limit: pageSize };
    const path = `${place.platform}/messages`;
    const found = await toasts.attempt(() => api.get(path, query));
    if (loading !== mine) return;
    loading = undefined;
    show(found);
    for (const change of mine.changes) receive(change);
    showHint();
  }

  function receive(change) {
    if (!place || change.platform !== place.platform) return;
    if (loading) {
      loading.changes.push(change);
      return;
    }
    if (change.kind === 'thread' && change.thread.id === place.thread) showHeading();
    const shown = change.message ?? change;
    if (change.kind === 'removed') {
      list.remove(shown.id);
      showHint();
    }
    if (!showsIn(place, shown)) return;
    if (change.kind === 'message') showMessage(shown);
    if (change.kind === 'working') stop.hidden = !shown.stoppable;
    if (change.kind === 'activity') showActivity(shown.text, shown.lasts);
  }

  function showMessage(message) {
    if (message.onlyFor && message.onlyFor !== directory.me(place.platform).id) return;
    const view = list.update(message);
    if (!view && !addNew(message)) return;
    if (!view && message.author.bot) showActivity('', 0);
    if (isOwn(message)) scroller.toEnd();
    else announce(message.id, () => list.get(message.id)?.announcement ?? '');
    showHint();
  }

  /** Returns whether it is on the page: an edited message further up or down is not. */
  function addNew(message) {
    const [first] = list.ids;
    if (!earlier.hidden && first && isOlder(message.id, first)) return false;
    if (later.hidden) {
      if (list.add(message)) earlier.hidden = false;
      return true;
    }
    if (isOwn(message)) void showNewest();
    return false;
  }

  /** Edits the user's last message, as in Slack and Discord. */
  function editLast() {
    const last = list.messages.findLast((one) => isOwn(one) && one.source !== undefined);
    if (last) list.get(last.id).edit();
  }

  function createView(message) {
    const excerpt = (id) => list.get(id)?.excerpt ?? '';
    return createMessageView(message, { directory, toasts, asks, place, excerpt });
  }

  function tryStop() {
    const body = directory.at(place);
    return toasts.attempt(() => api.post(`${place.platform}/stop`, body));
  }

  function isOwn({ author }) {
    return author.id === directory.me(place.platform).id;
  }

  function showActivity(text, lasts) {
    clearTimeout(quiet);
    activity.textContent = text;
    if (text) quiet = setTimeout(() => showActivity('', 0), lasts);
  }

  function showHint() {
    hint.hidden = list.ids.length > 0;
    if (!hint.hidden) hint.replaceChildren(...renderHint(directory, place, write));
  }

  function write(text) {
    composer.draft = text;
    composer.focus();
  }

  return {
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

const exampleQuestion = 'How do I add a source?';

/**
 * What to try while there are no messages.
 *
 * @param {Place} place
 * @param {(text: string) => void} write puts a text into the composer
 */
function renderHint(directory, { platform, channel, thread }, write) {
  if (thread) return [h('p', {}, 'No messages in this thread yet.')];
  const { kind, botAnswers } = directory.channel(platform, channel);
  const { name, displayName } = directory.bot(platform);
  const tryIt = (text) => button(text, () => write(text));
  if (!botAnswers && platform === 'slack' && kind === 'channel') {
    const why = `No messages here yet. ${displayName} is not in this channel. To bring it in:`;
    return [h('p', {}, why), tryIt(`/invite @${name}`)];
  }
  if (!botAnswers) return [h('p', {}, `No messages here yet. ${displayName} can’t write here.`)];
  const example = kind === 'direct' ? exampleQuestion : `@${name} ${exampleQuestion}`;
  return [h('p', {}, 'No messages here yet. Try:'), tryIt(example)];
}

/** What the composer says while it is empty. */
function labelComposer(directory, { platform, channel, thread }) {
  if (thread) return 'Reply in the thread';
  const { name, kind } = directory.channel(platform, channel);
  return kind === 'channel' ? `Message #${name}` : `Message ${name}`;
}
