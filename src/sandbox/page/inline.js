import { h } from './dom.js';
import { showEmoji } from './emoji.js';

/**
 * Emphasis, code, links and mentions within a line or paragraph of Slack's mrkdwn, and links in plain
 * text. A rule has a pattern and what it becomes; the earliest match wins, and of two at one place
 * the rule that stands first.
 *
 * @typedef {{ user(id: string): string, channel(id: string): string }} Names
 * @typedef {{ dialect: string, names: Names }} Context
 * @typedef {{ pattern: RegExp, build: (match: string[], context: Context) => Node | string }} Rule
 */

const wrap = (tag, pattern) => ({
  pattern,
  build: ([, inner], context) => h(tag, {}, ...renderInline(inner, context)),
});

const code = {
  pattern: /(?<!`)(`+)(?!`)([^]*?[^`])\1(?!`)/g,
  build: ([, , inner], { dialect }) =>
    h('code', {}, unescape(inner.replace(/^ (.*) $/, '$1'), dialect)),
};
const entity = { pattern: /&(?:lt|gt|amp);/g, build: ([found]) => unescape(found, 'mrkdwn') };
const mention = {
  pattern: /<@[!&]?([A-Z0-9]+)(?:\|[^<>]*)?>/g,
  build: ([, id], { names }) => h('span', { class: 'mention' }, `@${names.user(id)}`),
};
const channel = {
  pattern: /<#([A-Z0-9]+)(?:\|[^<>]*)?>/g,
  build: ([, id], { names }) => h('span', { class: 'mention' }, `#${names.channel(id)}`),
};
const group = {
  pattern: /<!(here|channel|everyone)(?:\|[^<>]*)?>/g,
  build: ([, name]) => h('span', { class: 'mention' }, `@${name}`),
};
const slackLink = {
  pattern: /<((?:https?:\/\/|mailto:)[^\s<>|]+)(?:\|([^<>]*))?>/g,
  build: ([whole, url, label], { dialect }) =>
    link(url, [unescape(label || url, dialect)], whole, dialect),
};
const address = {
  pattern: /https?:\/\/[^\s<>"`]*[^\s<>"`.,:;!?'*_~|)\]]/g,
  build: ([url], { dialect }) => link(url, [unescape(url, dialect)], url, dialect),
};

/** @type {Record<string, Rule[]>} */
const rulesByFormat = {
  plain: [address],
  mrkdwn: [
    code,
    mention,
    channel,
    group,
    slackLink,
    entity,
    wrap('strong', /(?<![\w*])\*(?=[^\s*])([^\n]{0,1000}?[^\s*])\*(?![\w*])/g),
    wrap('em', /(?<!\w)_(?=[^\s_])([^\n]{0,1000}?[^\s_])_(?!\w)/g),
    wrap('s', /(?<![\w~])~(?=[^\s~])([^\n]{0,1000}?[^\s~])~(?![\w~])/g),
  ],
};

/**
 * @param {string} text
 * @param {Context} context
 * @returns {(Node | string)[]}
 */
export function renderInline(text, context) {
  const rules = (rulesByFormat[context.dialect] ?? rulesByFormat.plain).map((rule) => ({
    rule,
    match: find(rule, text, 0),
  }));
  const nodes = [];
  let position = 0;
  for (;;) {
    for (const one of rules) {
      if (one.match && one.match.index < position) one.match = find(one.rule, text, position);
    }
    const first = earliest(rules);
    if (!first) break;
    const { match, rule } = first;
    if (match.index > position) nodes.push(showEmoji(text.slice(position, match.index)));
    nodes.push(rule.build(match, context));
    position = match.index + match[0].length;
  }
  if (position < text.length) nodes.push(showEmoji(text.slice(position)));
  return nodes;
}

function find({ pattern }, text, from) {
  const search = new RegExp(pattern.source, pattern.flags);
  search.lastIndex = from;
  return search.exec(text) ?? undefined;
}

function earliest(rules) {
  let first;
  for (const one of rules) {
    if (one.match && (!first || one.match.index < first.match.index)) first = one;
  }
  return first;
}

/** Slack encodes &, < and > as entities; Discord does not. */
export function unescape(text, dialect) {
  if (dialect !== 'mrkdwn' && dialect !== 'markdown') return text;
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** A link to the web or to the sandbox itself; any other URL stays text. */
export function link(url, label, whole, dialect) {
  const target = URL.parse(unescape(url, dialect));
  if (!target || !['http:', 'https:'].includes(target.protocol)) return whole;
  if (target.origin === location.origin) return h('a', { href: target.href }, label);
  return h('a', { href: target.href, target: '_blank', rel: 'noopener noreferrer' }, label);
}
