import { toHash } from './directory.js';

export const draftsName = 'drafts';
const seenName = 'seen';

/**
 * A map that survives a reload. When it is full, the entries that were set first make room.
 *
 * @param {string} name where it is stored in localStorage
 * @param {number} max
 */
export function createStoredMap(name, max) {
  let entries = read(name);
  // Another tab has changed it.
  addEventListener('storage', ({ key }) => {
    if (key === name) entries = read(name);
  });

  function store() {
    entries = new Map([...entries].slice(-max));
    try {
      localStorage.setItem(name, JSON.stringify([...entries]));
    } catch {
      // The browser's storage is full: the entries are lost on a reload.
    }
  }

  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      store();
    },
    delete(key) {
      if (entries.delete(key)) store();
    },
  };
}

/** Forgets what people have begun to write, and what they have seen. */
export function forgetWritten() {
  localStorage.removeItem(draftsName);
  localStorage.removeItem(seenName);
}

function read(name) {
  try {
    return new Map(JSON.parse(localStorage.getItem(name) ?? '[]'));
  } catch {
    return new Map();
  }
}

const maxPlaces = 500;

/**
 * Which places have messages that the person hasn't seen. What each person saw last is stored in the
 * browser; on a person's first visit, everything counts as seen.
 */
export function createUnread(directory) {
  /** Per person and place, when the newest message that they saw was written, in ms. */
  const seen = createStoredMap(seenName, maxPlaces);
  /** Per place, when its newest message was written, in ms. */
  const latest = new Map();
  const keyOf = (hash) => `${directory.who} ${hash}`;

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
      const since = seen.get(directory.who) ?? Infinity;
      const hashes = directory.places().map((place) => toHash(place));
      return new Set(hashes.filter((hash) => latest.get(hash) > (seen.get(keyOf(hash)) ?? since)));
    },
  };
}
