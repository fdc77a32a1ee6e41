import { h } from './dom.js';
import { fetchSample, sampleType } from './samples.js';
import { steps } from './tour-steps.js';

const storageKey = 'tour';
const welcome =
  'This is Causeway, a bot that answers questions from your documents, in a Slack workspace and a Discord server that exist on this computer only.';

/**
 * The welcome, and a tour of six steps that goes on as one does them. It can be left, and goes on
 * later where it was.
 *
 * @param {HTMLElement} element
 * @param {object} page
 * @param {any} page.directory
 * @param {any} page.toasts
 * @param {() => import('./place.js').Place} page.here
 * @param {(text: string, files?: File[]) => void} page.write puts it into the composer of a channel in which the bot answers
 * @param {(text: string) => void} page.writeInThread puts it into the composer of the open thread, if there is one
 */
export function createTour(element, { directory, toasts, here, write, writeInThread }) {
  /**
   * Step 0 is the welcome; the last one says that the tour is over. Later edits of the messages
   * that ended a step don't end another one, after a reload neither.
   */
  let { step, isOpen, ended = [] } = readState();
  let seen = createSeen();
  const opener = h(
    'button',
    { id: 'tour-opener', type: 'button', onclick: () => go(step > steps.length ? 0 : step) },
    'Tour',
  );

  function createSeen() {
    return {
      asked: new Set(),
      isAskedInThread: false,
      isNew: ({ id }) => !ended.includes(id),
    };
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
      const start = button('Take the tour', () => go(1), 'primary');
      return [h('p', {}, welcome), buttons(start, button('Not now', leave))];
    }
    const shown = steps[step - 1];
    if (!shown) {
      const text = 'That was the tour. Everything you added stays until you delete it.';
      return [h('p', { role: 'status' }, text), buttons(button('Close', leave, 'primary'))];
    }
    const { title, text, file } = shown;
    return [
      h(
        'p',
        { role: 'status' },
        h('span', { class: 'note' }, `${step} of ${steps.length} `),
        h('strong', {}, title),
        ` ${text}`,
      ),
      buttons(
        file && renderDocument(file),
        file && button('Attach it', () => attach(file), 'primary'),
        shown.write && button('Write it', () => prepare(shown), 'primary'),
        button('Skip', () => go(step + 1)),
        button('Leave', leave),
      ),
    ];
  }

  function prepare({ write: toText, isFollowUp }) {
    const { platform } = here();
    const text = toText({
      platform,
      bot: directory.bot(platform).name,
      origin: directory.origin(),
    });
    if (isFollowUp) writeInThread(text);
    else write(text);
  }

  async function attach(name) {
    const file = await toasts.attempt(() => fetchSample(name));
    if (file) write('', [file]);
  }

  render();
  return {
    /** Opens it. */
    opener,

    /** Goes on when the change shows that the step is done. */
    receive(change) {
      const shown = isOpen ? steps[step - 1] : undefined;
      if (!shown || change.platform !== here().platform) return;
      note(change);
      if (!shown.isDone(change, seen)) return;
      ended = [...ended, change.message.id].slice(-steps.length);
      go(step + 1);
    },
  };

  /** Notes where one asked: the bot itself says the question of a command. */
  function note({ kind, platform, message }) {
    if (kind !== 'message' || message.onlyFor) return;
    const { id, channel, thread, author } = message;
    if (!thread) seen.asked.add(id);
    if (author.id !== directory.me(platform).id) return;
    if (thread) seen.isAskedInThread = true;
    const isDirect = directory.channel(platform, channel)?.kind === 'direct';
    if (thread || isDirect) seen.asked.add(thread ?? channel);
  }
}

/** A document to drag, or to download. */
function renderDocument(name) {
  return h(
    'a',
    {
      class: 'button document',
      href: `samples/${name}`,
      download: name,
      draggable: 'true',
      ondragstart: ({ dataTransfer }) => dataTransfer.setData(sampleType, name),
    },
    name,
  );
}

function readState() {
  const stored = localStorage.getItem(storageKey);
  return stored ? JSON.parse(stored) : { step: 0, isOpen: true };
}

function button(label, onclick, kind) {
  return h('button', { type: 'button', class: kind, onclick }, label);
}

function buttons(...children) {
  return h('div', { class: 'buttons' }, ...children);
}
