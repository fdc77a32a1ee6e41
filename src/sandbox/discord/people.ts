import { grantedMentions, resolveMentions } from './messages/mentions.ts';
import type { Upload } from './attachments.ts';
import type { ShownChannel, ShownMessage } from './changes.ts';
import { findChannel, openDirectChannel, showChannel } from './channels.ts';
import type { Channel, Message, User } from './documents.ts';
import { Intent } from './gateway/session.ts';
import { messageSchema } from './messages/message-schema.ts';
import {
  dispatchMessage,
  dropMessages,
  findMessage,
  keepMessage,
  newMessage,
  publishMessage,
  removeMessage,
} from './messages/message-store.ts';
import { showMessage } from './messages/render-message.ts';
import { editMessage, forwardMessage, postMessage } from './messages/write-message.ts';
import { memberOf } from './permissions.ts';
import { mistake, refusal } from './refusals.ts';
import { renderGuild } from './render.ts';
import type { DiscordState } from './state.ts';
import {
  changeThread,
  joinThread,
  leaveThread,
  messageThreadSchema,
  postSchema,
  setArchived,
  startMessageThread,
  startPost,
  startThread,
  threadChangeSchema,
  threadSchema,
} from './threads.ts';
import { parseForm } from './validation.ts';

/** A message that a person writes. */
interface Saying {
  /** A user's id or name. */
  user: string;
  /** A channel's id, or its name such as `#general`; `@` is the direct channel with the bot. */
  channel: string;
  content?: string;
  files?: Upload[];
  /** The id of the message it replies to. */
  replyTo?: string;
}

/** People's actions, with their permissions and limits in Discord. */
export interface People {
  /** @throws {DiscordRefusal} when Discord would not let the person, as do the others */
  say(saying: Saying): Promise<ShownMessage>;
  /** Opens a post in a forum or media channel, with its first message. Tags are ids or names. */
  openPost(
    post: Omit<Saying, 'replyTo'> & { title: string; tags?: readonly string[] },
  ): Promise<ShownMessage>;
  /** Closes, opens or locks a post or another thread, or gives a post other tags. */
  changePost(change: {
    user: string;
    post: string;
    archived?: boolean;
    locked?: boolean;
    tags?: readonly string[];
  }): ShownChannel;
  /** Another bot writes a message, by its name. */
  sayAsBot(saying: { name: string; channel: string; content: string }): ShownMessage;
  /** Opens a thread on a message. */
  openThread(thread: { user: string; message: string; name: string }): ShownChannel;
  /** Opens a private thread with other people and, unless it is left out, the bot in it. */
  openPrivateThread(thread: {
    user: string;
    channel: string;
    name: string;
    /** Ids or names. */
    people?: readonly string[];
    withoutBot?: boolean;
  }): ShownChannel;
  /** Removes a person from a thread. */
  leaveThread(thread: string, user: string): void;
  /** Forwards a message that the person sees to a channel, as in `say`. */
  forward(forward: { user: string; message: string; channel: string }): ShownMessage;
  edit(edit: { user: string; message: string; content: string }): Promise<ShownMessage>;
  remove(removal: { user: string; message: string }): void;
  /** Deletes several messages of one channel, as moderation tools do. */
  removeAll(messages: readonly string[]): void;
  /** Shows the previews of a message's links, as Discord does a moment after posting. */
  unfurl(message: string): void;
  /** Sends the bot the event of a message again, as after a failure of the gateway. */
  redeliver(message: string): void;
  /** Archives a thread, as its timeout or a moderator does. */
  archive(thread: string): void;
  /** Makes a person a guest of a voice channel in the first server. */
  makeGuest(user: string): void;
  /** Removes a person from the first server. */
  leave(user: string): void;
  /** Chooses the server's language, as `de`. */
  setLocale(locale: string): void;
}

export function createPeople(state: DiscordState): People {
  return {
    async say({ user, channel, content, files, replyTo }) {
      const author = findPerson(state, user);
      const form = parseForm(messageSchema, {
        content,
        ...(replyTo && { message_reference: { message_id: replyTo } }),
      });
      const message = await postMessage(state, {
        channel: resolveChannel(state, channel, author),
        author: author.id,
        form,
        files,
      });
      return showMessage(state, message);
    },
    async openPost({ user, channel, title, content, files, tags = [] }) {
      const author = findPerson(state, user);
      const form = parseForm(messageSchema, { content });
      // Before the post is opened: Discord takes both in one request.
      if (!form.content?.trim() && !files?.length) throw refusal(50006);
      const forum = resolveChannel(state, channel, author);
      const applied_tags = tags.map((tag) => findTag(forum, tag));
      const opened = parseForm(postSchema, { name: title, applied_tags });
      const post = startPost(state, author.id, forum, opened);
      const first = { channel: post, id: post.id, author: author.id, form, files };
      return showMessage(state, await postMessage(state, first));
    },
    changePost({ user, post: id, archived, locked, tags }) {
      const post = findChannel(state, id);
      const forum = findChannel(state, post.parent ?? id);
      const applied_tags = tags?.map((tag) => findTag(forum, tag));
      const form = parseForm(threadChangeSchema, { archived, locked, applied_tags });
      return showChannel(changeThread(state, findPerson(state, user).id, post, form));
    },
    sayAsBot({ name: displayName, channel: key, content }) {
      const username = displayName.toLowerCase();
      const known = state.documents.users.list().find((user) => user.username === username);
      const author = known ?? { id: state.nextId(), username, displayName, bot: true };
      state.documents.users.put(author);
      const channel = resolveChannel(state, key, author);
      const named = resolveMentions({ text: content, allowed: undefined, fallback: 'all' });
      const mentions = grantedMentions(state, channel, author.id, named);
      const message = {
        ...newMessage(state, channel.id, author.id),
        content,
        pings: mentions,
        mentions,
      };
      keepMessage(state, message);
      publishMessage(state, 'posted', message);
      return showMessage(state, message);
    },
    openThread({ user, message, name }) {
      const opener = findPerson(state, user);
      const form = parseForm(messageThreadSchema, { name });
      return showChannel(startMessageThread(state, opener.id, anyMessage(state, message), form));
    },
    openPrivateThread({ user, channel, name, people = [], withoutBot = false }) {
      const opener = findPerson(state, user);
      const parent = resolveChannel(state, channel, opener);
      const { id } = startThread(state, opener.id, parent, parseForm(threadSchema, { name }));
      const others = people.map((key) => findPerson(state, key).id);
      const bot = withoutBot ? [] : [state.self.user];
      for (const member of [...bot, ...others]) joinThread(state, member, id);
      return showChannel(findChannel(state, id));
    },
    leaveThread: (thread, user) => leaveThread(state, findPerson(state, user).id, thread),
    forward({ user, message: id, channel: key }) {
      const person = findPerson(state, user);
      const message = anyMessage(state, id);
      const channel = resolveChannel(state, key, person);
      return showMessage(state, forwardMessage(state, { author: person.id, message, channel }));
    },
    async edit({ user, message, content }) {
      const known = findOwn(state, findPerson(state, user), message);
      const form = parseForm(messageSchema, { content });
      return showMessage(state, await editMessage(state, known, { form }));
    },
    remove({ user, message }) {
      const { channel } = anyMessage(state, message);
      removeMessage(state, findPerson(state, user).id, findMessage(state, channel, message));
    },
    removeAll(ids) {
      const known = ids.flatMap((id) => state.documents.messages.get(id) ?? []);
      dropMessages(state, known);
    },
    unfurl(id) {
      const message = anyMessage(state, id);
      const links = message.content.match(/https?:\/\/\S+/g) ?? [];
      const embeds = links.map((url) => ({ type: 'link', url, title: new URL(url).host }));
      const unfurled = { ...message, embeds };
      state.documents.messages.put(unfurled);
      publishMessage(state, 'edited', unfurled);
    },
    redeliver: (id) => dispatchMessage(state, 'posted', anyMessage(state, id)),
    archive: (id) => setArchived(state, findChannel(state, id), true),
    makeGuest(user) {
      const member = memberOf(state, state.guild, findPerson(state, user).id);
      if (!member) throw refusal(10007);
      state.documents.members.put({ ...member, isGuest: true });
    },
    leave: (user) => state.documents.members.delete(findPerson(state, user).id),
    setLocale(locale) {
      const guild = state.documents.guilds.get(state.guild);
      if (!guild) throw refusal(10004);
      const changed = { ...guild, locale };
      state.documents.guilds.put(changed);
      const data = renderGuild(state, changed);
      state.dispatch({ name: 'GUILD_UPDATE', data, intent: Intent.Guilds });
    },
  };
}

/**
 * A person by id or name.
 * @throws {DiscordRefusal} when it is the bot or nobody
 */
export function findPerson({ documents }: DiscordState, key: string): User {
  const people = documents.users.list().filter(({ bot }) => !bot);
  const person = people.find(({ id, username }) => id === key || username === key.toLowerCase());
  if (person) return person;
  const names = people.map(({ username }) => username).join(', ');
  throw mistake(`There is no person ${key}. Use one of: ${names}.`);
}

/**
 * A channel by id or `#name`, or, by `@`, the person's direct channel with the bot.
 * @throws {DiscordRefusal} 10003 when there is none
 */
export function resolveChannel(state: DiscordState, key: string, user: User): Channel {
  if (key === '@') return openDirectChannel(state, user.id);
  const name = key.replace(/^#/, '');
  const named = state.documents.channels
    .list()
    .find((channel) => channel.guild && !channel.thread && channel.name === name);
  return named ?? findChannel(state, key);
}

/** The id of a forum's tag, by id or name. */
function findTag({ tags = [] }: Channel, key: string): string {
  return tags.find(({ name }) => name === key)?.id ?? key;
}

/** @throws {DiscordRefusal} 10008 when there is no such message */
function anyMessage({ documents }: DiscordState, id: string): Message {
  const message = documents.messages.get(id);
  if (!message) throw refusal(10008);
  return message;
}

function findOwn(state: DiscordState, user: User, id: string): Message {
  const message = anyMessage(state, id);
  if (message.author !== user.id) throw refusal(50005);
  return message;
}
