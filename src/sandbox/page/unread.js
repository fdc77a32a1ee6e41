import { toHash } from './place.js';
import { createStoredMap } from './stored-map.js';

const maxPlaces = 500;

/**
 * Which places have messages that one hasn't seen. What each person saw last is stored in the
 * browser; on a person's first visit, everything counts as seen.
 *
 * @param {any} directory
 */
export function createUnread(directory) {
  /** Per person and place, when the newest message that they saw was written, in ms. */
  const seen = createStoredMap('seen', maxPlaces);
  /** Per place, when its newest message was written, in ms. */
  const latest = new Map();
  const keyOf = (hash) => `${directory.who} ${hash}`;

  function since() {
    return seen.get(directory.who) ?? Infinity;
  }

  function see(hash) {
    const at = latest.get(hash);
    if (at !== undefined && seen.get(keyOf(hash)) !== at) seen.set(keyOf(hash), at);
  }

  return {
    /** To be called when the directory has loaded, or the person has changed. */
    load() {
      for (const { latest: at, ...place } of directory.places()) {
        if (at !== undefined) latest.set(toHash(place), at);
      }
      seen.set(directory.who, seen.get(directory.who) ?? Math.max(0, ...latest.values()));
    },

    /** Everything in these places has been seen. */
    see(hashes) {
      hashes.forEach(see);
    },

    receive({ kind, platform, message }) {
      if (kind !== 'message') return;
      const me = directory.me(platform).id;
      if (message.onlyFor && message.onlyFor !== me) return;
      const hash = directory.listing(platform, message);
      latest.set(hash, Math.max(message.at, latest.get(hash) ?? 0));
      if (message.author.id === me) see(hash);
    },

    /** @returns {Set<string>} the places' hashes */
    hashes() {
      const hashes = directory.places().map((place) => toHash(place));
      return new Set(
        hashes.filter((hash) => latest.get(hash) > (seen.get(keyOf(hash)) ?? since())),
      );
    },
  };
}
