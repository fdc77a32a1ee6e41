import type { Notifications } from '../../shared/stores/notifications.ts';

/** Gets the key that another process has changed; undefined if it may be any. */
type Listener = (key: string | undefined) => void;

/** What processes that share a store tell each other of what they keep in memory. */
interface Invalidations {
  /** Tells the others that a key was written; without one, that any of the namespace may have been. */
  tell(namespace: string, key: string | undefined): void;
  /** Hears what others write. All processes keep the same, so nothing else is told. */
  listen(namespace: string, listener: Listener): void;
  /** Tells listeners here that any key may have been written, of which others are not told. */
  forget(): void;
  /** From now on, words go to other processes and come from them. */
  share(notifications: Notifications): void;
}

const changed = 'changed';
/** Of other keys, a word says only in which namespace they are. */
const shortKey = /^\S{1,1000}$/;

export function createInvalidations(): Invalidations {
  const listeners = new Map<string, Listener[]>();
  let notifications: Notifications | undefined;

  function hear(word: string): void {
    const [kind, namespace = '', key] = word.split(' ');
    if (kind !== changed) return;
    for (const listener of listeners.get(namespace) ?? []) listener(key);
  }

  function forget(): void {
    for (const each of [...listeners.values()].flat()) each(undefined);
  }

  return {
    forget,
    tell(namespace, key) {
      if (!notifications || !listeners.has(namespace)) return;
      const word = `${changed} ${namespace}`;
      notifications.send(shortKey.test(key ?? '') ? `${word} ${key}` : word);
    },
    listen(namespace, listener) {
      listeners.set(namespace, [...(listeners.get(namespace) ?? []), listener]);
    },
    share(shared) {
      notifications = shared;
      shared.listen((word) => {
        if (word !== undefined) hear(word);
        else forget();
      });
    },
  };
}
