import MarkdownIt from './markdown-it.js';

const mentionPattern =
  /<(?:@[!&]?([A-Z0-9]+)|#([A-Z0-9]+)|!(here|channel|everyone))(?:\|[^<>]{0,200})?>/y;
const momentPattern = /<t:(\d{1,13})(?::[a-zA-Z])?>/y;
const slackLinkPattern = /<(https?:\/\/[^\s<>|]+)\|([^<>]{0,2000})>/y;
const entityPattern = /&(lt|gt|amp);/y;
const entities = { lt: '<', gt: '>', amp: '&' };
/** What is text whatever stands beside it: markdown-it's own rule, but for the bar of a spoiler. */
const plainPattern = /[^\n!#$%&*+\-:<=>@[\\\]^_`{|}~]+/y;
const languagePattern = /[\w+.#-]{1,30}\n/y;
const smallPattern = /^-# (.*)$/;

/**
 * The parser of a dialect: CommonMark with what Slack's markdown block or Discord adds, and without
 * what they lack. HTML stays text, and only addresses of the web are links.
 *
 * @param {'markdown' | 'discord'} dialect
 */
export function createParser(dialect) {
  const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: 20 });
  parser.disable(['code', 'lheading', 'reference', 'html_block', 'html_inline', 'entity']);
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  parser.validateLink = (url) => /^https?:\/\//i.test(url) && URL.canParse(url);
  const { inline } = parser;
  inline.ruler.before('autolink', 'mention', readMention);
  if (dialect === 'markdown') {
    inline.ruler.before('autolink', 'slack_link', readSlackLink);
    inline.ruler.push('slack_entity', readEntity);
    return parser;
  }
  parser.disable(['table', 'hr']);
  inline.ruler.at('text', readPlain);
  inline.ruler.before('backticks', 'code_within', readCode);
  inline.ruler.before('autolink', 'moment', readMoment);
  inline.ruler.before('autolink', 'spoiler', readSpoiler);
  parser.block.ruler.before('list', 'small', readSmall, { alt: ['paragraph', 'blockquote'] });
  return parser;
}

/** What a pattern finds at the place that is read, which it then passes. */
function take(pattern, state) {
  pattern.lastIndex = state.pos;
  const match = pattern.exec(state.src);
  if (!match || pattern.lastIndex > state.posMax) return undefined;
  state.pos = pattern.lastIndex;
  return match;
}

function push(state, silent, type, content) {
  if (!silent) state.push(type, '', 0).content = content;
  return true;
}

function readMention(state, silent) {
  const [, person, channel, group] = take(mentionPattern, state) ?? [];
  if (person) return push(state, silent, 'mention', `@${person}`);
  if (channel) return push(state, silent, 'mention', `#${channel}`);
  return group ? push(state, silent, 'mention', `!${group}`) : false;
}

/** Discord's code blocks may begin and end within a line. */
function readCode(state, silent) {
  const { src, pos, posMax } = state;
  if (!src.startsWith('```', pos)) return false;
  let end = src.indexOf('```', pos + 4);
  if (end === -1 || end + 3 > posMax) return false;
  const after = end + 3;
  languagePattern.lastIndex = pos + 3;
  let start = languagePattern.test(src) ? languagePattern.lastIndex : pos + 3;
  while (src[start] === '\n') start += 1;
  while (src[end - 1] === '\n') end -= 1;
  if (start >= end) return false;
  state.pos = after;
  return push(state, silent, 'code_within', src.slice(start, end));
}

/** In the reader's language, which the environment says. */
function readMoment(state, silent) {
  const [, seconds] = take(momentPattern, state) ?? [];
  if (!seconds) return false;
  const moment = new Date(Number(seconds) * 1000);
  const styles = { dateStyle: 'long', timeStyle: 'short' };
  return push(state, silent, 'text', moment.toLocaleString(state.env.locale, styles));
}

function readEntity(state, silent) {
  const [, name] = take(entityPattern, state) ?? [];
  if (name && !silent) state.pending += entities[name];
  return name !== undefined;
}

function readPlain(state, silent) {
  plainPattern.lastIndex = state.pos;
  if (!plainPattern.test(state.src) || state.pos >= state.posMax) return false;
  const end = Math.min(plainPattern.lastIndex, state.posMax);
  if (!silent) state.pending += state.src.slice(state.pos, end);
  state.pos = end;
  return true;
}

/** `<https://a.example|label>`. */
function readSlackLink(state, silent) {
  const [, href, label] = take(slackLinkPattern, state) ?? [];
  if (!href) return false;
  if (silent) return true;
  state.push('link_open', 'a', 1).attrs = [['href', href]];
  state.push('text', '', 0).content = label || href;
  state.push('link_close', 'a', -1);
  return true;
}

function readSpoiler(state, silent) {
  const { src, pos, posMax } = state;
  if (!src.startsWith('||', pos)) return false;
  const end = src.indexOf('||', pos + 3);
  if (end === -1 || end + 2 > posMax) return false;
  if (!silent) {
    state.push('spoiler_open', 'details', 1);
    state.pos = pos + 2;
    state.posMax = end;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    state.push('spoiler_close', 'details', -1);
  }
  state.pos = end + 2;
  return true;
}

/** `-# `, a line of small print. */
function readSmall(state, line, _end, silent) {
  const text = state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]);
  const [, small] = smallPattern.exec(text) ?? [];
  if (small === undefined) return false;
  if (silent) return true;
  state.line = line + 1;
  state.push('paragraph_open', 'p', 1).attrs = [['class', 'small']];
  const inline = state.push('inline', '', 0);
  inline.content = small;
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  return true;
}
