import type { Changes } from '../changes.ts';
import type { Records } from '../records.ts';
import { newBotToken, newDigits, newId, newSecret } from './identifiers.ts';
import {
  type SlackApp,
  slackbotId,
  type SlackChange,
  type SlackChannel,
  type SlackClient,
  type SlackTeam,
  type SlackUser,
  type SlackUserGroup,
} from './model.ts';

/** The users, channels and user groups of the workspace. */
export interface Directory {
  team: SlackTeam;
  app: SlackApp;
  users(): SlackUser[];
  user(id: string): SlackUser | undefined;
  saveUser(user: SlackUser): void;
  channels(): SlackChannel[];
  channel(id: string): SlackChannel | undefined;
  saveChannel(channel: SlackChannel): void;
  /** The direct message between a user and the bot; created if it does not exist. */
  direct(user: string): SlackChannel;
  /** Whether the app receives the events of a channel. */
  hasBot(channel: SlackChannel): boolean;
  /** User groups, which can be mentioned by handle. */
  userGroups(): SlackUserGroup[];
  /** Replaces the members of the group with this handle; creates the group if needed. */
  saveUserGroup(group: Pick<SlackUserGroup, 'handle' | 'users'>): SlackUserGroup;
}

/** The directory stored in the records. Changes of channels are announced. */
export function createDirectory(
  records: Records,
  { team, app }: Founded,
  changes: Changes<SlackChange>,
  now: () => number,
): Directory {
  const channels = () => records.list<SlackChannel>('slack.channel');
  const userGroups = () => records.list<SlackUserGroup>('slack.usergroup');
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
    channels,
    channel: (id) => records.get<SlackChannel>('slack.channel', id),
    saveChannel,
    direct(user) {
      const open = channels().find(
        (channel) => channel.kind === 'im' && hasBot(channel) && channel.members.includes(user),
      );
      if (open) return open;
      const created = Math.floor(now() / 1000);
      const channel = newChannel({ kind: 'im', name: '', members: [user, app.botUser], created });
      saveChannel(channel);
      return channel;
    },
    hasBot,
    userGroups,
    saveUserGroup({ handle, users }) {
      const id = userGroups().find((group) => group.handle === handle)?.id ?? newId('S');
      const group = { id, handle, users };
      records.put('slack.usergroup', id, group);
      return group;
    },
  };
}

/** The name that Slack gives to a group message. */
export function nameGroup(users: Pick<SlackUser, 'name'>[]): string {
  return `mpdm-${users.map(({ name }) => name).join('--')}-1`;
}

export function newChannel(channel: Omit<SlackChannel, 'id' | 'teams'>): SlackChannel {
  return { id: newId(channel.kind === 'im' ? 'D' : 'C'), ...channel };
}

/** A workspace and the app in it, as they are stored. */
export interface Founded {
  team: SlackTeam;
  app: SlackApp;
}

/** The workspace stored in the records. */
export function findWorkspace(records: Records): Founded | undefined {
  return records.get<Founded>('slack.workspace', 'workspace');
}

/** The app's client stored in the records, created if they have none. */
export function openClient(records: Records): SlackClient {
  const found = records.get<SlackClient>('slack.client', 'client');
  if (found) return found;
  const client = {
    clientId: `${newDigits(12)}.${newDigits(13)}`,
    clientSecret: newSecret(16),
  };
  records.put('slack.client', 'client', client);
  return client;
}

/**
 * Creates a workspace with its first people and channels.
 * @param app the app that the other workspaces have; undefined for the first workspace
 */
export function foundWorkspace(
  records: Records,
  team: SlackTeam,
  created: number,
  app?: SlackApp,
): Founded {
  const users = [
    newUser('ada', 'Ada Lovelace', { isAdmin: true, timezone: 'Europe/London', locale: 'en-GB' }),
    newUser('grace', 'Grace Hopper', { timezone: 'America/New_York' }),
    newUser('linus', 'Linus Torvalds', { timezone: 'Europe/Helsinki', locale: 'fi-FI' }),
    newUser('konrad', 'Konrad Zuse', { timezone: 'Europe/Berlin', locale: 'de-DE' }),
  ];
  const { botUser = newId('U'), botId = newId('B') } = team.enterprise ?? {};
  const bot = { ...newUser('causeway', 'Causeway', { isBot: true }), id: botUser };
  const slackbot = { ...newUser('slackbot', 'Slackbot'), id: slackbotId };
  for (const user of [...users, bot, slackbot]) records.put('slack.user', user.id, user);

  const people = users.map((user) => user.id);
  const support = { id: newId('S'), handle: 'support', users: people.slice(2, 3) };
  records.put('slack.usergroup', support.id, support satisfies SlackUserGroup);

  const all = [...people, bot.id];
  const inGroup = [...users.slice(0, 3), bot];
  const grouped = inGroup.map(({ id }) => id);
  const add = (kind: SlackChannel['kind'], name: string, members: string[]) => {
    const channel = newChannel({ kind, name, members, created });
    records.put('slack.channel', channel.id, channel);
  };
  add('channel', 'general', all);
  add('channel', 'help', all);
  add('channel', 'random', people);
  for (const id of people) add('im', '', [id, bot.id]);
  add('group', 'leads', all);
  add('mpim', nameGroup(inGroup), grouped);

  const secrets = app ? { ...app, botToken: undefined } : newApp();
  const workspace: Founded = { team, app: { ...secrets, botUser, botId } };
  records.put('slack.workspace', 'workspace', workspace);
  return workspace;
}

function newUser(name: string, realName: string, rest: Partial<SlackUser> = {}): SlackUser {
  const plain = { isBot: false, isAdmin: false, timezone: 'Etc/UTC', locale: 'en-US' };
  return { id: newId('U'), name, realName, ...plain, ...rest };
}

function newApp(): Omit<SlackApp, 'botUser' | 'botId'> {
  const id = newId('A');
  return {
    id,
    botToken: newBotToken(),
    appToken: `xapp-1-${id}-${newDigits(13)}-${newSecret(32)}`,
    signingSecret: newSecret(16),
    verificationToken: newSecret(12),
  };
}
