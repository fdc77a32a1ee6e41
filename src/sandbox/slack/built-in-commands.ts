import type { Directory } from './directory.ts';
import type { Ephemerals } from './ephemerals.ts';
import type { ListedCommand } from './manifest.ts';
import type { Messages } from './messages.ts';
import { fromCommand } from './typed-text.ts';
import type { UserGroups } from './user-groups.ts';
import { slackbotId, type SlackChannel, type SlackUser } from './workspace.ts';

/** A command as typed in a channel. */
interface Typed {
  user: string;
  channel: string;
  text?: string;
}

/** The commands of Slack itself, which no app receives. The sandbox has one of them. */
export interface BuiltInCommands {
  has(name: string): boolean;
  /** Runs it; false if it changed nothing, which Slackbot explains. */
  run(typed: Typed): boolean;
}

/** As the client lists them. */
export const builtInCommands: readonly ListedCommand[] = [
  { command: '/invite', description: 'Add people or apps to this channel', usageHint: '@name' },
];

/** https://slack.com/help/articles/201259356-Slash-commands-in-Slack */
export function createBuiltInCommands(options: {
  directory: Directory;
  groups: UserGroups;
  messages: Messages;
  ephemerals: Ephemerals;
}): BuiltInCommands {
  const { directory, groups, messages, ephemerals } = options;

  function invite({ user, channel: id, text = '' }: Typed): boolean {
    const channel = directory.channel(id);
    const named = fromCommand(text, directory, groups).matchAll(/<@(\w+)/g);
    const invited = [...named].flatMap(([, found = '']) => directory.user(found) ?? []);
    const refused = refusalOf(channel, invited);
    if (refused) ephemerals.post({ to: user, channel: id, user: slackbotId, text: refused });
    if (refused || !channel) return false;
    directory.saveChannel({
      ...channel,
      members: [...channel.members, ...invited.map((person) => person.id)],
    });
    for (const person of invited) {
      const joined = `<@${person.id}> has joined the channel`;
      const draft = { channel: id, user: person.id, text: joined };
      messages.post({ ...draft, subtype: 'channel_join' });
    }
    return true;
  }

  return { has: (name) => name === '/invite', run: invite };
}

function refusalOf(channel: SlackChannel | undefined, invited: SlackUser[]): string | undefined {
  if (channel?.kind !== 'channel' && channel?.kind !== 'group') {
    return '`/invite` works only in channels.';
  }
  if (invited.length === 0) return 'Who should join this channel? Type `/invite @name`.';
  const member = invited.find(({ id }) => channel.members.includes(id));
  return member && `${member.realName} is already in this channel.`;
}
