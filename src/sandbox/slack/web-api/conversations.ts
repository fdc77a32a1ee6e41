import type { Directory } from '../directory.ts';
import type { Messages } from '../messages.ts';
import { SlackError } from '../slack-error.ts';
import type { Wire } from '../wire.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { flag, optional, paged, required, type Wanted } from './arguments.ts';
import { isSeen, reachChannel, reachOwnChannel, reachThread } from './reach.ts';
import type { SlackMessage } from '../message.ts';
import { typeOf } from '../workspace.ts';

/** What these methods work on. */
export interface ConversationsOptions {
  directory: Directory;
  messages: Messages;
  wire: Wire;
}

const range = {
  oldest: optional,
  latest: optional,
  inclusive: flag,
  include_all_metadata: flag,
};

/** docs.slack.dev/reference/methods, the family `conversations`. */
export function conversationsMethods(options: ConversationsOptions): Record<string, ApiMethod> {
  const { directory, messages, wire } = options;
  return {
    'conversations.info': apiMethod({
      limit: tiers.three,
      arguments: { channel: required },
      run: ({ channel }) => ({ channel: wire.channel(reachChannel(directory, channel)) }),
    }),

    'conversations.open': apiMethod({
      limit: tiers.three,
      arguments: { channel: optional, users: optional, return_im: flag },
      run({ channel, users, return_im: whole }) {
        const direct = channel ? reachChannel(directory, channel) : openWith(directory, users);
        return { channel: whole ? wire.channel(direct) : { id: direct.id } };
      },
    }),

    'conversations.list': apiMethod({
      limit: tiers.two,
      arguments: { types: optional, exclude_archived: flag, ...paged.arguments },
      run({ types = 'public_channel', ...wanted }) {
        const kinds = new Set(types.split(',').map((type) => type.trim()));
        const found = directory
          .channels()
          .filter((channel) => kinds.has(typeOf(channel)) && isSeen(directory, channel));
        const { items, response_metadata } = paged.page(found, wanted);
        return { channels: items.map((channel) => wire.channel(channel)), response_metadata };
      },
    }),

    'conversations.members': apiMethod({
      limit: tiers.four,
      arguments: { channel: required, ...paged.arguments },
      run({ channel, ...wanted }) {
        const { members } = reachChannel(directory, channel);
        const { items, response_metadata } = paged.page(members, wanted);
        return { members: items, response_metadata };
      },
    }),

    'conversations.history': apiMethod({
      limit: tiers.three,
      arguments: { channel: required, ...range, ...paged.arguments },
      run({ channel, ...wanted }) {
        const { id } = reachOwnChannel(directory, channel);
        return { ...toAnswer(messages.newest({ channel: id }), wanted), pin_count: 0 };
      },
    }),

    'conversations.replies': apiMethod({
      limit: tiers.three,
      arguments: { channel: required, ts: required, ...range, ...paged.arguments },
      run({ channel, ts, ...wanted }) {
        const { id } = reachOwnChannel(directory, channel);
        const asked = messages.find(id, ts);
        const root = reachThread(messages, id, asked?.thread_ts ?? ts);
        const thread = messages.oldest({ channel: id, thread: root.ts });
        return toAnswer(thread, { ...wanted, without: ['client_msg_id'] });
      },
    }),
  };

  function toAnswer(found: Iterable<SlackMessage>, wanted: Range & Wanted & Left) {
    const { items, more, response_metadata } = paged.page(within(found, wanted), wanted);
    const { include_all_metadata: allMetadata, without } = wanted;
    const shown = items.map((message) => wire.message(message, { allMetadata, without }));
    return { messages: shown, has_more: more, response_metadata };
  }
}

interface Left {
  /** The fields that the method leaves out of its messages. */
  without?: string[];
}

interface Range {
  oldest?: string;
  latest?: string;
  inclusive?: boolean;
  include_all_metadata?: boolean;
}

function within(found: Iterable<SlackMessage>, { oldest, latest, inclusive }: Range) {
  return Iterator.from(found).filter(({ ts }) => {
    if (inclusive && (ts === oldest || ts === latest)) return true;
    return (!oldest || Number(ts) > Number(oldest)) && (!latest || Number(ts) < Number(latest));
  });
}

function openWith(directory: Directory, users: string | undefined) {
  const [user, ...others] = users?.split(',').map((id) => id.trim()) ?? [];
  if (!user) throw new SlackError('users_list_not_supplied');
  if (others.length > 0) {
    throw new SlackError('invalid_arguments', [
      '[ERROR] the sandbox opens direct messages with one user [json-pointer:/users]',
    ]);
  }
  const found = directory.user(user);
  if (!found || found.isBot) throw new SlackError('user_not_found');
  return directory.direct(found.id);
}
