import { type SlackChange, type SlackChannel, slackbotId } from './model.ts';
import type { Parts } from './parts.ts';

/** Channels that two workspaces share (Slack Connect): docs.slack.dev/apis/slack-connect. */
export interface SharedChannels {
  /** Repeats from now on what happens in the workspace’s shared channels in the others. */
  follow(parts: Parts): void;
  /**
   * Shares a channel, with its messages, with all people and the bot of another workspace.
   * @throws {Error} when there is no such channel, or it can't be shared
   */
  share(channel: string, host: Parts, guest: Parts): void;
  /**
   * Whether the app is told of a channel through this workspace. Slack tells it through one: the last
   * that joined with the app (slackapi/bolt-js#2008).
   */
  isTold(parts: Parts, channel: SlackChannel): boolean;
}

/** Each workspace has a copy of the channel and of what is said there. */
export function createSharedChannels(workspaces: () => Parts[]): SharedChannels {
  let isCopying = false;

  function sharing({ teams = [] }: SlackChannel): Parts[] {
    const find = (id: string) => workspaces().find(({ directory }) => directory.team.id === id);
    return teams.flatMap((id) => find(id) ?? []);
  }

  /** Makes the members of a channel known in another workspace. */
  function introduce({ members }: SlackChannel, from: Parts, to: Parts): void {
    for (const id of members) {
      const user = from.directory.user(id);
      if (!user || to.directory.user(id)) continue;
      to.directory.saveUser({ ...user, team: user.team ?? from.directory.team.id });
    }
  }

  /** What is copied is announced as well, and not to be copied back. */
  function copyAll(copies: () => void): void {
    if (isCopying) return;
    isCopying = true;
    try {
      copies();
    } finally {
      isCopying = false;
    }
  }

  function copy(change: SlackChange, from: Parts, to: Parts): void {
    if (change.kind === 'message' || change.kind === 'removed') {
      for (const file of change.message.files ?? []) to.files.copy(file);
      to.messages.copy(change);
    }
    if (change.kind === 'ephemeral') to.ephemerals.copy(change.message);
    if (change.kind === 'ephemeral-removed') {
      const found = to.ephemerals.find(change.channel, change.ts);
      if (found) to.ephemerals.remove(found);
    }
    if (change.kind === 'channel') {
      introduce(change.channel, from, to);
      to.directory.saveChannel(change.channel);
    }
  }

  return {
    follow(from) {
      from.changes.subscribe((change) => {
        if (!('channel' in change)) return;
        const { channel: at } = change;
        const channel = typeof at === 'string' ? from.directory.channel(at) : at;
        if (!channel?.teams) return;
        const others = sharing(channel).filter((to) => to !== from);
        copyAll(() => others.forEach((to) => copy(change, from, to)));
      });
    },
    share(id, host, guest) {
      const channel = host.directory.channel(id);
      if (!channel) throw new Error(`There is no channel ${id}.`);
      if (channel.kind === 'im' || channel.kind === 'mpim' || channel.teams) {
        throw new Error('Only a channel that is not shared yet can be shared.');
      }
      const { team, app, users } = guest.directory;
      const people = users().filter((user) => user.id !== slackbotId && !user.team && !user.isBot);
      const joining = [...people.map((user) => user.id), app.botUser];
      const shared: SlackChannel = {
        ...channel,
        members: [...new Set([...channel.members, ...joining])],
        teams: [host.directory.team.id, team.id],
      };
      introduce(shared, guest, host);
      host.directory.saveChannel(shared);
      const messages = [...host.messages.oldest({ channel: id })].flatMap((message) => [
        message,
        ...host.messages.oldest({ channel: id, thread: message.ts }, message.ts),
      ]);
      copyAll(() => {
        for (const message of messages) {
          copy({ kind: 'message', event: 'replied', channel: id, message }, host, guest);
        }
      });
    },
    isTold(parts, channel) {
      if (!channel.teams) return true;
      const told = sharing(channel).findLast(
        ({ directory, installations }) =>
          directory.hasBot(channel) && installations.serving(directory.team.id),
      );
      return told === parts;
    },
  };
}
