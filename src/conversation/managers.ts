import type { Author, Log, Receiver } from './ports.ts';
import type { Workspace } from './address.ts';
import type { Settings } from './settings.ts';

/** Who may do what only managers may: the one place that decides, for the core and commands alike. */
export interface Managers {
  /** Ids of people and groups whom the environment names, on any platform. */
  readonly named: readonly string[];
  /**
   * Whether a person manages a workspace: by their platform, by the environment, or by what is set
   * there. Never rejects: while the settings can't be read, those whom they name do not manage.
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
      // Everyone is looked up, managers of the platform too: nobody's message overtakes another's.
      const ids = new Set([...named, ...(await setFor(workspace))]);
      const { id, groups = [], isManager } = person;
      return isManager || ids.has(id) || groups.some((group) => ids.has(group));
    },
  };
}

/** A receiver that sees as managers all who manage, not only those of whom the platform says so. */
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
