import { parsePlace } from './directory.js';
import { button, h } from './dom.js';
import { fetchSample, sampleType } from './files.js';
import { platformNames } from './sidebar.js';

const storageKey = 'tour';
const primary = { class: 'button primary' };
const welcome =
  'This is Causeway, a bot that answers questions from your documents, in a Slack workspace and a Discord server that exist on this computer only.';

/**
 * The welcome, and a tour of six steps that moves on as the person does them. It can be left, and
 * continues later where it was.
 *
 * @param {HTMLElement} element
 * @param {object} page
 * @param {() => import('./directory.js').Place} page.here
 * @param {(text: string, files?: File[]) => void} page.write puts it into the composer of a channel in which the bot answers
 * @param {(text: string) => void} page.writeInThread puts it into the composer of the open thread, if there is one
 */
export function createTour(element, { directory, toasts, here, write, writeInThread }) {
  /**
   * Step 0 is the welcome; the last one says that the tour is over. Later edits of a message that
   * ended a step don't end another one, even after a reload.
   */
  let { step, isOpen, ended = [] } = readState();
  let seen = createSeen();
  const opener = button('Tour', () => go(step > steps.length ? 0 : step), { id: 'tour-opener' });

  function createSeen() {
    const isNew = ({ id }) => !ended.includes(id);
    return { asked: new Set(), isAskedInThread: false, isFileSent: false, isNew };
  }

  function go(next) {
    step = next;
    isOpen = true;
    // On a phone, it was opened from the list of channels.
    document.body.classList.remove('choosing');
    seen = createSeen();
    save();
  }

  function leave() {
    isOpen = false;
    save();
    opener.focus();
  }

  function save() {
    localStorage.setItem(storageKey, JSON.stringify({ step, isOpen, ended }));
    render();
  }

  function render() {
    element.hidden = !isOpen;
    opener.hidden = isOpen;
    element.replaceChildren(...(isOpen ? renderStep() : []));
  }

  function renderStep() {
    if (step === 0) {
      const start = button('Take the tour', () => go(1), primary);
      return [h('p', {}, welcome), buttons(start, button('Not now', leave))];
    }
    const shown = steps[step - 1];
    if (!shown) {
      const other = parsePlace(location.hash)?.platform === 'discord' ? 'slack' : 'discord';
      const name = platformNames[other];
      const text = `That was the tour. Everything you added stays until you delete it. The same bot is in ${name}, and answers from the same documents.`;
      const see = h('a', { ...primary, href: `#${other}`, onclick: leave }, `See it in ${name}`);
      return [h('p', { role: 'status' }, text), buttons(see, button('Close', leave))];
    }
    const { title, file } = shown;
    const text = seen.isFileSent && shown.afterFile ? shown.afterFile : shown.text;
    return [
      h(
        'p',
        { role: 'status' },
        h('span', { class: 'note' }, `${step} of ${steps.length} `),
        h('strong', {}, title),
        ` ${text}`,
      ),
      buttons(
        ...(file && !seen.isFileSent
          ? [renderDocument(file), button('Attach it', () => attach(file), primary)]
          : []),
        shown.write && button('Write it', () => prepare(shown), primary),
        button('Skip', () => go(step + 1)),
        button('Leave', leave),
      ),
    ];
  }

  function prepare({ write: toText, isFollowUp }) {
    const { platform } = here();
    const bot = directory.bot(platform).name;
    const text = toText({ platform, bot, origin: directory.origin() });
    if (isFollowUp) writeInThread(text);
    else write(text);
  }

  async function attach(name) {
    const file = await toasts.attempt(() => fetchSample(name));
    if (file) write('', [file]);
  }

  render();
  // The last step names the other platform.
  addEventListener('hashchange', () => step > steps.length && render());
  return {
    /** Opens it. */
    opener,

    /** Moves on when the change shows that the step is done. */
    receive(change) {
      const shown = isOpen ? steps[step - 1] : undefined;
      if (!shown || change.platform !== here().platform) return;
      note(change);
      if (!shown.isDone(change, seen)) return;
      ended = [...ended, change.message.id].slice(-steps.length);
      go(step + 1);
    },
  };

  /** Notes where the person asked: the bot itself says the question of a command. */
  function note({ kind, platform, message }) {
    if (kind !== 'message' || message.onlyFor) return;
    const { id, channel, thread, author, files } = message;
    if (!thread) seen.asked.add(id);
    if (author.id !== directory.me(platform).id) return;
    if (!seen.isFileSent && files.length > 0) {
      seen.isFileSent = true;
      render();
    }
    if (thread) seen.isAskedInThread = true;
    const isDirect = directory.channel(platform, channel)?.kind === 'direct';
    if (thread || isDirect) seen.asked.add(thread ?? channel);
  }
}

/** A document to drag, or to download. */
function renderDocument(name) {
  const ondragstart = ({ dataTransfer }) => dataTransfer.setData(sampleType, name);
  const dragged = { class: 'button document', draggable: 'true', ondragstart };
  return h('a', { ...dragged, href: `samples/${name}`, download: name }, name);
}

function readState() {
  const stored = localStorage.getItem(storageKey);
  return stored ? JSON.parse(stored) : { step: 0, isOpen: true };
}

function buttons(...children) {
  return h('div', { class: 'buttons' }, ...children);
}

/**
 * A step of the tour: what to do, what the page can do for the person, and which change shows that it
 * is done.
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {string} text
 * @property {(at: { platform: string, bot: string, origin: string }) => string} [write] what to write in a channel
 * @property {boolean} [isFollowUp] whether it is written in the open thread
 * @property {string} [file] a document to add
 * @property {string} [afterFile] what to do once a file was sent, in place of `text`
 * @property {(change: any, seen: Seen) => boolean} isDone
 *
 * What was seen since the step began.
 *
 * @typedef {object} Seen
 * @property {Set<string>} asked the threads, and direct channels, in which the person wrote
 * @property {boolean} isAskedInThread whether one of them was open already
 * @property {boolean} isFileSent whether they sent a file
 * @property {(message: any) => boolean} isNew whether no earlier step ended with the message
 */

const isFromBot = ({ kind, message }) => kind === 'message' && message.author.bot;

function isAnswer(change, { asked, isNew }) {
  if (!isFromBot(change) || change.message.onlyFor || !isNew(change.message)) return false;
  return asked.has(change.message.thread ?? change.message.channel);
}

/** The bot speaks English with the sandbox's people. */
function isReady(change, { isNew }) {
  return (
    isFromBot(change) &&
    isNew(change.message) &&
    change.message.parts.some(({ text = '' }) => text.includes(' is ready'))
  );
}

const mentioning =
  (question) =>
  ({ bot }) =>
    `@${bot} ${question}`;

/** @type {Step[]} */
const steps = [
  {
    title: 'Ask',
    text: 'Mention the bot in a channel and ask it something. The answer opens in a thread.',
    write: mentioning('What can you do?'),
    isDone: isAnswer,
  },
  {
    title: 'Follow up',
    text: 'Ask another question in the thread. There, the bot answers without a mention.',
    write: () => 'How do I add a source?',
    isFollowUp: true,
    isDone: (change, seen) => seen.isAskedInThread && isAnswer(change, seen),
  },
  {
    title: 'Add a file',
    text: 'Drop this handbook on a channel, and send it.',
    afterFile:
      'The file is sent, but the bot doesn’t know it yet. Point at the message, choose “Add files as sources” under “More actions”, and send the form.',
    file: 'cafe-handbook.md',
    isDone: isReady,
  },
  {
    title: 'Add a page',
    text: 'A command adds a web page. Send it, and wait until the bot says that the page is ready.',
    write: ({ platform, origin }) =>
      `${platform === 'slack' ? '/causeway source url' : '/source url'} ${origin}/sandbox/samples/events.html`,
    isDone: isReady,
  },
  {
    title: 'Ask about it',
    text: 'Ask something that only the handbook or the page knows.',
    write: mentioning('What is the lighthouse blend?'),
    isDone: isAnswer,
  },
  {
    title: 'See the citation',
    text: 'Below the answer are its sources. “Show passages” shows you the words that it is taken from.',
    isDone: (change) => isFromBot(change) && change.message.onlyFor !== undefined,
  },
];
