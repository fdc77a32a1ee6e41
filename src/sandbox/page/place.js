/**
 * Where one is: a channel, and the thread open beside it.
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
 *
 * @param {Place} place
 * @param {{ id?: string, channel: string, thread?: string, inChannel?: boolean }} thing
 */
export function showsIn(place, { id, channel, thread, inChannel = thread === undefined }) {
  if (channel !== place.channel) return false;
  return place.thread ? id === place.thread || thread === place.thread : inChannel;
}
