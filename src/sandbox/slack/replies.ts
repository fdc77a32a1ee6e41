import { z } from 'zod';
import { withIds } from './block.ts';
import { parseContent } from './content.ts';
import type { Ephemerals } from './ephemerals.ts';
import { newSecret } from './identifiers.ts';
import type { Messages } from './messages.ts';
import { SlackError } from './slack-error.ts';
import type { SlackApp } from './workspace.ts';

/** The recipient of a response to a command or interaction. */
export interface SayTo {
  user: string;
  channel: string;
  thread?: string;
  /**
   * The message that a response can replace or delete: the one with the pressed control. A command
   * has none, so each response adds a message (slackapi/bolt-js#2287).
   */
  original?: string;
}

/** Responses sent to a response_url or with an acknowledgement. */
export interface Replies {
  /**
   * Posts, replaces or deletes as the payload says; without a word on it, only the user sees the
   * answer.
   * @throws {SlackError} `invalid_payload`, `server_error`, or what its content deserves
   */
  say(to: SayTo, payload: unknown): void;
}

interface RepliesOptions {
  app: SlackApp;
  messages: Messages;
  ephemerals: Ephemerals;
}

const payloadSchema = z.object({
  // Refused here, unlike in methods: vercel/chat#440.
  markdown_text: z.never().optional(),
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: z.boolean().optional(),
  delete_original: z.boolean().optional(),
  thread_ts: z.string().optional(),
});

/** docs.slack.dev/interactivity/handling-user-interaction, "Message responses". */
export function createReplies({ app, messages, ephemerals }: RepliesOptions): Replies {
  return {
    say({ user, channel, thread, original: ts }, payload) {
      const parsed = payloadSchema.safeParse(payload);
      if (!parsed.success) throw new SlackError('invalid_payload');
      const { response_type: audience, replace_original: replaces, ...rest } = parsed.data;
      const whispered = ts === undefined ? undefined : ephemerals.find(channel, ts);
      const original = ts === undefined ? undefined : messages.find(channel, ts);

      if (rest.delete_original) {
        if (whispered) ephemerals.remove(whispered);
        if (original) messages.remove(original);
        return;
      }
      const { text = '', blocks } = parseContent(rest);
      // Slack fails at them here: gofish-graphics#602, slackapi/slack-github-action#440.
      if (blocks?.some(({ type }) => type === 'markdown')) throw new SlackError('server_error');
      const said = { text, ...(blocks && { blocks: withIds(blocks, () => newSecret(3)) }) };
      const thread_ts = rest.thread_ts ?? thread;
      const place = { channel, user: app.botUser, ...(thread_ts && { thread_ts }) };
      if (replaces && whispered) ephemerals.replace(whispered, said);
      else if (replaces && original) messages.edit(original, { blocks: [], ...said });
      else if (audience === 'in_channel') {
        messages.post({ ...place, ...said, bot_id: app.botId, app_id: app.id });
      } else ephemerals.post({ ...place, ...said, to: user });
    },
  };
}
