import {
  type APIMessage,
  type APIThreadChannel,
  ComponentType,
  RateLimitError,
  type REST,
  type RESTGetAPIChannelMessagesResult,
  type RESTPostAPIChannelMessageResult,
  type RESTPostAPICurrentUserCreateDMChannelResult,
  Routes,
  SnowflakeUtil,
} from 'discord.js';
import { isRefusal, PlatformError } from '../conversation/errors.ts';
import type { TextFile } from '../conversation/thread.ts';
import { parseButtonId } from './buttons.ts';
import { discordErrorCode, ErrorCode, orPlatformError, toPlatformError } from './errors.ts';
import { encodeFile } from './files.ts';
import { messageBody, type MessagePart, newMessageBody } from './message.ts';
import type { Permission, Permissions } from './permissions.ts';

/** Writes to channels and threads, which Discord treats alike. All methods throw PlatformError. */
export interface Writer {
  /** Resolves with the message's id. Posted again with the same key, it is one message. */
  post(channel: string, part: MessagePart, options?: PostOptions): Promise<string>;
  /**
   * Resolves with the ids of recent messages that have the stop button of a turn, or show exactly
   * this part, newest first. Those of others are left out: of people, and if the bot's own id is
   * known, of other bots.
   */
  find(channel: string, wanted: WantedMessage): Promise<string[]>;
  edit(channel: string, message: string, part: MessagePart): Promise<void>;
  /** Puts a part below what a message shows, with its buttons in place of those that it has. */
  append(channel: string, message: string, part: MessagePart): Promise<void>;
  remove(channel: string, message: string): Promise<void>;
  /** Renames a thread, archived or not. */
  rename(thread: string, name: string): Promise<void>;
  /** Posted again with the same key, it is one message. */
  postFile(channel: string, file: TextFile, key?: string): Promise<void>;
  /**
   * Opens the thread of a message, which gets the message's id; an existing one is fine. False if
   * Discord does not let the bot open one.
   */
  openThread(thread: NewThread): Promise<boolean>;
  /** Resolves with the id of the direct message channel with a person. */
  openDirect(person: string): Promise<string>;
  showTyping(channel: string): Promise<void>;
  /** Gives a post a tag, or takes it away. False if the post is not this person's. */
  setTag(post: string, tag: string, change: { isSet: boolean; author: string }): Promise<boolean>;
}

interface PostOptions {
  /** The id of the message it answers. */
  replyTo?: string;
  /** Identifies the message; by default, each post is a message of its own. */
  key?: string;
  signal?: AbortSignal;
}

interface WantedMessage {
  turn: string;
  part?: MessagePart;
  /** The bot's own id. */
  by: string | undefined;
}

interface NewThread {
  channel: string;
  message: string;
  name: string;
}

/** docs.discord.com/developers/resources/channel#modify-channel, `applied_tags`. */
const maxTags = 5;

/** docs.discord.com/developers/resources/message#edit-message. */
const maxContent = 2_000;

export function createWriter(options: { rest: REST; permissions: Permissions }): Writer {
  const { rest, permissions } = options;

  const guard = <Result>(channel: string, call: Promise<Result>, ...needed: Permission[]) =>
    orPlatformError(call, () => permissions.lacking(channel, ...needed));

  async function edit(channel: string, message: string, part: MessagePart): Promise<void> {
    const body = messageBody(part);
    const call = rest.patch(Routes.channelMessage(channel, message), { body });
    await guard(channel, call.catch(throwForOld(message)));
  }

  return {
    async post(channel, part, { replyTo, key, signal } = {}) {
      signal?.throwIfAborted();
      const body = newMessageBody(part, { replyTo, key });
      // Without a signal, the library requires the key to be absent.
      const call = rest.post(Routes.channelMessages(channel), { body, ...(signal && { signal }) });
      const message = (await guard(channel, call)) as RESTPostAPIChannelMessageResult;
      // An earlier try with this key may have posted different content.
      if (key !== undefined && !shows(message, part)) await edit(channel, message.id, part);
      return message.id;
    },
    edit,
    async find(channel, { turn, part, by }) {
      const query = new URLSearchParams({ limit: '100' });
      const call = rest.get(Routes.channelMessages(channel), { query });
      const messages = (await guard(channel, call)) as RESTGetAPIChannelMessagesResult;
      const isStop = (id: string) => {
        const button = parseButtonId(id);
        return button?.action === 'stop' && button.turn === turn;
      };
      const isOwn = ({ author }: APIMessage) => (by ? author.id === by : author.bot === true);
      const matches = (message: APIMessage) =>
        buttonIds(message).some(isStop) || (part !== undefined && shows(message, part));
      return messages.filter((each) => isOwn(each) && matches(each)).map(({ id }) => id);
    },
    async append(channel, message, part) {
      const call = rest.get(Routes.channelMessage(channel, message));
      const { content } = (await guard(channel, call)) as APIMessage;
      const isThere = part.text === '' || content.endsWith(part.text);
      const whole = isThere ? content : `${content}\n\n${part.text}`;
      const isTooLong = whole.length > maxContent;
      await edit(channel, message, { ...part, text: isTooLong ? content : whole });
    },
    async remove(channel, message) {
      const route = Routes.channelMessage(channel, message);
      await guard(channel, rest.delete(route));
    },
    async rename(thread, name) {
      const body = { name, archived: false };
      await guard(thread, rest.patch(Routes.channel(thread), { body }));
    },
    async postFile(channel, file, key) {
      const form = await encodeFile(file, newMessageBody({ text: '' }, { key }));
      const call = rest.post(Routes.channelMessages(channel), form);
      await guard(channel, call, 'AttachFiles');
    },
    async openThread({ channel, message, name }) {
      const route = Routes.threads(channel, message);
      try {
        await rest.post(route, { body: { name } });
        return true;
      } catch (error) {
        if (discordErrorCode(error) === ErrorCode.ThreadExists) return true;
        const failure = toPlatformError(error);
        // Writing may still be possible.
        if (isRefusal(failure, 'refused', 'forbidden')) return false;
        throw failure;
      }
    },
    async openDirect(person) {
      const body = { recipient_id: person };
      const call = rest.post(Routes.userChannels(), { body });
      const channel = (await guard(person, call)) as RESTPostAPICurrentUserCreateDMChannelResult;
      return channel.id;
    },
    async showTyping(channel) {
      await guard(channel, rest.post(Routes.channelTyping(channel)));
    },
    async setTag(post, tag, { isSet, author }) {
      const found = (await guard(post, rest.get(Routes.channel(post)))) as APIThreadChannel;
      const { owner_id: owner, applied_tags: present = [], thread_metadata: state } = found;
      if (owner !== author) return false;
      if (present.includes(tag) === isSet) return true;
      const applied = isSet ? [...present, tag] : present.filter((each) => each !== tag);
      if (applied.length > maxTags) throw new PlatformError('refused', 'discord_tags_full');
      const change = (body: object) =>
        guard(post, rest.patch(Routes.channel(post), { body }), 'ManageThreads');
      // An archived thread only changes while it is open.
      await change({ applied_tags: applied, ...(state?.archived && { archived: false }) });
      if (state?.archived) await change({ archived: true });
      return true;
    },
  };
}

/**
 * Discord trims texts, and drops some characters that nobody sees: lone surrogates, control and
 * format characters.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\s]/gu;
const asSeen = (text: string) => text.replace(unseen, '');

/** Whether a message has the text, as people see it if they see any, and the buttons of a part. */
function shows(message: APIMessage, part: MessagePart): boolean {
  const { content, components } = messageBody(part);
  const wanted = components.flatMap((row) => row.components.map((button) => button.custom_id));
  const text = asSeen(content);
  const isSame = text !== '' && asSeen(message.content) === text;
  return isSame && buttonIds(message).join() === wanted.join();
}

function buttonIds({ components = [] }: APIMessage): string[] {
  return components
    .flatMap((row) => (row.type === ComponentType.ActionRow ? row.components : []))
    .flatMap((button) => ('custom_id' in button ? [button.custom_id] : []));
}

const hourMs = 60 * 60 * 1000;

/**
 * Discord allows few edits of messages older than an hour and refuses the rest like a rate limit
 * (HTTP 429, code 30046, which the library does not pass on): waiting does not help.
 */
function throwForOld(message: string): (error: unknown) => never {
  return (error) => {
    const isOld = Date.now() - SnowflakeUtil.timestampFrom(message) > hourMs;
    if (!isOld || !(error instanceof RateLimitError) || error.global) throw error;
    throw new PlatformError('uneditable', 'discord_edit_too_often', { cause: error });
  };
}
