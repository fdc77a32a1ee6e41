import * as api from './api.js';
import { toHash } from './place.js';

/** @typedef {import('./place.js').Place} Place */

/** The people, channels and commands of both platforms, and the current user; call `load` first. */
export function createDirectory() {
  let overview;
  let who = localStorage.getItem('who') ?? 'ada';

  function me(platform) {
    const { people } = overview[platform];
    return people.find(({ name }) => name === who) ?? people[0];
  }

  function mentionable(platform) {
    const { bot, people } = overview[platform];
    return [bot, ...people];
  }

  function channel(platform, id) {
    return overview[platform].channels.find((one) => one.id === id);
  }

  function isMine(platform, { people }) {
    return !people || people.includes(me(platform).id);
  }

  function isReachable(place) {
    const found = channel(place.platform, place.channel);
    return found !== undefined && isMine(place.platform, found);
  }

  return {
    get isLoaded() {
      return overview !== undefined;
    },
    async load() {
      overview = await api.get('overview');
    },
    /** The sandbox's own base URL. */
    origin: () => overview.origin,
    me,
    /** The name of the current user. */
    get who() {
      return who;
    },
    /** The people to choose from. */
    people: (platform) => overview[platform].people,
    /** What makes someone a manager, such as "Admin". */
    role: (platform, id) => overview[platform].people.find((one) => one.id === id)?.role,
    become(name) {
      who = name;
      localStorage.setItem('who', name);
    },
    mentionable,
    bot: (platform) => overview[platform].bot,
    isConnected: (platform) => overview[platform].connections > 0,
    commands: (platform) => overview[platform].commands,
    shortcuts: (platform) => overview[platform].shortcuts,
    channel,
    /** The channels that the user can see. */
    channels: (platform) => overview[platform].channels.filter((one) => isMine(platform, one)),
    thread: (platform, id) => overview[platform].threads.find((thread) => thread.id === id),
    threadsOf: (platform, id) =>
      overview[platform].threads.filter((thread) => thread.channel === id && !thread.archived),
    /** The channels that the user can see, and their threads, with when something was last said. */
    places: () =>
      ['slack', 'discord'].flatMap((platform) => {
        const { channels, threads } = overview[platform];
        const mine = channels.filter((one) => isMine(platform, one));
        return mine.flatMap(({ id: channel, latest }) => [
          { platform, channel, latest },
          ...threads
            .filter((thread) => thread.channel === channel && !thread.archived)
            .map(({ id, latest }) => ({ platform, channel, thread: id, latest })),
        ]);
      }),
    /** @returns {import('./inline.js').Names} */
    names: (platform) => ({
      user: (id) => mentionable(platform).find((one) => one.id === id)?.displayName ?? id,
      channel: (id) => channel(platform, id)?.name ?? id,
    }),

    /**
     * The place itself if the user can be there; for a thread named alone, its channel; otherwise
     * the first channel.
     *
     *
     * @param {Place | undefined} wanted
     * @returns {Place}
     */
    resolve(wanted) {
      if (wanted && isReachable(wanted)) return wanted;
      const platform = wanted?.platform ?? 'slack';
      const { threads, channels } = overview[platform];
      const thread = threads.find(({ id }) => id === wanted?.channel);
      if (thread) return { platform, channel: thread.channel, thread: thread.id };
      const mine = channels.filter((one) => isMine(platform, one));
      const { id } = mine.find(({ name }) => name === wanted?.channel) ?? mine[0];
      return { platform, channel: id };
    },

    /** The place that lists a message: the thread on Discord, the channel on Slack. */
    listing(platform, { channel, thread }) {
      const isListed = overview[platform].threads.some(({ id }) => id === thread);
      return toHash({ platform, channel, thread: isListed ? thread : undefined });
    },

    /** Applies a change; returns whether anything listed changed. */
    receive({ platform, ...change }) {
      const known = overview[platform];
      if (change.kind === 'commands') {
        known.commands = change.commands;
        known.shortcuts = change.shortcuts;
      }
      if (change.kind === 'connections') known.connections = change.connections;
      if (change.kind === 'channel') put(known.channels, change.channel);
      if (change.kind === 'thread') put(known.threads, change.thread);
      return ['connections', 'channel', 'thread'].includes(change.kind);
    },
  };
}

function put(list, thing) {
  const index = list.findIndex(({ id }) => id === thing.id);
  if (index < 0) list.push(thing);
  else list[index] = thing;
}
