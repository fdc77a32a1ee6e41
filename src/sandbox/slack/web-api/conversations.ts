import type { Directory } from '../directory.ts';
import type { SlackMessage } from '../model.ts';
import type { Parts } from '../parts.ts';
import { SlackError } from '../slack-error.ts';
import {
  type ApiMethod,
  apiMethod,
  flag,
  optional,
  paged,
  pageOf,
  perMinute,
  required,
  tiers,
  type Wanted,
} from './api-method.ts';
import { listChannels, reachChannel, reachOwnChannel, reachThread } from './reach.ts';

const range = {
  oldest: optional,
  latest: optional,
  inclusive: flag,
  include_all_metadata: flag,
};

/**
 * For commercially distributed apps outside the Marketplace:
 * docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
 */
const maxLimited = 15;

/** docs.slack.dev/reference/methods, the family `conversations`. */
export function conversationMethods(parts: Parts): Record<string, ApiMethod> {
  const { directory, messages, switches, wire } = parts;
  return {
    'conversations.info': apiMethod({
      limit: tiers.three,
      scope: { ofChannel: 'read' },
      arguments: { channel: required },
      run: ({ channel }) => ({ channel: wire.channel(reachChannel(directory, channel)) }),
    }),

    'conversations.open': apiMethod({
      limit: tiers.three,
      scope: 'im:write',
      arguments: { channel: optional, users: optional, return_im: flag },
      run({ channel, users, return_im: whole }) {
        const direct = channel ? reachChannel(directory, channel) : openWith(directory, users);
        return { channel: whole ? wire.channel(direct) : { id: direct.id } };
      },
    }),

    'conversations.list': apiMethod({
      limit: tiers.two,
      scope: { ofTypes: 'read' },
      ofTeam: true,
      arguments: { types: optional, exclude_archived: flag, ...paged },
      run({ types, ...wanted }) {
        const { items, response_metadata } = pageOf(listChannels(directory, types), wanted);
        return { channels: items.map((channel) => wire.channel(channel)), response_metadata };
      },
    }),

    'conversations.members': apiMethod({
      limit: tiers.four,
      scope: { ofChannel: 'read' },
      arguments: { channel: required, ...paged },
      run({ channel, ...wanted }) {
        const { members } = reachChannel(directory, channel);
        const { items, response_metadata } = pageOf(members, wanted);
        return { members: items, response_metadata };
      },
    }),

    'conversations.history': apiMethod({
      limit: tiers.three,
      limitedTo: perMinute(1),
      scope: { ofChannel: 'history' },
      arguments: { channel: required, ...range, ...paged },
      run({ channel, ...wanted }) {
        const { id } = reachOwnChannel(directory, channel);
        return { ...toAnswer(messages.newest({ channel: id }), wanted), pin_count: 0 };
      },
    }),

    'conversations.replies': apiMethod({
      limit: tiers.three,
      limitedTo: perMinute(1),
      scope: { ofChannel: 'history' },
      arguments: { channel: required, ts: required, ...range, ...paged },
      run({ channel, ts, ...wanted }) {
        const { id } = reachOwnChannel(directory, channel);
        const asked = messages.find(id, ts);
        const root = reachThread(messages, id, asked?.thread_ts ?? ts);
        const thread = messages.oldest({ channel: id, thread: root.ts });
        return toAnswer(thread, { ...wanted, without: ['client_msg_id'] });
      },
    }),
  };

  function toAnswer(found: Iterable<SlackMessage>, wanted: Range & Wanted) {
    const limit = switches.limitsHistory
      ? Math.min(wanted.limit ?? maxLimited, maxLimited)
      : wanted.limit;
    const { items, more, response_metadata } = pageOf(within(found, wanted), { ...wanted, limit });
    const { include_all_metadata: allMetadata, without } = wanted;
    const shown = items.map((message) => wire.message(message, { allMetadata, without }));
    return { messages: shown, has_more: more, response_metadata };
  }
}

interface Range {
  oldest?: string;
  latest?: string;
  inclusive?: boolean;
  include_all_metadata?: boolean;
  /** The fields that the method leaves out of its messages. */
  without?: string[];
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
