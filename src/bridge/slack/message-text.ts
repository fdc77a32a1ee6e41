const token = /<([^<>\n]+)>/g;

/** The ids of the people mentioned in a Slack text, each once. */
export function mentionedUsers(text: string): string[] {
  const ids = [...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id]) => id ?? '');
  return [...new Set(ids)];
}

/**
 * Converts a Slack text to readable text: names for `<@U1>` and `<#C1|name>`, plain links, decoded
 * entities (docs.slack.dev/messaging/formatting-message-text). `nameOf` returns a person's name by
 * id; if it does not know one, Slack's own label or the id is used.
 */
export function toReadableText(text: string, nameOf: (id: string) => string | undefined): string {
  return decodeEntities(
    text.replace(token, (whole, content: string) => readableToken(content, nameOf) ?? whole),
  );
}

function readableToken(
  content: string,
  nameOf: (id: string) => string | undefined,
): string | undefined {
  const bar = content.indexOf('|');
  const target = bar < 0 ? content : content.slice(0, bar);
  const label = bar < 0 ? '' : content.slice(bar + 1);
  if (/^@[UW][A-Z0-9]+$/.test(target))
    return `@${nameOf(target.slice(1)) ?? (label || target.slice(1))}`;
  if (/^#C[A-Z0-9]+$/.test(target)) return `#${label || target.slice(1)}`;
  if (target.startsWith('!')) return readableCommand(target.slice(1), label);
  if (/^(?:https?:\/\/|mailto:|tel:)/.test(target)) return readableLink(target, label);
  return undefined;
}

function readableCommand(command: string, label: string): string {
  if (/^(?:here|channel|everyone|group)$/.test(command)) return `@${command}`;
  return label || command;
}

function readableLink(target: string, label: string): string {
  const address = target.replace(/^(?:mailto|tel):/, '');
  const short = address.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return !label || label === address || label === short ? address : `${label} (${address})`;
}

/** Slack encodes only these three characters. */
function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Removes mentions of the bot from the text, and tells whether there was one. */
export function withoutMention(text: string, bot: string): { text: string; mentioned: boolean } {
  const pattern = new RegExp(
    `(?<![ \\t])[ \\t]*<@${bot}(?:\\|[^<>]*)?>(?:[ \\t]*[,:](?=\\s))?`,
    'g',
  );
  const rest = text.replace(pattern, '');
  return { text: rest.trim(), mentioned: rest !== text };
}
