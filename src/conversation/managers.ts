import type { Author, Log, Receiver } from './ports.ts';
import type { Workspace } from './address.ts';
import type { Settings } from './settings.ts';

/** Decides who is a manager: the only place that does, for the core and for commands. */
export interface Managers {
  /** Ids of people and groups named in the environment, on any platform. */
  readonly named: readonly string[];
  /**
   * Whether a person manages a workspace, according to the platform, the environment or the
   * workspace's settings. Never rejects: while the settings can't be read, they count as empty.
   */
  isManager(workspace: Workspace, person: Author): Promise<boolean>;
}

export function createManagers(options: {
  named: readonly string[];
  settings: Pick<Settings, 'of'>;
  log: Log;
}): Managers {
  const { named, settings, log } = options;

  async function setFor(workspace: Workspace): Promise<string[]> {
    try {
      const { people, groups } = (await settings.of(workspace)).managers;
      return [...people, ...groups];
    } catch (error) {
      log.error({ err: error, ...workspace }, 'the managers could not be read');
      return [];
    }
  }

  return {
    named,
    async isManager(workspace, person) {
      // Everyone is looked up, even the platform's managers, so that messages keep their order.
      const ids = new Set([...named, ...(await setFor(workspace))]);
      const { id, groups = [], isManager } = person;
      return isManager || ids.has(id) || groups.some((group) => ids.has(group));
    },
  };
}

/** Wraps a receiver so that every manager is recognized, not only the platform's. */
export function recognizeManagers(receiver: Receiver, managers: Managers): Receiver {
  async function recognize(workspace: Workspace, person: Author): Promise<Author> {
    return { ...person, isManager: await managers.isManager(workspace, person) };
  }

  return {
    async message(message) {
      const author = await recognize(message.thread.address, message.author);
      await receiver.message({ ...message, author });
    },
    async edited(message) {
      const author = await recognize(message.thread.address, message.author);
      await receiver.edited({ ...message, author });
    },
    removed: (message) => receiver.removed(message),
    async pressed(press) {
      return receiver.pressed({ ...press, by: await recognize(press.place, press.by) });
    },
    async stopped(thread, by) {
      await receiver.stopped(thread, await recognize(thread, by));
    },
  };
}
