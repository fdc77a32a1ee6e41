import { dayAndDate, h } from './dom.js';

/** Max messages on the page. When more are added, those at the other end are removed. */
const maxShown = 300;
/** A later message of the same author stands below the one before, without the name. */
const groupMs = 5 * 60 * 1000;

/**
 * The messages of a conversation that are on the page, oldest first, with their days. Their ids
 * sort by length, then as text.
 *
 * @param {(message: any) => any} createView
 */
export function createMessageList(createView) {
  /** @type {Map<string, any>} */
  let views = new Map();
  const element = h('ol', { class: 'messages' });

  /** Stores the view at once, so that a reply to it can quote it. */
  function create(message) {
    const view = createView(message);
    views.set(message.id, view);
    return view;
  }

  /** Returns whether any had to make room. */
  function show(shown, surplus) {
    for (const { element } of surplus) element.remove();
    views = new Map(shown.map((view) => [view.message.id, view]));
    arrange();
    return surplus.length > 0;
  }

  /** Shows what depends on the message before: a new day, or another message of the same author. */
  function arrange() {
    let previous;
    for (const view of views.values()) {
      const isNewDay = previous?.day !== view.day;
      view.arrange({
        day: isNewDay ? nameOfDay(view.message.at) : undefined,
        continues: !isNewDay && continues(view.message, previous.message),
      });
      previous = view;
    }
  }

  return {
    element,
    get ids() {
      return [...views.keys()];
    },
    get messages() {
      return [...views.values()].map(({ message }) => message);
    },
    get: (id) => views.get(id),
    reset(messages) {
      views.clear();
      const shown = messages.map(create);
      element.replaceChildren(...shown.map((view) => view.element));
      show(shown, []);
    },
    /** Returns whether the newest had to make room. */
    addEarlier(messages) {
      const shown = [...views.values()];
      const added = messages.map(create);
      element.prepend(...added.map((view) => view.element));
      const all = [...added, ...shown];
      return show(all.slice(0, maxShown), all.slice(maxShown));
    },
    /** Returns whether the oldest had to make room. */
    addLater(messages) {
      element.append(...messages.map((message) => create(message).element));
      const all = [...views.values()];
      return show(all.slice(-maxShown), all.slice(0, -maxShown));
    },
    /** Adds a new message where it belongs. Returns whether the oldest had to make room. */
    add(message) {
      const all = [...views.values()];
      const next = all.findIndex((view) => isOlder(message.id, view.message.id));
      const at = next === -1 ? all.length : next;
      const view = create(message);
      element.insertBefore(view.element, all[at]?.element ?? null);
      all.splice(at, 0, view);
      return show(all.slice(-maxShown), all.slice(0, -maxShown));
    },
    /** Puts a newer version in its place; returns its view, undefined if it is not on the page. */
    update(message) {
      const view = views.get(message.id);
      const isOpener = view?.message.threadLabel !== undefined;
      view?.update(message);
      if (view && isOpener !== (message.threadLabel !== undefined)) arrange();
      return view;
    },
    remove(id) {
      views.get(id)?.element.remove();
      views.delete(id);
      arrange();
    },
  };
}

/** @returns {boolean} whether the first of two ids is the older one */
export function isOlder(one, other) {
  return one.length === other.length ? one < other : one.length < other.length;
}

function continues(message, previous) {
  return (
    message.author.id === previous.author.id &&
    message.onlyFor === previous.onlyFor &&
    // A question that the bot says for someone, and its answer, stand apart.
    message.thread === previous.thread &&
    !message.threadLabel &&
    !message.replyTo &&
    !message.command &&
    message.at - previous.at < groupMs
  );
}

const dayMs = 24 * 60 * 60 * 1000;

function nameOfDay(at) {
  const day = new Date(at).toDateString();
  if (day === new Date().toDateString()) return 'Today';
  if (day === new Date(Date.now() - dayMs).toDateString()) return 'Yesterday';
  return dayAndDate.format(new Date(at));
}

/** Within this many pixels of the end, the conversation follows what is new. */
const nearEnd = 80;

/**
 * What scrolls in a conversation. It stays at the end while its content grows, until the person
 * scrolls up.
 *
 * @param {...HTMLElement} content
 */
export function createScroller(...content) {
  let following = true;
  let position = 0;
  const element = h(
    'div',
    { class: 'scroller', tabindex: 0, role: 'log', 'aria-live': 'off', 'aria-label': 'Messages' },
    ...content,
  );

  function toEnd() {
    following = true;
    element.scrollTop = element.scrollHeight;
  }

  function isAtEnd() {
    return element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
  }

  element.addEventListener('scroll', () => {
    if (isAtEnd()) following = true;
    else if (element.scrollTop < position) following = false;
    position = element.scrollTop;
  });
  const follow = () => following && toEnd();
  const sizes = new ResizeObserver(follow);
  for (const each of [element, ...content]) sizes.observe(each);
  // Other messages of the same size together don't count as a new size.
  element.addEventListener('contentvisibilityautostatechange', follow, { capture: true });

  return {
    element,
    toEnd,
    /** Changes the content of a list, and leaves in its place what is seen first. */
    keep(list, change) {
      const edge = element.getBoundingClientRect().top;
      const first = [...list.children].find((one) => one.getBoundingClientRect().bottom > edge);
      const top = first?.getBoundingClientRect().top;
      following = false;
      change();
      if (first) element.scrollTop += first.getBoundingClientRect().top - top;
      position = element.scrollTop;
    },
  };
}
