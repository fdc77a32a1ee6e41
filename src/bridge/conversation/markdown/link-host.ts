import topLevelDomains from 'tlds' with { type: 'json' };

/** Names under which hosts exist, and those that are reserved for networks and examples. */
const endings = new Set([
  ...topLevelDomains,
  'corp',
  'example',
  'home',
  'internal',
  'invalid',
  'lan',
  'local',
  'localhost',
  'onion',
  'test',
]);

/** Of these, the ones that usually end the name of a file, such as `README.md`. */
const fileEndings = new Set(['java', 'map', 'md', 'mov', 'ps', 'py', 'rs', 'sh', 'zip']);

const maxHost = 253;

/**
 * The host that a web address leads to, in the ASCII form in which no letter passes for another; the
 * mailbox of a `mailto:`. Undefined where no link may lead: to other schemes, and to what is no
 * address.
 */
export function hostOf(address: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  const url = URL.parse(address);
  if (url?.protocol === 'mailto:')
    return /^[\w.+%-]{1,253}@[\w.%-]{1,253}$/.exec(url.pathname)?.[0];
  const host = url?.hostname ?? '';
  return host.length <= maxHost && /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(host) ? host : undefined;
}

/**
 * The host to show besides a link's text, because the text reads like the address of another one.
 * Subdomains count, `www.` doesn't. `text` is what readers see, without Markdown.
 */
export function hostToShow(text: string, address: string): string | undefined {
  const host = hostOf(address);
  if (host === undefined) return undefined;
  const real = withoutEdges(host);
  const written = text.toLowerCase();
  const isReal = (found: string) => withoutEdges(found) === real && written.includes(found);
  return addressesIn(text).every(isReal) ? undefined : host.replaceAll(/[[\]]/g, '');
}

/** Whether a text reads like an address to people, whole or in part. */
export function looksLikeAddress(text: string): boolean {
  return addressesIn(text).length > 0;
}

function withoutEdges(host: string): string {
  const bare = host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^www\./, '');
  return bare.endsWith('.') ? bare.slice(0, -1) : bare;
}

/**
 * Where the addresses in a text seem to lead: what stands before their paths, with a user's name
 * before the `@`. An address is what has a scheme with two slashes; what begins with `www.`; a dotted
 * name that ends with a top-level domain, unless that is a file's ending too and no path follows; and
 * four numbers with dots. What looks like ASCII counts as that.
 */
function addressesIn(text: string): string[] {
  return toPlainForm(text).split(between).flatMap(addressesOfWord);
}

const between = /[\s()[\]{}<>"'|,;→“”„‘’«»]+/;

/** With two characters before it, it is no drive's letter. */
const scheme = /[a-z\d+.-]{2}:[\\/]{2,}([^\\/?#]+)/;

const nameRun = /[\p{L}\p{M}\p{N}_.@+-]+/gu;

function addressesOfWord(word: string): string[] {
  const match = scheme.exec(word);
  const before = match ? word.slice(0, match.index) : word;
  const found: string[] = [];
  for (const { 0: run, index } of before.matchAll(nameRun)) {
    const next = before[index + run.length] ?? '';
    const name = toName(run, /[\\/?#:]/.test(next));
    if (name === undefined) continue;
    found.push(name);
    // The rest is its path.
    if (/[\\/?#]/.test(next)) break;
  }
  return match ? [...found, trimSigns(match[1] ?? '')] : found;
}

/** The name of a host in a run of letters, digits and signs, as it is written there. */
function toName(run: string, hasPath: boolean): string | undefined {
  const whole = trimSigns(run);
  const labels = whole.slice(whole.lastIndexOf('@') + 1).split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || labels.includes('')) return undefined;
  // No spaces divide these from other scripts.
  const ending = /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{M}\d_-]+/u.exec(last)?.[0] ?? last;
  const name = whole.slice(0, whole.length - last.length) + ending;
  const isFile = fileEndings.has(ending) && !hasPath && !name.includes('@');
  const isNumber = labels.length === 4 && labels.every((label) => /^\d{1,3}$/.test(label));
  const isHost = name.startsWith('www.') || isNumber || (mayEndHost(ending) && !isFile);
  return isHost
    ? name.replace(/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+(?=[a-z\d])/u, '')
    : undefined;
}

/** What has letters beyond ASCII may pass for one that is known. */
function mayEndHost(label: string): boolean {
  if (endings.has(label)) return true;
  return (
    /[^ -~]/.test(label) && /^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{M}]{2,}$/u.test(label)
  );
}

function trimSigns(run: string): string {
  let [start, end] = [0, run.length];
  while (isSign(run[start])) start += 1;
  while (end > start && isSign(run[end - 1])) end -= 1;
  return run.slice(start, end);
}

function isSign(character = ''): boolean {
  return character !== '' && '_.@+-:!*~`'.includes(character);
}

const entity = /&(?:#(?:x([\da-f]{1,6})|(\d{1,7}))|([a-z]{2,30}));/gi;
const entities = new Map([
  ['period', '.'],
  ['sol', '/'],
  ['colon', ':'],
  ['commat', '@'],
]);

/** A text as it looks: without what can't be seen, and with the ASCII characters that others resemble. */
function toPlainForm(text: string): string {
  if (!/[^ -%'-~]/.test(text)) return text.toLowerCase();
  return text
    .replaceAll(entity, (_, hex?: string, decimal?: string, name = '') => {
      const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
      if (Number.isNaN(code)) return entities.get(name.toLowerCase()) ?? '';
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .replaceAll(/[\p{Cf}\p{DI}\u2006\u2008-\u200A\u202F]/gu, '')
    .normalize('NFKC')
    .replaceAll(/[\u3002\uA4F8\u0701\u0702]/g, '.')
    .toLowerCase();
}
