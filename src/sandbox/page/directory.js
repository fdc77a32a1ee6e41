import * as api from './api.js';

/**
 * A place: a channel, and the thread open beside it.
 *
 * @typedef {{ platform: 'slack' | 'discord', channel: string, thread?: string }} Place
 */

/**
 * The place that a hash such as `#slack/C1/171.2` names, if any. A channel may be named as people
 * call it (`#slack/general`), and a platform alone (`#slack`) by an empty channel.
 *
 * @param {string} hash
 * @returns {Place | undefined}
 */
export function parsePlace(hash) {
  const [, platform, channel = '', thread] =
    /^#(slack|discord)(?:\/([\w-]+)(?:\/([\d.]+))?)?$/i.exec(hash) ?? [];
  if (platform !== 'slack' && platform !== 'discord') return undefined;
  return thread ? { platform, channel, thread } : { platform, channel };
}

/** @param {Place} place */
export function toHash({ platform, channel, thread }) {
  return `#${platform}/${channel}${thread ? `/${thread}` : ''}`;
}

/**
 * Whether a message or activity appears in a place: in its thread, or in the channel outside
 * threads.
 *
 * @param {Place} place
 * @param {{ id?: string, channel: string, thread?: string, inChannel?: boolean }} thing
 */
export function showsIn(place, { id, channel, thread, inChannel = thread === undefined }) {
  if (channel !== place.channel) return false;
  return place.thread ? id === place.thread || thread === place.thread : inChannel;
}

/** The people, channels and commands of both platforms, and who the user is; call `load` first. */
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

  /** The channels that the user can see. */
  function channels(platform) {
    const isMine = ({ people }) => !people || people.includes(me(platform).id);
    return overview[platform].channels.filter(isMine);
  }

  /** The threads of a channel that are not archived. */
  function threadsOf(platform, id) {
    return overview[platform].threads.filter((one) => one.channel === id && !one.archived);
  }

  /** All posts of a forum, the newest first. */
  function posts(platform, id) {
    const found = overview[platform].threads.filter((one) => one.channel === id);
    return found.toSorted((one, other) => other.at - one.at);
  }

  return {
    get isLoaded() {
      return overview !== undefined;
    },
    async load() {
      overview = await api.get('overview', { slack: api.workspace });
    },
    /** The Discord servers that the bot is in. */
    servers: () => overview.discord.workspaces,
    /** The id of a place's Discord server; undefined in a direct message. */
    serverOf: ({ platform, channel: id }) => channel(platform, id)?.workspace,
    /** All Slack workspaces. */
    workspaces: () => overview.workspaces,
    /** The Slack workspace that the page shows. */
    workspace: () =>
      overview.workspaces.find(({ id }) => id === api.workspace) ?? overview.workspaces[0],
    /** The sandbox's own base URL. */
    origin: () => overview.origin,
    me,
    /** The user and a place, as requests name them. */
    at: ({ platform, channel, thread }) => ({ user: me(platform).id, channel, thread }),
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
    channels,
    thread: (platform, id) => overview[platform].threads.find((thread) => thread.id === id),
    threadsOf,
    posts,
    /** The channels that the user can see, and their threads, with when something was last said. */
    places: () =>
      ['slack', 'discord'].flatMap((platform) =>
        channels(platform).flatMap(({ id: channel, latest }) => [
          { platform, channel, latest },
          ...threadsOf(platform, channel).map(({ id, latest }) => {
            return { platform, channel, thread: id, latest };
          }),
        ]),
      ),
    /** @returns {import('./message-part.js').Names} */
    names: (platform) => ({
      locale: me(platform).locale,
      user: (id) => mentionable(platform).find((one) => one.id === id)?.displayName ?? id,
      channel: (id) => channel(platform, id)?.name ?? id,
    }),

    /**
     * The place itself if the user can be there; for a thread named alone, its channel; otherwise
     * the first channel.
     *
     * @param {Place | undefined} wanted
     * @returns {Place}
     */
    resolve(wanted) {
      const platform = wanted?.platform ?? 'slack';
      const mine = channels(platform);
      if (wanted && mine.some(({ id }) => id === wanted.channel)) return wanted;
      const thread = overview[platform].threads.find(({ id }) => id === wanted?.channel);
      if (thread) return { platform, channel: thread.channel, thread: thread.id };
      const { id } = mine.find(({ name }) => name === wanted?.channel) ?? mine[0];
      return { platform, channel: id };
    },

    /** The place that lists a message: the thread on Discord, the channel on Slack. */
    listing(platform, { channel, thread }) {
      const isListed = overview[platform].threads.some(({ id }) => id === thread);
      return toHash({ platform, channel, thread: isListed ? thread : undefined });
    },

    /**
     * A text as the platform's client sends it: `@ada` becomes a mention of her, and `#help` one of
     * the channel, except in code.
     */
    toSent: (platform, text) =>
      text.replace(
        /```[^]*?```|`[^`\n]*`|(?<![\w@#&/])([@#])([\w.-]*\w)/g,
        (found, sign, typed) => {
          if (!sign) return found;
          const isMeant = ({ id, name, displayName = name }) =>
            [id, name, displayName].some((known) => known.toLowerCase() === typed.toLowerCase());
          const isNamed = ({ kind }) => kind === 'channel';
          const known = sign === '@' ? mentionable(platform) : channels(platform).filter(isNamed);
          const meant = known.find(isMeant);
          return meant ? `<${sign}${meant.id}>` : found;
        },
      ),

    /** A sent text as its author edits it: mentions by name. */
    toTyped: (platform, text) =>
      text.replace(/<([@#])!?(\w+)>|([@#])(\w+)/g, (found, sent, sentId, read, readId) => {
        const [sign, id] = sent ? [sent, sentId] : [read, readId];
        const known = sign === '@' ? mentionable(platform) : channels(platform);
        const meant = known.find((one) => one.id === id);
        return meant ? `${sign}${meant.name}` : found;
      }),

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
