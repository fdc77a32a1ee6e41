import * as api from './api.js';
import { toHash } from './directory.js';
import { button, h } from './dom.js';
import { platformNames } from './sidebar.js';

/** The heading of a channel or thread. */
export function renderHeading(directory, { platform, channel, thread }, toasts) {
  const { name, kind } = directory.channel(platform, channel);
  const title = kind === 'channel' ? `# ${name}` : name;
  if (!thread) {
    const choose = () => document.body.classList.toggle('choosing');
    return [
      button('☰', choose, { class: 'menu', 'aria-label': 'Channels' }),
      h('h2', { dir: 'auto' }, title),
      h('span', { class: 'badge platform' }, platformNames[platform]),
    ];
  }
  const close = { class: 'close', 'aria-label': 'Close the thread' };
  const post = directory.thread(platform, thread);
  return [
    h('h2', { dir: 'auto' }, post?.name ?? 'Thread'),
    h('span', { class: 'note' }, title),
    ...renderTags(post?.tags ?? []),
    post?.tags && renderCloser(directory, { platform, post, toasts }),
    h('a', { ...close, href: toHash({ platform, channel }) }, '×'),
  ].filter(Boolean);
}

/** Closes a post, or opens it again: its author and moderators may. */
function renderCloser(directory, { platform, post, toasts }) {
  const me = directory.me(platform);
  if (post.by !== me.displayName && !me.role) return undefined;
  const body = { user: me.id, thread: post.id, archived: !post.archived };
  const change = () => toasts.attempt(() => api.post(`${platform}/close-post`, body));
  return button(post.archived ? 'Open again' : 'Close post', change);
}

/** The tags of a post, by their names. */
export function renderTags(tags) {
  return tags.map((tag) => h('span', { class: 'badge tag', dir: 'auto' }, tag));
}
