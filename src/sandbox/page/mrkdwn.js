import { h } from './dom.js';
import { renderInline, unescape } from './inline.js';

/**
 * Slack's older dialect has code and quotes; fences may stand within a line.
 *
 * @param {string} text
 * @param {import('./inline.js').Context} context
 * @returns {Node[]}
 */
export function renderMrkdwn(text, context) {
  return text.split(/(```[^]+?```)/).flatMap((piece) => {
    if (/^```[^]+```$/.test(piece)) {
      return [renderCode(piece.slice(3, -3).replace(/^\n|\n$/g, ''), context)];
    }
    const runs =
      piece.replace(/^\n|\n$/g, '').match(/(?:^(?:&gt;|>).*\n?)+|(?:^(?!&gt;|>).*\n?)+/gm) ?? [];
    return runs
      .filter((run) => run.trim())
      .map((run) => {
        const lines = run.replace(/\n$/, '');
        if (!/^(?:&gt;|>)/.test(lines)) return h('p', {}, ...renderInline(lines, context));
        const quoted = lines.replace(/^(?:&gt;|>) ?/gm, '');
        return h('blockquote', {}, h('p', {}, ...renderInline(quoted, context)));
      });
  });
}

/**
 * Code on lines of its own.
 *
 * @param {string} text
 * @param {import('./inline.js').Context} context
 */
export function renderCode(text, { dialect }) {
  return h('pre', {}, h('code', {}, unescape(text, dialect)));
}
