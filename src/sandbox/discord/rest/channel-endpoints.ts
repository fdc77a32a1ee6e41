import { z } from 'zod';
import { findVisibleChannel } from '../channels.ts';
import {
  type Channel,
  ChannelType,
  type Guild,
  holdsPosts,
  type ThreadState,
} from '../documents.ts';
import { Intent } from '../gateway/session.ts';
import { messageSchema } from '../messages/message-schema.ts';
import { findMessage } from '../messages/message-store.ts';
import { postMessage } from '../messages/write-message.ts';
import {
  may,
  memberOf,
  Permission,
  requirePermission,
  rolesOf,
  sendPermission,
} from '../permissions.ts';
import { refusal } from '../refusals.ts';
import {
  guildOf,
  renderChannel,
  renderGuild,
  renderMemberWithUser,
  renderRole,
  renderThreadMember,
} from '../render.ts';
import type { DiscordState } from '../state.ts';
import {
  changeThread,
  joinThread,
  leaveThread,
  messageThreadSchema,
  postSchema,
  startMessageThread,
  startPost,
  startThread,
  threadChangeSchema,
  threadSchema,
} from '../threads.ts';
import { parseForm } from '../validation.ts';
import type { Call, Endpoints } from './endpoint.ts';

const newPostSchema = postSchema.extend({ message: messageSchema });

const archivePageSchema = z.object({
  before: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().pipe(z.int().min(2).max(100)).default(50),
});

/**
 * Servers, channels and threads: https://docs.discord.com/developers/resources/guild,
 * https://docs.discord.com/developers/resources/channel
 */
export function channelEndpoints(state: DiscordState): Endpoints {
  const { documents, self } = state;

  function findGuild(call: Call): Guild {
    const guild = documents.guilds.get(call.param('guild'));
    if (!guild || !memberOf(state, guild.id, self.user)) throw refusal(10004);
    return guild;
  }

  const findVisible = (call: Call) => findVisibleChannel(state, call.param('channel'));

  function findThread(call: Call): { channel: Channel; thread: ThreadState } {
    const channel = findVisible(call);
    if (!channel.thread) throw refusal(50024);
    return { channel, thread: channel.thread };
  }

  function findActiveThread(call: Call): Channel {
    const { channel, thread } = findThread(call);
    if (thread.archived) throw refusal(50083);
    return channel;
  }

  function renderMembership(call: Call, user: string): object {
    const { channel, thread } = findThread(call);
    if (!thread.members.includes(user)) throw refusal(10007);
    return renderThreadMember(channel.id, user);
  }

  /** Threads, and the bot's membership in those that it is in. */
  function renderThreads(threads: Channel[]) {
    const joined = threads.filter(({ thread }) => thread?.members.includes(self.user));
    return {
      threads: threads.map((thread) => renderChannel(state, thread)),
      members: joined.map(({ id }) => renderThreadMember(id, self.user)),
    };
  }

  async function openPost(forum: Channel, { body, files }: Call): Promise<object> {
    const { message, ...form } = parseForm(newPostSchema, body);
    const { id } = startPost(state, self.user, forum, form);
    const channel = findVisibleChannel(state, id);
    await postMessage(state, { channel, id, author: self.user, form: message, files });
    return renderChannel(state, findVisibleChannel(state, id));
  }

  return {
    'GET /guilds/:guild': (call) => renderGuild(state, findGuild(call)),
    'GET /guilds/:guild/channels': (call) => {
      const { id } = findGuild(call);
      return documents.channels
        .list()
        .filter(({ guild, thread }) => guild === id && !thread)
        .map((channel) => renderChannel(state, channel));
    },
    'GET /guilds/:guild/members/:user': (call) => {
      const member = memberOf(state, findGuild(call).id, call.param('user'));
      if (!member) throw refusal(10007);
      return renderMemberWithUser(state, member);
    },
    'GET /guilds/:guild/roles': (call) =>
      rolesOf(state, findGuild(call).id).map((role) => renderRole(role, self.user)),
    'GET /guilds/:guild/threads/active': (call) => {
      const { id } = findGuild(call);
      const active = documents.channels
        .list()
        .filter(({ guild, thread }) => guild === id && thread && !thread.archived)
        .filter((channel) => may(state, self.user, Permission.ViewChannel, channel));
      return { ...renderThreads(active), has_more: false };
    },
    'GET /channels/:channel': (call) => renderChannel(state, findVisible(call)),
    'PATCH /channels/:channel': (call) => {
      const form = parseForm(threadChangeSchema, call.body);
      return renderChannel(state, changeThread(state, self.user, findVisible(call), form));
    },
    'POST /channels/:channel/typing': (call) => {
      const channel = findVisible(call);
      requirePermission(state, self.user, channel, sendPermission(channel));
      startTyping(state, channel);
    },
    'POST /channels/:channel/messages/:message/threads': {
      status: 201,
      handle(call) {
        const channel = findVisible(call);
        const message = findMessage(state, channel.id, call.param('message'));
        const form = parseForm(messageThreadSchema, call.body);
        return renderChannel(state, startMessageThread(state, self.user, message, form));
      },
    },
    'POST /channels/:channel/threads': {
      status: 201,
      async handle(call) {
        const channel = findVisible(call);
        if (holdsPosts(channel)) return openPost(channel, call);
        const form = parseForm(threadSchema, call.body);
        return renderChannel(state, startThread(state, self.user, channel, form));
      },
    },
    'GET /channels/:channel/threads/archived/public': (call) => {
      const channel = findVisible(call);
      requirePermission(state, self.user, channel, Permission.ReadMessageHistory);
      const { before, limit } = parseForm(archivePageSchema, Object.fromEntries(call.query));
      const isOlder = ({ thread }: Channel) =>
        thread?.archived && thread.archiveChangedAt < (before ? Date.parse(before) : Infinity);
      const found = documents.channels
        .list(channel.id)
        .filter((each) => each.type !== ChannelType.PrivateThread && isOlder(each))
        .toSorted(
          (one, other) =>
            (other.thread?.archiveChangedAt ?? 0) - (one.thread?.archiveChangedAt ?? 0),
        );
      return { ...renderThreads(found.slice(0, limit)), has_more: found.length > limit };
    },
    'GET /channels/:channel/thread-members': (call) => {
      const { channel, thread } = findThread(call);
      return thread.members.map((user) => renderThreadMember(channel.id, user));
    },
    'GET /channels/:channel/thread-members/@me': (call) => renderMembership(call, self.user),
    'PUT /channels/:channel/thread-members/@me': (call) =>
      joinThread(state, self.user, findActiveThread(call).id),
    'DELETE /channels/:channel/thread-members/@me': (call) =>
      leaveThread(state, self.user, findActiveThread(call).id),
    'GET /channels/:channel/thread-members/:user': (call) =>
      renderMembership(call, call.param('user')),
    'PUT /channels/:channel/thread-members/:user': (call) => {
      const { channel, thread } = findThread(call);
      const user = call.param('user');
      requirePermission(state, self.user, channel, sendPermission(channel));
      if (thread.archived) throw refusal(50083);
      if (!memberOf(state, channel.guild, user)) throw refusal(10007);
      joinThread(state, user, channel.id);
    },
  };
}

function startTyping(state: DiscordState, channel: Channel): void {
  const { user } = state.self;
  state.typing.start(channel.id, user);
  const timestamp = Math.floor(state.now() / 1000);
  state.dispatch({
    name: 'TYPING_START',
    data: { channel_id: channel.id, user_id: user, timestamp, ...guildOf(channel) },
    intent: channel.guild ? Intent.GuildMessageTyping : Intent.DirectMessageTyping,
  });
  state.changes.announce({ kind: 'typing', channel: channel.id, user });
}
