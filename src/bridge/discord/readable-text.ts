/** A mention of a user, role, channel or command, a custom emoji, or a point in time. */
const token = /<(?:(@!?|@&|#)(\d+)|a?:(\w+):\d+|\/([^:<>\n]+):\d+|t:(-?\d{1,10})(?::[tTdDfFR])?)>/g;

/** Names for the ids in a text. */
export interface Names {
  user(id: string): string | undefined;
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/**
 * Converts a Discord text to readable text: names for `<@1>`, `<@&1>` and `<#1>`, `:name:` for an
 * emoji, the time for a timestamp (docs.discord.com/developers/reference#message-formatting).
 */
export function toReadableText(text: string, names: Names): string {
  return text.replace(
    token,
    (whole, kind?: string, id = '', emoji?: string, command?: string, seconds?: string) => {
      if (kind === '#') return `#${names.channel(id) ?? 'channel'}`;
      if (kind === '@&') return `@${names.role(id) ?? 'role'}`;
      if (kind) return `@${names.user(id) ?? 'someone'}`;
      if (emoji) return `:${emoji}:`;
      if (command) return `/${command}`;
      return readableTime(Number(seconds)) ?? whole;
    },
  );
}

function readableTime(seconds: number): string | undefined {
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) return undefined;
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Removes the given mentions, such as `<@1>`, and a comma after one. */
export function withoutMentions(text: string, ids: readonly string[]): string {
  const pattern = new RegExp(
    `(?<![ \\t])[ \\t]*<@[!&]?(?:${ids.join('|')})>(?:[ \\t]*[,:](?=\\s))?`,
    'g',
  );
  return text.replace(pattern, '').trim();
}
