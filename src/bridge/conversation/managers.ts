import type { Author } from './platform.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Workspace } from './address.ts';
import type { Settings } from './settings.ts';

/**
 * Decides who is a manager: the only place that does, for the core and for commands. Whom the
 * environment or the workspace's settings name by id counts as one of the workspace; outsiders
 * become no managers by a group.
 */
export interface Managers {
  /** Ids of people and groups named in the environment, on any platform. */
  readonly named: readonly string[];
  /**
   * Whether a person manages a workspace, according to the platform, the environment or the
   * workspace's settings. Never rejects: while the settings can't be read, they count as empty.
   */
  isManager(workspace: Workspace, person: Author): Promise<boolean>;
  /** The person, with `isManager` and `outsider` decided. */
  recognize(workspace: Workspace, person: Author): Promise<Author>;
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

  async function recognize(workspace: Workspace, person: Author): Promise<Author> {
    const { outsider, ...member } = person;
    if (member.isManager && !outsider) return person;
    const ids = new Set([...named, ...(await setFor(workspace))]);
    if (ids.has(person.id)) return { ...member, isManager: true };
    const isInGroup = (person.groups ?? []).some((group) => ids.has(group));
    return { ...person, isManager: isInGroup && !outsider };
  }

  return {
    named,
    isManager: async (workspace, person) => (await recognize(workspace, person)).isManager,
    recognize,
  };
}
