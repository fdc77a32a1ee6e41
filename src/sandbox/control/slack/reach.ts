import type { SlackMessage } from '../../slack/message.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import { slackbotId, type SlackChannel, type SlackUser } from '../../slack/workspace.ts';
import { ControlError } from '../control-error.ts';

/**
 * Finds the people, channels and messages that requests name. Every method throws ControlError if
 * it finds none.
 */
export interface Reach {
  /** A person's id, by id or name. */
  person(key: string): string;
  /**
   * A person and a channel they are in: by id, by `#name`, or `@` for their direct message with the
   * bot.
   */
  place(at: { user: string; channel: string }): { user: string; channel: string };
  /** A message the person wrote. */
  own(at: { user: string; channel: string; message: string }): { channel: string; ts: string };
}

export function createReach(
  slack: SlackWorkspace,
  find: (channel: string, ts: string) => SlackMessage | undefined,
): Reach {
  function findPerson(key: string): SlackUser {
    const people = listPeople(slack);
    const found = people.find(({ id, name }) => id === key || name === key.toLowerCase());
    if (found) return found;
    const names = people.map(({ name }) => name).join(', ');
    throw new ControlError(400, `user: unknown person ${key}. Use one of: ${names}.`);
  }

  function findChannel(key: string, user: SlackUser): SlackChannel {
    const name = key.replace(/^#/, '');
    const found =
      key === '@'
        ? slack.direct(user.id)
        : slack.channels().find((one) => one.id === key || (one.name !== '' && one.name === name));
    if (!found) throw new ControlError(400, `channel: unknown channel ${key}.`);
    if (found.members.includes(user.id)) return found;
    throw new ControlError(400, `channel: ${user.name} is not in ${key}.`);
  }

  function place(at: { user: string; channel: string }): { user: string; channel: string } {
    const user = findPerson(at.user);
    return { user: user.id, channel: findChannel(at.channel, user).id };
  }

  return {
    person: (key) => findPerson(key).id,
    place,
    own({ message: ts, ...at }) {
      const { user, channel } = place(at);
      const message = find(channel, ts);
      if (message && message.user !== user) {
        throw new ControlError(400, 'message: people change and delete their own messages only.');
      }
      return { channel, ts };
    },
  };
}

/** The people to choose from: everyone except the bot and Slackbot. */
export function listPeople(slack: SlackWorkspace): SlackUser[] {
  return slack.users().filter(({ id, isBot }) => !isBot && id !== slackbotId);
}
