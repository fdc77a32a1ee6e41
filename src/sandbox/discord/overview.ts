import type { Command, CommandRegistry } from './application-commands/command-registry.ts';
import type { ShownChannel, ShownMessage } from './changes.ts';
import {
  createChannel,
  type createdTypes,
  findChannel,
  openDirectChannel,
  saveChannel,
  type ForumSettings,
  showChannel,
  toForum,
} from './channels.ts';
import { type Guild, holdsPosts, type Message, type Role, type User } from './documents.ts';
import { guildsOf } from './gateway/greeting.ts';
import { Intent } from './gateway/session.ts';
import { addGuild, joinGuild, leaveGuild } from './guilds.ts';
import { isSaid } from './messages/message-store.ts';
import { showMessage } from './messages/render-message.ts';
import { findPerson } from './people.ts';
import { may, memberOf, Permission, rolesOf } from './permissions.ts';
import { mistake } from './refusals.ts';
import type { ApplicationSettings, DiscordState } from './state.ts';

/** The current state of the server. */
export interface Overview {
  /** The channels, including people's direct channels with the bot. */
  channels(): ShownChannel[];
  /** The threads of a channel. */
  threads(channel: string): ShownChannel[];
  /** A channel or thread. */
  channel(id: string): ShownChannel | undefined;
  /** The messages of a channel, oldest first, without Discord's notices about threads. */
  messages(channel: string): (ShownMessage & { revisions: string[] })[];
  message(id: string): ShownMessage | undefined;
  /**
   * The messages of a channel that were written before a message, newest first, without Discord's
   * notices about threads. Each is read when it is asked for.
   */
  newest(channel: string, before?: string): Iterable<ShownMessage>;
  /** The messages that were written after a message, oldest first, in the same way. */
  oldest(channel: string, after?: string): Iterable<ShownMessage>;
  /** The texts that a message has shown, oldest first, at most the last 200. */
  revisions(message: string): string[];
  users(): User[];
  roles(): Role[];
  /** "Owner", or the name of the role that lets a person manage the server. */
  managerRole(user: string): string | undefined;
  commands(): Command[];
  /** The users who are typing in a channel. */
  typing(channel: string): string[];
  /** Whether the bot may write in a channel. */
  botMayWrite(channel: string): boolean;
  /** A person's direct channel with the bot. */
  directChannel(user: string): ShownChannel;
  /** Raises the max size of people's files to this many bytes, as a paid plan does. */
  raiseUploadLimit(bytes: number): void;
  /**
   * Creates a channel: voice and stage channels accept messages and have no threads; forums and
   * media channels have only posts.
   */
  addChannel(kind: keyof typeof createdTypes, name: string, forum?: ForumSettings): ShownChannel;
  /** Changes what a forum asks of its posts; tags with an id stay. */
  changeForum(channel: string, forum: ForumSettings): ShownChannel;
  /**
   * Invites the bot to another server, with these people in it; returns the ids of the server and of its channel #general.
   */
  addServer(name: string, people: readonly [string, ...string[]]): { id: string; general: string };
  /** Sets how many seconds a person waits between two messages in a channel or thread. */
  setSlowMode(channel: string, seconds: number): void;
  /** Sets a channel's permission overwrite (sums of permission bits) for a role or user. */
  setPermissions(change: { channel: string; id: string; allow: bigint; deny: bigint }): void;
  /** Sets the permissions (a sum of bits) of the bot's own role, and of @everyone. */
  setBotPermissions(permissions: bigint): void;
  /** The servers that the bot is in. */
  servers(): Guild[];
  /** Adds the bot to a server that it left. */
  inviteBot(server: string): void;
  /** Removes the bot from a server, by default the first. */
  removeBot(server?: string): void;
  /** Changes the application in the developer portal. */
  changeApplication(change: Partial<ApplicationSettings>): void;
  /** How much `empty` would delete. */
  contents(): { messages: number; threads: number; files: number };
  /** Deletes all messages, threads and files. People, channels and commands stay. */
  empty(): void;
}

const botPermissions = Permission.ViewChannel | Permission.SendMessages;

export function createOverview(state: DiscordState, registered: CommandRegistry): Overview {
  const { documents } = state;
  const allThreads = () => documents.channels.list().filter(({ thread }) => thread !== undefined);
  const revisions = (message: string) => documents.revisions.get(message)?.texts ?? [];
  const show = (messages: Iterable<Message>) =>
    Iterator.from(messages)
      .filter(isSaid)
      .map((message) => showMessage(state, message));
  return {
    channels: () =>
      documents.channels
        .list()
        .filter(({ thread }) => !thread)
        .map(showChannel),
    threads: (channel) => documents.channels.list(channel).map(showChannel),
    channel(id) {
      const channel = documents.channels.get(id);
      return channel && showChannel(channel);
    },
    messages: (channel) =>
      documents.messages
        .list(channel)
        .filter(isSaid)
        .map((message) =>
          Object.assign(showMessage(state, message), { revisions: revisions(message.id) }),
        ),
    message(id) {
      const message = documents.messages.get(id);
      return message && showMessage(state, message);
    },
    newest: (channel, before) => show(documents.messages.newest(channel, { before })),
    oldest: (channel, after) => show(documents.messages.oldest(channel, { after })),
    revisions,
    users: () => documents.users.list(),
    roles: () => rolesOf(state, state.guild),
    managerRole(user) {
      if (documents.guilds.get(state.guild)?.owner === user) return 'Owner';
      const held = memberOf(state, state.guild, user)?.roles ?? [];
      return held
        .flatMap((id) => documents.roles.get(id) ?? [])
        .find(({ permissions }) => BigInt(permissions) & Permission.ManageGuild)?.name;
    },
    commands: () => [...registered.list(state.guild), ...registered.list()],
    typing: (channel) => state.typing.list(channel),
    botMayWrite: (channel) =>
      may(state, state.self.user, botPermissions, findChannel(state, channel)),
    directChannel: (user) => showChannel(openDirectChannel(state, findPerson(state, user).id)),
    raiseUploadLimit(bytes) {
      state.attachments.limit = bytes;
    },
    addChannel: (kind, name, forum) => showChannel(createChannel(state, name, kind, forum)),
    changeForum(id, forum) {
      const channel = findChannel(state, id);
      if (!holdsPosts(channel)) throw mistake('Only forum and media channels have tags.');
      const changed = { ...channel, ...toForum(forum, state.nextId) };
      saveChannel(state, changed, 'CHANNEL_UPDATE');
      return showChannel(changed);
    },
    addServer(name, [owner, ...others]) {
      const idOf = (person: string) => findPerson(state, person).id;
      const { id } = addGuild(state, { name, members: [idOf(owner), ...others.map(idOf)] });
      const general = documents.channels.list().find(({ guild }) => guild === id);
      return { id, general: general?.id ?? '' };
    },
    setSlowMode(id, seconds) {
      const channel = findChannel(state, id);
      const name = channel.thread ? 'THREAD_UPDATE' : 'CHANNEL_UPDATE';
      saveChannel(state, { ...channel, slowMode: seconds }, name);
    },
    setPermissions({ channel, id, allow, deny }) {
      const known = findChannel(state, channel);
      if (!known.guild || known.thread) {
        throw mistake('Permissions are set on channels of the server; threads inherit them.');
      }
      const type = documents.roles.get(id) ? 0 : 1;
      const overwrite = { id, type, allow: String(allow), deny: String(deny) } as const;
      const others = known.overwrites.filter((other) => other.id !== id);
      saveChannel(state, { ...known, overwrites: [...others, overwrite] }, 'CHANNEL_UPDATE');
    },
    setBotPermissions(permissions) {
      const own = rolesOf(state, state.guild).filter(
        ({ id, managed }) => managed || id === state.guild,
      );
      for (const role of own) {
        documents.roles.put({ ...role, permissions: String(permissions) });
      }
    },
    servers: () => guildsOf(state),
    inviteBot: (server) => joinGuild(state, server),
    removeBot: (server = state.guild) => leaveGuild(state, server),
    changeApplication: (change) => void Object.assign(state.settings, change),
    contents: () => ({
      messages: documents.messages.count(),
      threads: allThreads().length,
      files: documents.attachments.count(),
    }),
    empty() {
      state.attachments.delete(documents.attachments.list().map(({ id }) => id));
      documents.messages.trim(0);
      documents.revisions.trim(0);
      for (const { id, parent, guild, type } of allThreads()) {
        documents.channels.delete(id);
        const data = { id, guild_id: guild ?? state.guild, parent_id: parent, type };
        state.dispatch({ name: 'THREAD_DELETE', data, intent: Intent.Guilds });
      }
      state.changes.announce({ kind: 'emptied' });
    },
  };
}
