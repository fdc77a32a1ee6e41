import { findChannel } from '../channels.ts';
import type { Channel } from '../documents.ts';
import { Intent } from '../gateway/intents.ts';
import { findMessage } from '../messages/messages.ts';
import { memberOf } from '../members.ts';
import { requirePermission, sendPermission } from '../permissions.ts';
import { refusal } from '../refusals.ts';
import { guildOf, renderChannel, renderThreadMember } from '../render.ts';
import type { DiscordState } from '../state.ts';
import {
  changeThread,
  joinThread,
  leaveThread,
  startMessageThread,
  startThread,
} from '../threads.ts';
import { messageThreadSchema, threadChangeSchema, threadSchema } from '../thread-form.ts';
import { parseForm } from '../validation.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** Channels and threads: https://docs.discord.com/developers/resources/channel */
export function channelEndpoints(state: DiscordState): Endpoint[] {
  const { self } = state;

  function findVisible(call: Call): Channel {
    const channel = findChannel(state, call.param('channel'));
    requirePermission(state, self.user, channel);
    return channel;
  }

  function findThread(call: Call): Channel {
    const channel = findVisible(call);
    if (!channel.thread) throw refusal(50024);
    return channel;
  }

  return [
    {
      method: 'GET',
      path: '/channels/:channel',
      handle: (call) => renderChannel(state, findVisible(call)),
    },
    {
      method: 'PATCH',
      path: '/channels/:channel',
      handle(call) {
        const form = parseForm(threadChangeSchema, call.body);
        return renderChannel(state, changeThread(state, self.user, findVisible(call), form));
      },
    },
    {
      method: 'POST',
      path: '/channels/:channel/typing',
      handle(call) {
        const channel = findVisible(call);
        requirePermission(state, self.user, channel, sendPermission(channel));
        startTyping(state, channel);
        return undefined;
      },
    },
    {
      method: 'POST',
      path: '/channels/:channel/messages/:message/threads',
      status: 201,
      handle(call) {
        const channel = findVisible(call);
        const message = findMessage(state, channel.id, call.param('message'));
        const form = parseForm(messageThreadSchema, call.body);
        return renderChannel(state, startMessageThread(state, self.user, message, form));
      },
    },
    {
      method: 'POST',
      path: '/channels/:channel/threads',
      status: 201,
      handle(call) {
        const form = parseForm(threadSchema, call.body);
        return renderChannel(state, startThread(state, self.user, findVisible(call), form));
      },
    },
    {
      method: 'GET',
      path: '/channels/:channel/thread-members',
      handle(call) {
        const { id, thread } = findThread(call);
        return (thread?.members ?? []).map((user) => renderThreadMember(id, user));
      },
    },
    {
      method: 'GET',
      path: '/channels/:channel/thread-members/@me',
      handle(call) {
        const { id, thread } = findThread(call);
        if (!thread?.members.includes(self.user)) throw refusal(10007);
        return renderThreadMember(id, self.user);
      },
    },
    {
      method: 'PUT',
      path: '/channels/:channel/thread-members/@me',
      handle(call) {
        const { id, thread } = findThread(call);
        if (thread?.archived) throw refusal(50083);
        joinThread(state, self.user, id);
        return undefined;
      },
    },
    {
      method: 'DELETE',
      path: '/channels/:channel/thread-members/@me',
      handle(call) {
        const { id, thread } = findThread(call);
        if (thread?.archived) throw refusal(50083);
        leaveThread(state, self.user, id);
        return undefined;
      },
    },
    {
      method: 'GET',
      path: '/channels/:channel/thread-members/:user',
      handle(call) {
        const { id, thread } = findThread(call);
        const user = call.param('user');
        if (!thread?.members.includes(user)) throw refusal(10007);
        return renderThreadMember(id, user);
      },
    },
    {
      method: 'PUT',
      path: '/channels/:channel/thread-members/:user',
      handle(call) {
        const channel = findThread(call);
        requirePermission(state, self.user, channel, sendPermission(channel));
        if (channel.thread?.archived) throw refusal(50083);
        if (!memberOf(state, channel.guild, call.param('user'))) throw refusal(10007);
        joinThread(state, call.param('user'), channel.id);
        return undefined;
      },
    },
  ];
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
