/**
 * What Slack makes of a text someone typed: &, < and > escaped, addresses linked; mentions, which
 * its client inserts as `<@U…>` and `<#C…>`, stay. docs.slack.dev/messaging/formatting-message-text.
 */
export function fromTyped(text: string): string {
  const pattern = /<[@#][A-Z0-9]+(?:\|[^<>]*)?>|https?:\/\/[^\s<>]*[^\s<>.,;:!?)\]'"]|[&<>]/g;
  return text.replace(pattern, (found) => {
    if (found.startsWith('http')) return `<${escape(found)}>`;
    return found.length === 1 ? escape(found) : found;
  });
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A text as a reader sees it: links by their words, mentions with their @, entities resolved. */
export function toRead(text: string): string {
  return text
    .replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, words?: string) => words || target)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
