import type { Changes } from '../changes.ts';
import type { Records } from '../records.ts';
import { newId } from './identifiers.ts';
import { seedWorkspace } from './seed.ts';
import type { SlackChange } from './slack-changes.ts';
import type { SlackApp, SlackChannel, SlackTeam, SlackUser } from './workspace.ts';

/** The users and channels of the workspace. */
export interface Directory {
  team: SlackTeam;
  app: SlackApp;
  users(): SlackUser[];
  user(id: string): SlackUser | undefined;
  saveUser(user: SlackUser): void;
  saveChannel(channel: SlackChannel): void;
  channels(): SlackChannel[];
  channel(id: string): SlackChannel | undefined;
  /** The direct message between a user and the bot; created if it does not exist. */
  direct(user: string): SlackChannel;
  /** Takes the bot out of a channel. */
  removeBot(channel: SlackChannel): void;
  /** Whether the app receives the events of a channel. */
  hasBot(channel: SlackChannel): boolean;
}

/**
 * The directory stored in the records, created if they are empty. Changes of channels are announced.
 */
export function createDirectory(
  records: Records,
  changes: Changes<SlackChange>,
  now: () => number,
): Directory {
  const { team, app } = seedWorkspace(records, now);
  const channels = () => records.list<SlackChannel>('slack.channel');
  const hasBot = (channel: SlackChannel) => channel.members.includes(app.botUser);
  function saveChannel(channel: SlackChannel): void {
    records.put('slack.channel', channel.id, channel);
    changes.announce({ kind: 'channel', channel });
  }
  return {
    team,
    app,
    users: () => records.list<SlackUser>('slack.user'),
    user: (id) => records.get<SlackUser>('slack.user', id),
    saveUser: (user) => records.put('slack.user', user.id, user),
    saveChannel,
    channels,
    channel: (id) => records.get<SlackChannel>('slack.channel', id),
    direct(user) {
      const open = channels().find(
        (channel) => channel.kind === 'im' && hasBot(channel) && channel.members.includes(user),
      );
      if (open) return open;
      const created = Math.floor(now() / 1000);
      const members = [user, app.botUser];
      const channel: SlackChannel = { id: newId('D'), name: '', kind: 'im', members, created };
      saveChannel(channel);
      return channel;
    },
    removeBot(channel) {
      const members = channel.members.filter((id) => id !== app.botUser);
      saveChannel({ ...channel, members });
    },
    hasBot,
  };
}
