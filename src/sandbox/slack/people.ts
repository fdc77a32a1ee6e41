import type { SlackFile, Upload } from './files.ts';
import { nameGroup, newChannel } from './directory.ts';
import { newSecret } from './identifiers.ts';
import {
  inThreadOf,
  type SlackChannel,
  type SlackMessage,
  slackbotId,
  type SlackUser,
} from './model.ts';
import type { Parts } from './parts.ts';
import { fromTyped } from './plain-text.ts';

/** A message that a person writes. */
interface Saying {
  user: string;
  channel: string;
  /** As typed, with mentions as `<@U…>` and `<#C…>`. */
  text?: string;
  /** The ts of the thread's first message. */
  thread?: string;
  /** Also shows a reply in the channel. */
  broadcast?: boolean;
  files?: Upload[];
  /** A message to forward, below the text if there is any. */
  forwards?: MessageAt;
  /** Whether it was typed after `/me`. */
  me?: boolean;
}

/** Where a message is. */
interface MessageAt {
  channel: string;
  ts: string;
}

/** The new text of a message, as typed. */
interface Edit extends MessageAt {
  text: string;
}

/** What people do with messages. All throw when there is no such person, channel or message. */
export interface People {
  /** @throws {ContentTooLarge} when a file is over 25 MB */
  say(saying: Saying): Promise<SlackMessage>;
  /** Another app's bot writes a message. */
  sayAsBot(
    saying: Pick<Saying, 'channel' | 'thread'> & { name: string; text: string },
  ): SlackMessage;
  edit(edit: Edit): SlackMessage;
  remove(message: MessageAt): void;
  /** Shows link previews below a message; its text stays unchanged. */
  unfurl(message: MessageAt): SlackMessage;
  /** Opens a channel, group message or direct message for people; the bot is in it if it is named. */
  openChannel(channel: Pick<SlackChannel, 'kind' | 'members'> & { name?: string }): SlackChannel;
  /** Changes what Slack knows of a person: a guest, or someone of another workspace. */
  changeUser(user: string, change: Pick<SlackUser, 'team' | 'isGuest' | 'isStranger'>): void;
  /** Chooses a person's language, as `de-DE`. */
  setLocale(user: string, locale: string): void;
  /** Removes the bot from a channel, as with `/remove @causeway`. */
  removeBot(channel: string): void;
}

/** Slack's client allows no longer text. */
const maxTextLength = 12_000;

/** People's actions use the same store as the app's. */
export function createPeople(parts: Parts): People {
  const { directory, ephemerals, files, manifest, messages, timestamps } = parts;

  function reachChannel(id: string, user: string): SlackChannel {
    const channel = directory.channel(id);
    if (!channel) throw new Error(`There is no channel ${id}.`);
    const person = reachUser(user);
    if (person.isBot) {
      throw new Error(`${person.realName} is a bot and posts only through the API.`);
    }
    const isDirect = channel.kind === 'im' && directory.hasBot(channel);
    if (isDirect && person.isGuest && manifest.isAgent()) {
      throw new Error(`${user} is a guest, and guests can’t use an app with an agent view.`);
    }
    if (!channel.members.includes(user)) throw new Error(`${user} is not in the channel ${id}.`);
    return channel;
  }

  function reachUser(id: string): SlackUser {
    const user = directory.user(id);
    if (!user) throw new Error(`There is no user ${id}.`);
    return user;
  }

  function reach({ channel, ts }: MessageAt): SlackMessage {
    const message = messages.find(channel, ts);
    if (!message) throw new Error(`There is no message ${ts} in ${channel}.`);
    return message;
  }

  function reachOwn(at: MessageAt): SlackMessage {
    const message = reach(at);
    if (message.bot_id) throw new Error(`The message ${at.ts} is the app's, not a person's.`);
    return message;
  }

  /**
   * A forwarded message, as the client attaches it: documented only as a link's preview
   * (docs.slack.dev/messaging/unfurling-links-in-messages), which lacks `is_share` and `files`.
   */
  function toShare(at: MessageAt): object {
    const { channel, ts, text, user, files: shared = [] } = reach(at);
    return {
      id: 1,
      ts,
      channel_id: channel,
      author_id: user,
      author_name: directory.user(user)?.realName,
      text,
      fallback: text,
      mrkdwn_in: ['text'],
      is_msg_unfurl: true,
      is_share: true,
      files: shared.length > 0 ? shared.map((file) => files.toWire(file)) : undefined,
    };
  }

  async function storeAll(user: string, channel: string, uploads: Upload[]): Promise<SlackFile[]> {
    const stored: SlackFile[] = [];
    for (const upload of uploads) {
      const file = await files.store(user, upload);
      stored.push(files.update(file, { channels: [channel] }));
    }
    return stored;
  }

  /** The app gets no event for a mention in a channel that it isn't in, so Slackbot tells the author. */
  function tellOfAbsence(channel: SlackChannel, { user, text, thread_ts }: SlackMessage): void {
    const bot = directory.user(directory.app.botUser);
    const isInvitable = channel.kind === 'channel' || channel.kind === 'group';
    if (!bot || !isInvitable || directory.hasBot(channel) || !text.includes(`<@${bot.id}`)) return;
    const said = `You mentioned ${bot.realName}, but they’re not in this channel. To invite them, type \`/invite @${bot.name}\`.`;
    ephemerals.post({ channel: channel.id, thread_ts, to: user, user: slackbotId, text: said });
  }

  return {
    async say(saying) {
      const { user, channel: id, text = '', thread, broadcast = false } = saying;
      const { files: uploads = [], forwards, me = false } = saying;
      const channel = reachChannel(id, user);
      const root = thread ? messages.find(id, thread) : undefined;
      if (thread && !root) throw new Error(`There is no thread ${thread} in ${id}.`);
      if (!text.trim() && uploads.length === 0 && !forwards)
        throw new Error('A message needs a text or a file.');
      checkLength(text);
      const stored = await storeAll(user, id, uploads);
      const shared = stored.length > 0 ? 'file_share' : me ? 'me_message' : undefined;
      const subtype = root && broadcast ? 'thread_broadcast' : shared;
      const message = messages.post({
        channel: id,
        user,
        text: fromTyped(text),
        client_msg_id: newSecret(16),
        subtype,
        files: stored.length > 0 ? stored : undefined,
        attachments: forwards && [toShare(forwards)],
        ...(root && inThreadOf(root)),
      });
      tellOfAbsence(channel, message);
      return message;
    },
    sayAsBot({ name, channel, thread, text }) {
      const root = thread ? messages.find(channel, thread) : undefined;
      const id = Buffer.from(name).toString('hex').toUpperCase();
      return messages.post({
        channel,
        user: `U0BOT${id}`,
        bot_id: `B0BOT${id}`,
        bot_name: name,
        text: fromTyped(text),
        ...(root && inThreadOf(root)),
      });
    },
    edit({ text, ...at }) {
      const message = reachOwn(at);
      if (!text.trim()) throw new Error('A message needs a text.');
      checkLength(text);
      const edited = { user: message.user, ts: timestamps.next() };
      return messages.edit(message, { text: fromTyped(text), edited });
    },
    remove(at) {
      messages.remove(reachOwn(at));
    },
    unfurl({ channel, ts }) {
      const message = messages.find(channel, ts);
      const addresses = message?.text.match(/https?:\/\/[^\s<>|]+/g) ?? [];
      if (!message || addresses.length === 0) {
        throw new Error(`There is no message ${ts} with an address in ${channel}.`);
      }
      const attachments = addresses.map((url, index) => ({
        id: index + 1,
        from_url: url,
        original_url: url,
        title: url,
        fallback: url,
      }));
      return messages.amend(message, { attachments });
    },
    removeBot(id) {
      const channel = directory.channel(id);
      if (!channel) throw new Error(`There is no channel ${id}.`);
      const members = channel.members.filter((member) => member !== directory.app.botUser);
      directory.saveChannel({ ...channel, members });
    },
    openChannel({ kind, members, name }) {
      const users = members.map((id) => directory.user(id) ?? { name: id });
      const names = { im: '', mpim: nameGroup(users), channel: name, group: name };
      const created = Math.floor(Number(timestamps.next()));
      const channel = newChannel({ kind, name: names[kind] ?? '', members, created });
      directory.saveChannel(channel);
      return channel;
    },
    changeUser: (id, change) => directory.saveUser({ ...reachUser(id), ...change }),
    setLocale: (id, locale) => directory.saveUser({ ...reachUser(id), locale }),
  };
}

function checkLength(text: string): void {
  if (text.length <= maxTextLength) return;
  throw new Error(
    `A message has at most ${maxTextLength} characters; this one has ${text.length}.`,
  );
}
