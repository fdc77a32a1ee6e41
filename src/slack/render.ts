/** Takes no room, and breaks what Slack would otherwise read as a ping. */
const breaker = '\u200B';

const fence = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*(`{3,}|~{3,})(.*)$/;

/** Markers of quotes and list items at the head of a line, nested ones too. */
const lineHead = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))+/;

/** In this order: a code span, `<address|label>`, `<address>`, an address, a group's name, a bracket. */
const inline =
  /(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|<((?:https?:\/\/|mailto:)[^\s<>|]+)(?:\|([^<>\n]*))?>|\bhttps?:\/\/[^\s<>`]+|(?<![\w/.])@(?=(?:here|channel|everyone)\b)|[<>]/g;

const ping =
  /<(?=[@#][A-Z0-9]+(?:\|[^<>\n]*)?>|!(?:here|channel|everyone|group|subteam|date)\b[^<>\n]*>)/g;

/**
 * Markdown as Slack's markdown block takes it, so that it pings nobody. Slack reads `<!channel>`,
 * `<@U1>` and their like in it, and leaves entities alone: angle brackets become entities, except
 * those that quote a line. Code and addresses stay as they are; what would ping from within code is
 * broken by a character that takes no room. `&` stays, or links with parameters would break.
 */
export function renderMarkdown(markdown: string): string {
  let open: string | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const [, marks, rest] = fence.exec(line) ?? [];
      if (open !== undefined) {
        if (marks?.startsWith(open) && rest?.trim() === '') open = undefined;
        return breakPings(line);
      }
      if (marks !== undefined && !(marks.startsWith('`') && rest?.includes('`'))) {
        open = marks;
        return breakPings(line);
      }
      const head = lineHead.exec(line)?.[0] ?? '';
      return head + renderInline(line.slice(head.length));
    })
    .join('\n');
}

function renderInline(text: string): string {
  return text
    .replace(/\]\(<([^<>\n]*)>\)/g, (_, address: string) => `](${address.replaceAll(' ', '%20')})`)
    .replace(inline, (match: string, ticks?: string, address?: string, label?: string) => {
      if (ticks !== undefined) return breakPings(match);
      if (address !== undefined) return label ? `[${label}](${address})` : address;
      if (match === '<') return '&lt;';
      if (match === '>') return '&gt;';
      return match === '@' ? `@${breaker}` : match;
    });
}

function breakPings(code: string): string {
  return code.replace(ping, `<${breaker}`);
}

/**
 * One line of Markdown as Slack's older mrkdwn, of at most `limit` characters: links and bold text
 * are kept whole or left out, everything else is plain text.
 */
export function renderMrkdwn(markdown: string, limit: number): string {
  let rendered = '';
  for (const [piece, label, address, bold] of markdown.matchAll(mrkdwnPiece)) {
    const next = renderPiece({ piece, label, address, bold });
    if (rendered.length + next.length >= limit) return `${rendered}…`;
    rendered += next;
  }
  return rendered;
}

const mrkdwnPiece =
  /\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)|\*\*([^*\n]+)\*\*|\s+|(?:(?![[*])\S)+|\S/g;

function renderPiece(match: {
  piece: string;
  label: string | undefined;
  address: string | undefined;
  bold: string | undefined;
}): string {
  const { piece, label, address, bold } = match;
  if (label && address)
    return `<${escapeText(address).replaceAll('|', '%7C')}|${escapeText(label)}>`;
  if (bold) return `*${escapeText(bold)}*`;
  return escapeText(piece);
}

/** Plain text in a field that Slack reads as mrkdwn: no tokens, and no group is called. */
export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=(?:here|channel|everyone)\b)/g, `@${breaker}`);
}
