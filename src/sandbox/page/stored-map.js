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

function read(name) {
  try {
    return new Map(JSON.parse(localStorage.getItem(name) ?? '[]'));
  } catch {
    return new Map();
  }
}
