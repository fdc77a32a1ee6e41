import * as api from './api.js';
import { toHash } from './directory.js';
import { button, dateAndTime, h } from './dom.js';
import { renderHeading, renderTags } from './heading.js';

/** @typedef {import('./directory.js').Place} Place */

const maxTitle = 100;
const maxFiles = 10;

/**
 * A forum or media channel of Discord: its posts, the newest first, and a form for a new one.
 *
 * @param {HTMLElement} pane where it is shown
 * @param {object} page
 * @param {any} page.dialog the dialog that shows forms
 * @param {(place: Place) => void} page.go
 */
export function createForum(pane, { directory, toasts, dialog, go }) {
  /** @type {Place | undefined} */
  let place;
  const heading = h('header', { class: 'heading' });
  const list = h('ul', { class: 'posts' });
  const older = h('ul', { class: 'posts' });
  const olderTitle = h('h3', {}, 'Closed');
  const hint = h('p', { class: 'hint' }, 'No posts here yet.');
  pane.append(
    heading,
    h(
      'div',
      { class: 'scroller', tabindex: 0, 'aria-label': 'Posts' },
      h('p', { class: 'buttons' }, button('New post', writePost, { class: 'primary' })),
      hint,
      list,
      olderTitle,
      older,
    ),
  );

  function open(next) {
    place = next;
    heading.replaceChildren(...renderHeading(directory, place, toasts));
    show();
  }

  function show() {
    const posts = directory.posts(place.platform, place.channel);
    const closed = posts.filter(({ archived }) => archived);
    hint.hidden = posts.length > 0;
    olderTitle.hidden = closed.length === 0;
    list.replaceChildren(...posts.filter(({ archived }) => !archived).map(renderPost));
    older.replaceChildren(...closed.map(renderPost));
  }

  function renderPost({ id, name, by, at, tags = [] }) {
    const { platform, channel } = place;
    const written = [by, dateAndTime.format(new Date(at))].filter(Boolean).join(' · ');
    return h(
      'li',
      {},
      h('a', { href: toHash({ platform, channel, thread: id }), dir: 'auto' }, name),
      h('span', { class: 'note' }, written),
      ...renderTags(tags),
    );
  }

  function writePost() {
    const { platform, channel } = place;
    const { forum } = directory.channel(platform, channel);
    const user = directory.me(platform).id;
    const form = {
      id: `post ${channel}`,
      title: 'New post',
      submit: 'Post',
      close: 'Cancel',
      items: [
        textField('title', 'Title', { lines: false, most: maxTitle }, true),
        textField('text', 'Message', { lines: true }, false),
        ...tagFields(forum),
        field('files', 'Files', { kind: 'file', most: maxFiles, types: [] }, false),
      ],
    };
    dialog.show(form, directory.names(platform), {
      async submit({ title, text, tags = [] }, files) {
        const sent = { title, text: directory.toSent(platform, text), tags };
        const { thread } = await api.post(`${platform}/post`, { user, channel, ...sent }, files);
        go({ platform, channel, thread });
        return { outcome: 'sent' };
      },
      close: () => undefined,
    });
  }

  return {
    open,
    leave() {
      place = undefined;
    },
    receive(change) {
      if (place && (change.kind === 'thread' || change.kind === 'channel')) show();
    },
  };
}

function tagFields({ tags, needsTag }) {
  if (tags.length === 0) return [];
  const options = tags.map(({ id, name }) => ({ value: id, label: name }));
  const input = { kind: 'choice', options, chosen: [], multiple: true, open: true };
  return [field('tags', 'Tags', input, needsTag)];
}

function textField(name, label, input, required) {
  return field(name, label, { kind: 'text', type: 'text', ...input }, required);
}

function field(name, label, input, required) {
  return { kind: 'field', name, id: name, label, required, input };
}
