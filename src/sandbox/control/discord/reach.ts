import type { ShownChannel } from '../../discord/changes.ts';
import type { DiscordServer } from '../../discord/discord-server.ts';
import type { User } from '../../discord/documents.ts';
import { ControlError } from '../control-error.ts';

/**
 * Finds the people, channels and threads that requests name. Every method throws ControlError if it
 * finds none.
 */
export interface Reach {
  /** A person's id, by id or name. */
  person(key: string): string;
  /**
   * A person and a channel they can see: by id, by `#name`, or `@` for their direct channel with
   * the bot.
   */
  place(at: { user: string; channel: string }): { user: string; channel: string };
  /** The thread if one is named, otherwise the channel: in Discord, a thread is a channel. */
  target(at: Target): { user: string; channel: string };
}

interface Target {
  user: string;
  channel: string;
  thread?: string;
}

export function createReach(discord: DiscordServer): Reach {
  function findPerson(key: string): User {
    const people = discord.users().filter(({ bot }) => !bot);
    const found = people.find(({ id, username }) => id === key || username === key.toLowerCase());
    if (found) return found;
    const names = people.map(({ username }) => username).join(', ');
    throw new ControlError(400, `user: unknown person ${key}. Use one of: ${names}.`);
  }

  function findChannel(key: string, user: User): ShownChannel {
    const name = key.replace(/^#/, '');
    const found =
      key === '@'
        ? discord.directChannel(user.id)
        : discord.channels().find((one) => one.id === key || (!one.recipient && one.name === name));
    if (!found) throw new ControlError(400, `channel: unknown channel ${key}.`);
    if (!found.recipient || found.recipient === user.id) return found;
    throw new ControlError(400, `channel: ${key} is another person’s direct message.`);
  }

  function place(at: { user: string; channel: string }): { user: string; channel: string } {
    const user = findPerson(at.user);
    return { user: user.id, channel: findChannel(at.channel, user).id };
  }

  return {
    person: (key) => findPerson(key).id,
    place,
    target(at) {
      const { user, channel } = place(at);
      return { user, channel: at.thread ?? channel };
    },
  };
}
