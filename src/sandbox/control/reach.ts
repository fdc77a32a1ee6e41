import { ControlError } from './control-error.ts';
import type { Person, Place } from './shown.ts';

/** A platform's people and channels. */
export interface Directory {
  /** The people to choose from: neither the bot nor the platform's own. */
  people(): Person[];
  channels(): Place[];
  /** A person's direct channel with the bot. */
  direct(user: string): Place;
}

/** Finds the people and channels that requests name. */
export interface Reach {
  /**
   * A person's id, by id or name.
   * @throws {ControlError} 400 when there is no such person
   */
  person(key: string): string;
  /**
   * A person and a channel they are in: by id, by `#name`, or `@` for their direct channel with the
   * bot.
   * @throws {ControlError} 400 when there is no such person or channel, or the person is not in it
   */
  place(at: Located): Located;
}

/** The ids of a person and a channel; in a request, what names them. */
export interface Located {
  user: string;
  channel: string;
}

export function createReach(directory: Directory): Reach {
  function findPerson(key: string): Person {
    const people = directory.people();
    const found = people.find(({ id, name }) => id === key || name === key.toLowerCase());
    if (found) return found;
    const names = people.map(({ name }) => name).join(', ');
    throw new ControlError(400, `user: unknown person ${key}. Use one of: ${names}.`);
  }

  function findChannel(key: string, user: Person): Place {
    const name = key.replace(/^#/, '');
    const found =
      key === '@'
        ? directory.direct(user.id)
        : directory
            .channels()
            .find((one) => one.id === key || (one.kind === 'channel' && one.name === name));
    if (!found) throw new ControlError(400, `channel: unknown channel ${key}.`);
    if (!found.people || found.people.includes(user.id)) return found;
    throw new ControlError(400, `channel: ${user.name} is not in ${key}.`);
  }

  return {
    person: (key) => findPerson(key).id,
    place(at) {
      const user = findPerson(at.user);
      return { user: user.id, channel: findChannel(at.channel, user).id };
    },
  };
}
