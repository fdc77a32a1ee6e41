import MarkdownIt from './markdown-it.js';

const mentionPattern =
  /<(?:@[!&]?([A-Z0-9]+)|#([A-Z0-9]+)|!(here|channel|everyone))(?:\|[^<>]{0,200})?>/y;
const momentPattern = /<t:(\d{1,13})(?::[a-zA-Z])?>/y;
const slackLinkPattern = /<(https?:\/\/[^\s<>|]+)(?:\|([^<>]{0,2000}))?>/y;
const entityPattern = /&(?:lt|gt|amp);/y;
/** Slack's older emphasis: words between two marks, with no letters next to them. */
const mrkdwnPatterns = {
  strong: /(?<![a-zA-Z\d*])\*(?=[^\s*])[^\n]{0,1000}?[^\s*]\*(?![a-zA-Z\d*])/y,
  em: /(?<!\w)_(?=[^\s_])[^\n]{0,1000}?[^\s_]_(?!\w)/y,
  s: /(?<![a-zA-Z\d~])~(?=[^\s~])[^\n]{0,1000}?[^\s~]~(?![a-zA-Z\d~])/y,
};
/** What is text whatever stands beside it: markdown-it's own rule, but for the bar of a spoiler. */
const plainPattern = /[^\n!#$%&*+\-:<=>@[\\\]^_`{|}~]+/y;
const languagePattern = /[\w+.#-]{1,30}\n/y;
const smallPattern = /^-# (.*)$/;

/**
 * The parsers, by dialect: plain text with links; what Slack's mrkdwn has within a paragraph; and
 * CommonMark with what Slack's markdown block or Discord adds, and without what they lack.
 */
export const parsers = {
  plain: createParser('zero'),
  mrkdwn: createMrkdwnParser(),
  markdown: addSlackMarkup(createMarkdownParser()),
  discord: createDiscordParser(),
};

/** HTML stays text, and only addresses of the web are links. */
function createParser(preset) {
  const parser = new MarkdownIt(preset, { html: false, linkify: true, maxNesting: 20 });
  parser.core.ruler.enable('linkify');
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  parser.validateLink = (url) => /^https?:\/\//i.test(url) && URL.canParse(url);
  return parser;
}

function createMarkdownParser() {
  const lacking = ['code', 'lheading', 'reference', 'html_block', 'html_inline', 'entity'];
  return createParser('default').disable(lacking);
}

function addSlackMarkup(parser) {
  const { ruler } = parser.inline;
  ruler.before('autolink', 'mention', readMention);
  ruler.before('autolink', 'slack_link', readSlackLink);
  ruler.push('slack_entity', readEntity);
  return parser;
}

function createMrkdwnParser() {
  const parser = addSlackMarkup(createParser('zero').enable('backticks'));
  for (const [tag, pattern] of Object.entries(mrkdwnPatterns)) {
    parser.inline.ruler.push(tag, (state, silent) => readEmphasis(state, silent, tag, pattern));
  }
  return parser;
}

function createDiscordParser() {
  const parser = createMarkdownParser().disable(['table', 'hr']);
  const { ruler } = parser.inline;
  ruler.at('text', readPlain);
  ruler.before('backticks', 'code_within', readCode);
  ruler.before('autolink', 'mention', readMention);
  ruler.before('autolink', 'moment', readMoment);
  ruler.before('autolink', 'spoiler', readSpoiler);
  parser.block.ruler.before('list', 'small', readSmall, { alt: ['paragraph', 'blockquote'] });
  return parser;
}

/** Slack encodes &, < and > as entities. */
export function decodeEntities(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
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
  const [entity] = take(entityPattern, state) ?? [];
  if (entity && !silent) state.pending += decodeEntities(entity);
  return entity !== undefined;
}

function readPlain(state, silent) {
  plainPattern.lastIndex = state.pos;
  if (!plainPattern.test(state.src) || state.pos >= state.posMax) return false;
  const end = Math.min(plainPattern.lastIndex, state.posMax);
  if (!silent) state.pending += state.src.slice(state.pos, end);
  state.pos = end;
  return true;
}

/** `<https://a.example|label>`, or without a label. */
function readSlackLink(state, silent) {
  const [, href, label] = take(slackLinkPattern, state) ?? [];
  if (!href) return false;
  if (silent) return true;
  state.push('link_open', 'a', 1).attrs = [['href', href]];
  state.push('text', '', 0).content = decodeEntities(label || href);
  state.push('link_close', 'a', -1);
  return true;
}

function readSpoiler(state, silent) {
  const { src, pos, posMax } = state;
  if (!src.startsWith('||', pos)) return false;
  const end = src.indexOf('||', pos + 3);
  if (end === -1 || end + 2 > posMax) return false;
  return readWithin(state, silent, { type: 'spoiler', tag: 'details', marks: 2, end: end + 2 });
}

function readEmphasis(state, silent, tag, pattern) {
  pattern.lastIndex = state.pos;
  if (!pattern.test(state.src) || pattern.lastIndex > state.posMax) return false;
  return readWithin(state, silent, { type: tag, tag, marks: 1, end: pattern.lastIndex });
}

/** What stands between marks of so many characters, up to an end. */
function readWithin(state, silent, { type, tag, marks, end }) {
  const { pos, posMax } = state;
  if (!silent) {
    state.push(`${type}_open`, tag, 1);
    state.pos = pos + marks;
    state.posMax = end - marks;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
    state.push(`${type}_close`, tag, -1);
  }
  state.pos = end;
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
