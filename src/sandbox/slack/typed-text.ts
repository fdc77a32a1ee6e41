import type { Directory } from './directory.ts';
import type { UserGroups } from './user-groups.ts';

/**
 * Converts a typed text to Slack's format: &, < and > are escaped, URLs are linked, and mentions
 * stay as the client inserts them, `<@U…>` and `<#C…>`.
 * docs.slack.dev/messaging/formatting-message-text.
 */
export function fromTyped(text: string): string {
  const pattern =
    /<(?:[@#]|!subteam\^)[A-Z0-9]+(?:\|[^<>]*)?>|https?:\/\/[^\s<>]*[^\s<>.,;:!?)\]'"]|[&<>]/g;
  return text.replace(pattern, (found) => {
    if (found.startsWith('http')) return `<${escape(found)}>`;
    return found.length === 1 ? escape(found) : found;
  });
}

/**
 * Converts the text after a command that has escaping enabled: like a message, and names of people
 * and channels get their ids, `@ada` becomes `<@U1|ada>`.
 * docs.slack.dev/interactivity/implementing-slash-commands.
 */
export function fromCommand(
  text: string,
  { users, channels }: Pick<Directory, 'users' | 'channels'>,
  { userGroups }: Pick<UserGroups, 'userGroups'>,
): string {
  const tokens = new Map<string, string>([
    ...['here', 'channel', 'everyone'].map((all) => [`@${all}`, `<!${all}>`] as const),
    ...channels().map(({ id, name }) => [`#${name}`, `<#${id}|${name}>`] as const),
    ...users().map(({ id, name }) => [`@${name}`, `<@${id}|${name}>`] as const),
    ...userGroups().map(({ id, handle }) => [`@${handle}`, `<!subteam^${id}|@${handle}>`] as const),
  ]);
  const named = /(?<![\w@#<|/])[@#][\w.-]*\w/g;
  return fromTyped(text).replace(named, (found) => tokens.get(found) ?? found);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A text as a reader sees it: links by their label, mentions with their @, entities decoded. */
export function toRead(text: string): string {
  return text
    .replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, words?: string) => words || target)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
