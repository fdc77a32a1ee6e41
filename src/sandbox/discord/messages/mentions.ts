import type { Channel, Mentions } from '../documents.ts';
import { may, Permission } from '../permissions.ts';
import type { DiscordState } from '../state.ts';
import type { AllowedMentions } from './message-schema.ts';

/** Mentions in code don't count. */
const codePattern = /```[\s\S]*?```|`[^`\n]*`/g;

export const nobodyMentioned: Mentions = { everyone: false, users: [], roles: [] };

/** A text, and what limits its mentions. */
interface MentionRequest {
  text: string;
  allowed: AllowedMentions | null | undefined;
  /**
   * The meaning of an absent `allowed_mentions`: all for messages, users for webhooks and
   * interactions.
   */
  fallback: 'all' | 'users';
  /** The author of the message replied to. */
  repliedTo?: string;
}

/**
 * Everyone that a message notifies:
 * https://docs.discord.com/developers/resources/message#allowed-mentions-object
 */
export function resolveMentions(request: MentionRequest): Mentions {
  const { allowed, fallback, repliedTo } = request;
  const text = request.text.replaceAll(codePattern, '');
  const named: Mentions = {
    everyone: /@(everyone|here)\b/.test(text),
    users: collect(text, /<@!?(\d+)>/g),
    roles: collect(text, /<@&(\d+)>/g),
  };
  if (!allowed) {
    const users = withReplied(named.users, repliedTo);
    return fallback === 'all' ? { ...named, users } : { everyone: false, users, roles: [] };
  }
  const parse = new Set(allowed.parse);
  const keep = (kind: 'users' | 'roles') => {
    const only = new Set(allowed[kind]);
    return parse.has(kind) ? named[kind] : named[kind].filter((id) => only.has(id));
  };
  return {
    everyone: named.everyone && parse.has('everyone'),
    users: withReplied(keep('users'), allowed.replied_user ? repliedTo : undefined),
    roles: keep('roles'),
  };
}

/** The effective mentions: existing users, and everyone only with the permission for it. */
export function grantedMentions(
  state: DiscordState,
  channel: Channel,
  author: string,
  pings: Mentions,
): Mentions {
  return {
    everyone: pings.everyone && may(state, author, Permission.MentionEveryone, channel),
    users: pings.users.filter((id) => state.documents.users.get(id)),
    roles: pings.roles.filter((id) => state.documents.roles.get(id)),
  };
}

/** Everyone whom at least one of them notifies. */
export function joinMentions(one: Mentions, other: Mentions): Mentions {
  return {
    everyone: one.everyone || other.everyone,
    users: [...new Set([...one.users, ...other.users])],
    roles: [...new Set([...one.roles, ...other.roles])],
  };
}

function withReplied(users: string[], repliedTo: string | undefined): string[] {
  return repliedTo ? [...new Set([...users, repliedTo])] : users;
}

function collect(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap(([, id]) => (id ? [id] : [])))];
}
