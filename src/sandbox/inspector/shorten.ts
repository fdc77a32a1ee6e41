const maxText = 4_000;
const maxItems = 50;
const maxDepth = 8;
const maxValues = 300;

const hidden = '(hidden)';

/** Names of fields with credentials, or with addresses that open something without one. */
const secretName = /token|secret|password|authorization|cookie|^upload_url$/i;
/** The same within an address. */
const secretParameter = /([?&](?:ticket|token|secret|hm)=)[^&#\s]+/g;

/**
 * A copy of a JSON value to keep and show: without credentials, and of limited size. It takes a few
 * microseconds for an ordinary message.
 */
export function shorten(value: unknown): unknown {
  let values = 0;

  function copy(value: unknown, depth: number): unknown {
    values += 1;
    if (typeof value === 'string') return shortenText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Blob) return `(${value.size} bytes)`;
    if (depth >= maxDepth || values > maxValues) return '…';
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).map((item) => copy(item, depth + 1));
      return value.length > maxItems ? [...items, `… ${value.length - maxItems} more`] : items;
    }
    const copied: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(value).slice(0, maxItems)) {
      copied[name] = secretName.test(name) && field ? hidden : copy(field, depth + 1);
    }
    return copied;
  }

  return copy(value, 0);
}

function shortenText(text: string): string {
  const start = text.length > maxText ? copyStart(text) : text;
  return start.includes('=') ? start.replace(secretParameter, `$1${hidden}`) : start;
}

/** A slice would keep the whole text in memory. */
function copyStart(text: string): string {
  const start = Buffer.from(text.slice(0, maxText)).toString();
  return `${start}… ${text.length - maxText} more characters`;
}
