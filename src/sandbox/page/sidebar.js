import { toHash } from './directory.js';
import { h, renderAvatar } from './dom.js';

const maxThreads = 8;

/** How each platform calls its lists of channels. */
const sections = {
  slack: { channel: 'Channels', group: 'Direct messages', direct: 'Apps' },
  discord: { channel: 'Text channels', direct: 'Direct messages' },
};
export const platformNames = { slack: 'Slack', discord: 'Discord' };

/**
 * @typedef {object} Shown
 * @property {any} directory
 * @property {import('./directory.js').Place} here
 * @property {Set<string>} unread hashes of places with messages that the user hasn't seen
 * @property {string | undefined} server the id of the Discord server that was shown last
 */

/** Another workspace is another page. */
function linksToWorkspaces(directory, here, lastHash) {
  const [first, ...others] = directory.workspaces();
  const current = directory.workspace();
  return [first, ...others].map(({ id, name }) => {
    const isCurrent = id === current.id;
    const query = id === first.id ? './' : `?slack=${id}`;
    return {
      name: others.length === 0 ? platformNames.slack : name,
      href: isCurrent ? lastHash('slack') : `${query}#slack`,
      isHere: isCurrent && here.platform === 'slack',
      platform: isCurrent ? 'slack' : undefined,
    };
  });
}

/** Each server has its own channels, and all of them the same direct messages. */
function linksToServers(directory, here, server, lastHash) {
  const firstOf = (id) => directory.channels('discord').find((one) => one.workspace === id);
  const servers = directory.servers().filter(({ id }) => firstOf(id));
  if (servers.length < 2) {
    const isHere = here.platform === 'discord';
    return [
      { name: platformNames.discord, href: lastHash('discord'), isHere, platform: 'discord' },
    ];
  }
  return servers.map(({ id, name }) => {
    const isHere = here.platform === 'discord' && id === server;
    return { name, href: toHash({ platform: 'discord', channel: firstOf(id).id }), isHere };
  });
}

/**
 * The rail of workspaces: those of Slack, and the servers of Discord.
 *
 * @param {HTMLElement} element
 * @param {Shown & { lastHash: (platform: string) => string, below: HTMLElement }} shown
 */
export function renderRail(element, { directory, here, unread, server, lastHash, below }) {
  const shown = [
    ...linksToWorkspaces(directory, here, lastHash),
    ...linksToServers(directory, here, server, lastHash),
  ];
  const links = shown.map(({ name, href, isHere, platform }) => {
    const isUnread = [...unread].some((hash) => hash.startsWith(`#${platform}/`));
    const tile = h('span', { class: 'tile', 'aria-hidden': 'true' }, Array.from(name)[0]);
    const link = h('a', { href, title: name }, tile, h('span', { class: 'name' }, name));
    if (isHere) link.setAttribute('aria-current', 'true');
    else if (isUnread) markUnread(link);
    return link;
  });
  replaceChildren(element, [...links, below]);
}

/**
 * The list of a workspace's channels, with Discord's newest threads below theirs; and who the user is.
 *
 * @param {HTMLElement} element
 * @param {Shown & { become: (name: string) => void }} shown
 */
export function renderSidebar(element, shown) {
  const { directory, here } = shown;
  const { platform } = here;
  const { name, installed } = directory.workspace();
  const isOneOfMany = platform === 'slack' && directory.workspaces().length > 1;
  const server = directory.servers().find(({ id }) => id === shown.server);
  const isOneServer = platform === 'discord' && directory.servers().length > 1;
  const title = (isOneOfMany && name) || (isOneServer && server?.name);
  const isMissing = platform === 'slack' && installed === 'no';
  element.className = platform;
  replaceChildren(element, [
    h(
      'header',
      { class: 'workspace' },
      h('img', { src: 'icon.svg', alt: '', width: 22, height: 22 }),
      title ? h('span', { class: 'name' }, title) : 'Causeway sandbox',
    ),
    isMissing && h('p', { class: 'note' }, 'The bot is not installed here.'),
    isMissing ||
      directory.isConnected(platform) ||
      h('p', { class: 'note' }, 'The bot is not connected.'),
    h(
      'div',
      { class: 'lists' },
      ...Object.entries(sections[platform]).map(([kind, title]) => renderList(kind, title, shown)),
    ),
    renderWho(shown),
  ]);
}

function renderList(kind, title, shown) {
  const { platform } = shown.here;
  const isHere = ({ workspace }) => workspace === undefined || workspace === shown.server;
  const channels = shown.directory
    .channels(platform)
    .filter((channel) => channel.kind === kind && (platform === 'slack' || isHere(channel)));
  if (channels.length === 0) return '';
  const items = channels.flatMap((channel) => renderChannel(platform, channel, shown));
  return h('section', {}, h('h2', {}, title), h('ul', {}, ...items));
}

function renderChannel(platform, { id, name, kind, isPrivate }, shown) {
  const mark =
    kind === 'channel'
      ? h('span', { class: isPrivate ? 'mark lock' : 'mark' }, isPrivate ? '' : '# ')
      : renderAvatar({ name, displayName: name, bot: kind === 'direct' });
  const threads = shown.directory.threadsOf(platform, id).slice(-maxThreads);
  return [
    renderLink({ platform, channel: id }, [mark, h('bdi', {}, name)], shown),
    ...threads.map((thread) =>
      renderLink({ platform, channel: id, thread: thread.id }, [h('bdi', {}, thread.name)], shown),
    ),
  ];
}

function renderLink(place, label, { here, unread }) {
  const hash = toHash(place);
  const { platform, channel } = here;
  const isCurrent = hash === toHash(here) || hash === toHash({ platform, channel });
  const link = h('a', { href: hash, class: place.thread ? 'thread' : 'channel' }, label);
  if (place.thread) link.title = link.textContent;
  if (isCurrent) link.setAttribute('aria-current', 'page');
  if (unread.has(hash)) markUnread(link);
  return h('li', {}, link);
}

function markUnread(link) {
  link.classList.add('unread');
  link.append(h('span', { class: 'unseen' }, ' (unread)'));
}

/** Who the user is on the platform; what makes a manager is said beside the name. */
function renderWho({ directory, here, become }) {
  const me = directory.me(here.platform);
  const options = directory.people(here.platform).map(({ name, displayName, role }) => {
    const label = role ? `${displayName} · ${role}` : displayName;
    return h('option', { value: name, selected: name === me.name }, label);
  });
  const onchange = ({ target }) => become(target.value);
  const select = h('select', { id: 'who', onchange }, ...options);
  const label = h('label', { for: 'who' }, 'You are');
  return h('div', { class: 'who' }, renderAvatar(me), h('div', {}, label, select));
}

/** What had the focus keeps it. */
function replaceChildren(element, children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : undefined;
  element.replaceChildren(...children.filter((child) => child instanceof Node));
  if (!focused) return;
  const links = [...element.querySelectorAll('a')];
  const hash = focused.getAttribute('href');
  const same = focused.id
    ? element.querySelector(`#${focused.id}`)
    : links.find((link) => link.getAttribute('href') === hash);
  same?.focus();
}
