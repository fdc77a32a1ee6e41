import { h } from './dom.js';
import { toHash } from './place.js';

const platformNames = { slack: 'Slack', discord: 'Discord' };
const maxThreads = 8;

/**
 * The list of both platforms' channels, and of Discord's newest threads below theirs; and who one
 * is. What had the focus keeps it.
 *
 * @param {HTMLElement} element
 * @param {object} shown
 * @param {any} shown.directory
 * @param {import('./place.js').Place} shown.here
 * @param {Set<string>} shown.unread hashes of places where something was said meanwhile
 * @param {(name: string) => void} shown.become
 */
export function renderSidebar(element, shown) {
  const focused = element.contains(document.activeElement) ? document.activeElement : undefined;
  const who = renderWho(shown);
  element.replaceChildren(
    h(
      'div',
      { class: 'brand' },
      h('img', { src: 'icon.svg', alt: '', width: 24, height: 24 }),
      h('h1', {}, 'Causeway sandbox'),
    ),
    h('div', { class: 'who' }, h('label', { for: 'who' }, 'You are'), who),
    ...Object.keys(platformNames).map((platform) => renderPlatform(platform, shown)),
  );
  const links = [...element.querySelectorAll('a')];
  const hash = focused?.getAttribute('href');
  (focused?.id ? who : links.find((link) => link.getAttribute('href') === hash))?.focus();
}

function renderWho({ directory, become }) {
  const me = directory.me('slack').name;
  return h(
    'select',
    { id: 'who', onchange: ({ target }) => become(target.value) },
    ...directory
      .people()
      .map(({ name, displayName }) =>
        h('option', { value: name, selected: name === me }, displayName),
      ),
  );
}

function renderPlatform(platform, shown) {
  const { directory } = shown;
  const links = directory.channels(platform).flatMap(({ id, name, kind }) => [
    renderLink({ platform, channel: id }, kind === 'direct' ? `✉ ${name}` : `# ${name}`, shown),
    ...directory
      .threadsOf(platform, id)
      .slice(-maxThreads)
      .map((thread) =>
        renderLink({ platform, channel: id, thread: thread.id }, thread.name, shown),
      ),
  ]);
  return h(
    'section',
    { class: platform },
    h('h2', {}, platformNames[platform]),
    !directory.isConnected(platform) && h('p', { class: 'note' }, 'The bot is not connected.'),
    h('ul', {}, ...links),
  );
}

function renderLink(place, label, { here, unread }) {
  const hash = toHash(place);
  const { platform, channel } = here;
  const isCurrent = hash === toHash(here) || hash === toHash({ platform, channel });
  const link = h(
    'a',
    { href: hash, class: place.thread ? 'thread' : 'channel', title: place.thread && label },
    label,
  );
  if (isCurrent) link.setAttribute('aria-current', 'page');
  if (unread.has(hash)) {
    link.classList.add('unread');
    link.append(h('span', { class: 'unseen' }, ' (unread)'));
  }
  return h('li', {}, link);
}
