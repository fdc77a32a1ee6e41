import * as api from './api.js';
import { toHash } from './directory.js';
import { button, h } from './dom.js';
import { platformNames } from './sidebar.js';

/** @typedef {import('./directory.js').Place} Place */

const exampleQuestion = 'How do I add a source?';

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

/**
 * What to try while there are no messages.
 *
 * @param {Place} place
 * @param {(text: string) => void} write puts a text into the composer
 */
export function renderHint(directory, { platform, channel, thread }, write) {
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
export function labelComposer(directory, { platform, channel, thread }) {
  if (thread) return 'Reply in the thread';
  const { name, kind } = directory.channel(platform, channel);
  return kind === 'channel' ? `Message #${name}` : `Message ${name}`;
}

/** The tags of a post, by their names. */
export function renderTags(tags) {
  return tags.map((tag) => h('span', { class: 'badge tag', dir: 'auto' }, tag));
}
