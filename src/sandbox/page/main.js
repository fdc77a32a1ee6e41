import * as api from './api.js';
import { createUnread, forgetWritten } from './browser-storage.js';
import { createCommandCompletion } from './command-completion.js';
import { createSuggestions } from './commands.js';
import { createConversation } from './conversation.js';
import { createDirectory, parsePlace, toHash } from './directory.js';
import { stayOnDrops } from './files.js';
import { createFormDialog, createModals } from './form-dialog.js';
import { createForum } from './forum.js';
import { createInspector } from './inspector/inspector.js';
import { createAnnouncer, createToasts, showLost } from './notices.js';
import { createSending } from './sending.js';
import { renderRail, renderSidebar } from './sidebar.js';
import { createTour } from './tour.js';

/** @returns {any} */
const find = (id) => document.getElementById(id);

const directory = createDirectory();
const toasts = createToasts(find('toasts'), find('lost'));
const answers = createAnswers(directory);
const asks = answers.expect;
const suggestions = createSuggestions(directory);
const dialog = createFormDialog(find('form'));
const modals = createModals({ dialog, directory, toasts, asks });
const send = createSending({ directory, toasts, suggestions, asks });
const complete = createCommandCompletion({ directory, suggestions });
const announce = createAnnouncer(find('announcer'));
const page = { directory, toasts, complete, send, asks, announce };
const channelView = createConversation(find('channel'), page);
const threadView = createConversation(find('thread'), page);
const forumView = createForum(find('forum'), { directory, toasts, dialog, go });
createInspector(find('drawer'), find('inspect'), toasts);
stayOnDrops();

/** @type {import('./directory.js').Place | undefined} */
let here;
const unread = createUnread(directory);
let unreadHashes = new Set();
/** The last place on each platform. */
const lastHashes = new Map();
/** The Discord server that was shown last. */
let server;
const tour = createTour(find('tour'), {
  directory,
  toasts,
  here: () => here,
  write,
  writeInThread,
});
/** Changes since the event stream started, until everything is loaded. */
let waiting = [];
/** On a touch screen, focusing would open the keyboard. */
const focusesAlone = !matchMedia('(pointer: coarse)').matches;

/** Shows the place in the URL. */
async function navigate() {
  const before = here;
  here = directory.resolve(parsePlace(location.hash));
  const { thread, ...channel } = here;
  lastHashes.set(here.platform, toHash(here));
  if (toHash(here) !== location.hash) history.replaceState(undefined, '', toHash(here));
  seeHere();
  showSidebar();
  document.title = `${directory.channel(here.platform, here.channel).name} · Causeway sandbox`;
  document.body.classList.remove('choosing');
  document.body.classList.toggle('threaded', thread !== undefined);
  const isForum = directory.channel(here.platform, here.channel).forum !== undefined;
  find('channel').hidden = isForum;
  find('forum').hidden = !isForum;
  find('thread').hidden = thread === undefined;

  const isSame = before && toHash({ ...before, thread: undefined }) === toHash(channel);
  if (!thread || (before && toHash(before) !== toHash(here))) threadView.leave();
  if (isForum) {
    channelView.leave();
    forumView.open(channel);
  } else forumView.leave();
  const opens = !isSame && !isForum;
  await Promise.all([opens && channelView.open(channel), thread && threadView.open(here)]);
}

/** Goes to a place, with an entry in the browser's history. */
function go(place) {
  history.pushState(undefined, '', toHash(place));
  void navigate();
}

/** Returns whether what is unread has changed. */
function seeHere() {
  unread.see([toHash(here), toHash({ ...here, thread: undefined })]);
  const before = unreadHashes;
  unreadHashes = unread.hashes();
  return unreadHashes.symmetricDifference(before).size > 0;
}

function showSidebar() {
  document.body.dataset.platform = here.platform;
  const lastHash = (platform) => lastHashes.get(platform) ?? `#${platform}`;
  server = directory.serverOf(here) ?? server ?? directory.servers()[0]?.id;
  const shown = { directory, here, unread: unreadHashes, server };
  renderRail(find('rail'), { ...shown, lastHash, below: tour.opener });
  renderSidebar(find('sidebar'), { ...shown, become: (name) => void become(name) });
}

async function become(name) {
  directory.become(name);
  await showAll();
}

/** Loads and shows everything again. */
async function showAll() {
  here = undefined;
  unread.load();
  await navigate();
  await toasts.attempt(modals.load);
}

function receive(change) {
  if (change.kind === 'workspaces') {
    void toasts.attempt(async () => {
      await directory.load();
      showSidebar();
    });
    return;
  }
  const isListed = directory.receive(change);
  modals.receive(change);
  channelView.receive(change);
  forumView.receive(change);
  threadView.receive(change);
  unread.receive(change);
  tour.receive(change);
  const answer = answers.find(change);
  if (answer && showsHere(change)) openAnswer(answer);
  if (seeHere() || isListed) showSidebar();
}

function showsHere({ platform, channel, message, thread }) {
  const there = channel ?? message?.channel ?? thread.channel;
  return here.platform === platform && here.channel === there;
}

/**
 * Opens the thread of the answer and moves there what the user has written meanwhile. Another
 * question for the bot stays in the channel.
 */
function openAnswer(thread) {
  if (here.thread === thread) return;
  const { platform, channel } = here;
  const text = isNewQuestion(channelView.draft) ? '' : channelView.draft;
  go({ platform, channel, thread });
  if (text) {
    channelView.draft = '';
    threadView.draft += text;
  }
  if (!isNewQuestion(channelView.draft)) focus();
}

function isNewQuestion(text) {
  return text.startsWith('/') || text.startsWith(`@${directory.bot(here.platform).name}`);
}

/**
 * Puts a text into the composer of the open channel or, if the bot doesn't answer there, of the first
 * channel in which it does.
 */
function write(text, files = []) {
  const { platform, channel } = here;
  const answers = directory.channels(platform).filter(({ kind, botAnswers, forum }) => {
    return kind === 'channel' && botAnswers && !forum;
  });
  const { id } = answers.find((one) => one.id === channel) ?? answers[0];
  go({ platform, channel: id });
  channelView.draft = text;
  if (files.length > 0) channelView.attach(files);
  channelView.focus();
}

/** Puts a text into the composer of the open thread; without one, a question into the channel's. */
function writeInThread(text) {
  if (!here.thread) {
    write(`@${directory.bot(here.platform).name} ${text}`);
    return;
  }
  threadView.draft = text;
  threadView.focus();
}

/** An open form keeps the focus and, when it closes, would give it back to where it was. */
function focus() {
  if (!focusesAlone) return;
  const view = here.thread ? threadView : channelView;
  if (find('form').open) find('form').addEventListener('close', view.focus, { once: true });
  else view.focus();
}

async function follow() {
  await navigate();
  focus();
}

/** Changes that arrive while everything loads are applied afterwards. */
async function begin() {
  showLost(find('lost'), false);
  const changes = [];
  waiting = changes;
  const isFirst = !directory.isLoaded;
  await directory.load();
  await showAll();
  if (waiting !== changes) return;
  waiting = undefined;
  changes.forEach(receive);
  if (isFirst) focus();
}

api.follow({
  opened: () => void toasts.attempt(begin),
  lost: () => showLost(find('lost'), true),
  changed(change) {
    if (change.kind === 'emptied') {
      // Its thread is gone.
      if (here) history.replaceState(undefined, '', toHash({ ...here, thread: undefined }));
      // After the conversations have kept what was being written.
      addEventListener('pagehide', forgetWritten);
      location.reload();
    } else if (waiting) waiting.push(change);
    else receive(change);
  },
});
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented || find('form').open) return;
  if (here?.thread) location.hash = toHash({ ...here, thread: undefined });
});
addEventListener('hashchange', () => here && void follow());
// A link to the current place doesn't change the hash.
find('sidebar').addEventListener('click', ({ target }) => {
  if (target.closest('a')) document.body.classList.remove('choosing');
});

/**
 * Finds the thread in which the bot answers the user's last action. The answer may begin before the
 * sandbox confirms that action, so only the order of the changes counts.
 */
function createAnswers(directory) {
  /**
   * Per platform, the messages in channels since the user acted. An answer's thread starts from one
   * of them: from the user's own, or from the bot's after a command.
   *
   * @type {Record<string, Set<string> | undefined>}
   */
  const openers = {};

  function isOpener(platform, { author, onlyFor, thread }) {
    const isOurs = author.bot || author.id === directory.me(platform).id;
    return isOurs && !onlyFor && thread === undefined;
  }

  return {
    /** To be called before a message, a command or a form is sent, or a button is pressed. */
    expect(platform) {
      openers[platform] = new Set();
    },

    /** The thread that answers, if the change is the first sign of it. */
    find(change) {
      const { platform, kind, message } = change;
      const known = openers[platform];
      if (!known) return undefined;
      if (kind === 'message' && isOpener(platform, message)) known.add(message.id);
      const thread = findAnswered(change);
      if (thread === undefined || !known.has(thread)) return undefined;
      openers[platform] = undefined;
      return thread;
    },
  };
}

/** The thread in which the bot does something. */
function findAnswered({ kind, thread, text, message }) {
  if (kind === 'thread') return thread.id;
  if (kind === 'activity') return text ? thread : undefined;
  return kind === 'message' && message.author.bot ? message.thread : undefined;
}
