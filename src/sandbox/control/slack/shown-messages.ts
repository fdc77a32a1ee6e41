import { z } from 'zod';
import { type EphemeralMessage, slackbotId, type SlackMessage } from '../../slack/model.ts';
import { toRead } from '../../slack/plain-text.ts';
import type { SlackWorkspace } from '../../slack/slack-workspace.ts';
import type { Conversation, Range } from '../platform-control.ts';
import type { Part, ShownMessage } from '../shown.ts';
import { toParts } from './blocks.ts';

export type SlackMessages = ReturnType<typeof createSlackMessages>;

/** The workspace's messages as people see them. */
export function createSlackMessages(slack: SlackWorkspace) {
  function author(id: string): ShownMessage['author'] {
    const user = slack.users().find((one) => one.id === id);
    if (!user) return { id, name: 'unknown', displayName: 'Unknown', bot: false };
    const bot = user.isBot || user.id === slackbotId;
    return { id, name: user.name, displayName: user.realName, bot };
  }

  function show(message: SlackMessage): ShownMessage {
    const { channel, ts, text, blocks = [], files = [], thread_ts, reply_count = 0 } = message;
    const isReply = thread_ts !== undefined && thread_ts !== ts;
    const isNotice = message.subtype === 'tombstone' || message.subtype === 'channel_join';
    return {
      id: ts,
      channel,
      thread: isReply ? thread_ts : undefined,
      inChannel: !isReply || message.subtype === 'thread_broadcast',
      author: author(message.user),
      at: toMilliseconds({ ts }),
      edited: message.edited !== undefined,
      threadLabel: reply_count > 0 ? labelReplies(reply_count) : undefined,
      source: message.bot_id || isNotice ? undefined : toRead(text),
      parts: isNotice
        ? [{ kind: 'small', dialect: 'mrkdwn', text }]
        : [...partsOf(text, blocks), ...partsBelow(message)],
      files: files.map(({ id, name, size }) => {
        return { name, size, url: `/sandbox/control/slack/files/${id}` };
      }),
    };
  }

  function showHidden(message: EphemeralMessage): ShownMessage {
    const { channel, ts, to, user, text, blocks = [], thread_ts: thread } = message;
    return {
      id: ts,
      channel,
      thread,
      inChannel: !thread,
      author: author(user),
      at: toMilliseconds({ ts }),
      edited: false,
      onlyFor: to,
      parts: partsOf(text, blocks),
      files: [],
    };
  }

  return {
    /** Messages of a channel or thread, including those that only this person can see. */
    *list({ user, channel, thread, before, after }: Conversation & Range): Generator<ShownMessage> {
      const place = { channel, thread };
      const hidden = slack
        .ephemerals(user, channel)
        .filter(({ thread_ts, ts }) => thread_ts === thread && isWithin(ts, { before, after }));
      if (!after) hidden.reverse();
      const comesFirst = ({ ts }: EphemeralMessage, message: SlackMessage) =>
        after ? Number(ts) < Number(message.ts) : Number(ts) > Number(message.ts);
      for (const message of after ? slack.oldest(place, after) : slack.newest(place, before)) {
        while (hidden[0] && comesFirst(hidden[0], message)) {
          yield* hidden.splice(0, 1).map(showHidden);
        }
        yield show(message);
      }
      yield* hidden.map(showHidden);
    },
    show,
    showHidden,
    /** The app's status in a thread, such as "Causeway is thinking…"; empty if there is none. */
    activity(channel: string, thread: string): string {
      const status = slack.status(channel, thread);
      return status && `${author(slack.bot.user).displayName} ${status}`;
    },
  };
}

function labelReplies(count: number): string {
  return count === 1 ? '1 reply' : `${count} replies`;
}

function partsOf(text: string, blocks: NonNullable<SlackMessage['blocks']>): Part[] {
  if (blocks.length > 0) return toParts(blocks);
  return text ? [{ kind: 'text', dialect: 'mrkdwn', text }] : [];
}

/** What Slack adds below a message: link previews, and that it was stopped. */
function partsBelow({ attachments = [], interrupted }: SlackMessage): Part[] {
  const previews = attachments.flatMap((attachment): Part[] => {
    const { data } = preview.safeParse(attachment);
    if (!data) return [];
    const text = `<${data.from_url}|${data.title}>`;
    return [{ kind: 'card', parts: [{ kind: 'heading', dialect: 'mrkdwn', text }] }];
  });
  const end: Part = { kind: 'small', dialect: 'plain', text: 'Stopped.' };
  return interrupted ? [...previews, end] : previews;
}

const preview = z.object({ from_url: z.string(), title: z.string() });

function isWithin(ts: string, { before = 'Infinity', after = '0' }: Range): boolean {
  return Number(ts) < Number(before) && Number(ts) > Number(after);
}

/** When a message was written, in ms since the epoch. */
export function toMilliseconds({ ts }: { ts: string }): number {
  return Math.floor(Number(ts) * 1000);
}
