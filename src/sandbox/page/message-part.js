import { askToConfirm, button, h } from './dom.js';
import { showEmoji } from './emoji.js';
import { decodeEntities, parsers } from './markdown-parser.js';

/**
 * @typedef {{ locale?: string, user(id: string): string, channel(id: string): string }} Names
 * @typedef {{ dialect: string, names: Names }} Context
 */

/**
 * A piece of a message, or a note within a form.
 *
 * @param {Names} names
 * @param {(control: any, value?: string | string[]) => Promise<void>} press
 */
export function renderPart(part, names, press) {
  const { kind, dialect, text } = part;
  const context = { dialect, names };
  if (kind === 'text') {
    const blocks = renderText(text, context);
    for (const block of blocks) block.dir = 'auto';
    return h('div', { class: 'text' }, ...blocks);
  }
  if (kind === 'small') {
    return h('p', { class: 'small', dir: 'auto' }, ...renderInline(text, context));
  }
  if (kind === 'heading') return h('h3', { dir: 'auto' }, ...renderInline(text, context));
  if (kind === 'divider') return h('hr');
  if (kind === 'card') {
    return h('div', { class: 'card' }, ...part.parts.map((one) => renderPart(one, names, press)));
  }
  const controls = part.controls.map((control) =>
    control.kind === 'select' ? renderSelect(control, press) : renderButton(control, press),
  );
  return h('div', { class: 'buttons' }, ...controls);
}

function renderButton(control, press) {
  const { style, url, disabled, action } = control;
  const label = h('bdi', {}, showEmoji(control.label));
  const target = url && URL.parse(url);
  if (target && /^https?:$/.test(target.protocol)) {
    const onclick = () => action && press(control);
    const elsewhere = { target: '_blank', rel: 'noopener noreferrer' };
    return h('a', { class: 'button', href: target.href, ...elsewhere, onclick }, label);
  }
  const made = button(label, tryPress, { class: style, disabled });
  async function tryPress() {
    if (control.confirm && !(await askToConfirm(control.confirm, control.label))) return;
    made.disabled = true;
    await press(control, control.value);
    made.disabled = disabled === true;
  }
  return made;
}

function renderSelect(control, press) {
  const { label, options, multiple, disabled } = control;
  const select = h(
    'select',
    { 'aria-label': label, multiple, disabled },
    multiple ? '' : h('option', { value: '' }, label),
    ...renderOptions(options),
  );
  if (!multiple) {
    select.addEventListener('change', () => {
      const { value } = select;
      // The same one can be chosen again.
      select.value = '';
      if (value) void press(control, value);
    });
    return select;
  }
  const chosen = () => [...select.selectedOptions].map(({ value }) => value);
  return h(
    'span',
    {},
    select,
    button('Choose', () => press(control, chosen())),
  );
}

/** The options of a select, those of a group below its heading. */
function renderOptions(options) {
  return [...Map.groupBy(options, ({ group }) => group)].flatMap(([group, within]) => {
    const shown = within.map(({ value, label, description }) =>
      h('option', { value }, [label, description].filter(Boolean).join(': ')),
    );
    return group === undefined ? shown : [h('optgroup', { label: group }, ...shown)];
  });
}

/**
 * A text as nodes: paragraphs, headings, lists, quotes, tables, code. What is not understood stays
 * text.
 *
 * @param {string} text
 * @param {Context} context
 * @returns {Node[]}
 */
function renderText(text, context) {
  if (context.dialect === 'plain') return [h('p', {}, ...renderInline(text, context))];
  if (context.dialect === 'mrkdwn') return renderMrkdwn(text, context);
  return renderTokens(parsers[context.dialect].parse(text, context.names), context);
}

/** A text without blocks, as nodes. */
function renderInline(text, context) {
  const [{ children }] = parsers[context.dialect].parseInline(text, context.names);
  return renderTokens(children, context);
}

/** The nodes of tokens. An opening token wraps everything up to its closing token. */
function renderTokens(tokens, context) {
  const nodes = [];
  const around = [{ nodes, token: undefined }];
  for (const token of tokens) {
    const { nodes } = around.at(-1);
    if (token.type === 'inline') {
      for (const node of renderTokens(token.children, context)) nodes.push(node);
    } else if (token.nesting === 1) around.push({ nodes: [], token });
    else if (token.nesting === 0) nodes.push(renderLeaf(token, context));
    else if (around.length > 1) {
      const closed = around.pop();
      around.at(-1).nodes.push(wrap(closed.token, closed.nodes, context));
    }
  }
  return nodes;
}

function renderLeaf({ type, content, children, attrs }, context) {
  if (type === 'code_within') return h('code', { class: 'block' }, content);
  if (type === 'fence') return renderCode(content.replace(/\n$/, ''), context);
  if (type === 'code_inline') return h('code', {}, unescape(content, context.dialect));
  if (type === 'hr') return h('hr');
  if (type === 'mention') return h('span', { class: 'mention' }, nameOf(content, context.names));
  if (type === 'softbreak' || type === 'hardbreak') return '\n';
  if (type !== 'image') return showEmoji(content);
  const label = renderTokens(children, context);
  const source = Object.fromEntries(attrs).src;
  return link(source, label.length > 0 ? label : [source], content, context.dialect);
}

/** `@U1`, `#C1` and `!here`, as their people and channels are called. */
function nameOf(mention, names) {
  const id = mention.slice(1);
  if (mention.startsWith('!')) return `@${id}`;
  return mention.startsWith('#') ? `#${names.channel(id)}` : `@${names.user(id)}`;
}

function wrap({ type, tag, markup, attrs }, nodes, { dialect }) {
  const { href = '', start, class: name } = Object.fromEntries(attrs ?? []);
  switch (type) {
    case 'heading_open':
      // The page's own headings are the first two levels.
      return h(`h${Math.min(Number(tag.slice(1)) + 2, 6)}`, {}, nodes);
    case 'ordered_list_open':
      return h('ol', { start }, nodes);
    case 'list_item_open':
      return renderItem(nodes);
    case 'table_open':
      return h('div', { class: 'table', tabindex: 0 }, h('table', {}, nodes));
    case 'strong_open':
      return h(dialect === 'discord' && markup === '__' ? 'u' : 'strong', {}, nodes);
    case 'link_open':
      return link(href, nodes, href, dialect);
    case 'spoiler_open':
      return h('details', { class: 'spoiler' }, h('summary', {}, 'Spoiler'), nodes);
    default:
      return h(tag, { class: name }, nodes);
  }
}

const taskPattern = /^\[([ xX])\] +/;

function renderItem(nodes) {
  const first = nodes[0]?.firstChild;
  const [task, mark] = taskPattern.exec(first?.nodeType === Node.TEXT_NODE ? first.data : '') ?? [];
  if (task) first.data = `${mark === ' ' ? '☐' : '☑'} ${first.data.slice(task.length)}`;
  return h('li', { class: task ? 'task' : undefined }, nodes);
}

/**
 * Slack's older dialect has code and quotes; fences may stand within a line.
 *
 * @param {string} text
 * @param {Context} context
 * @returns {Node[]}
 */
function renderMrkdwn(text, context) {
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

/** A link to the web or to the sandbox itself; any other URL stays text. */
function link(url, label, whole, dialect) {
  const target = URL.parse(unescape(url, dialect));
  if (!target || !['http:', 'https:'].includes(target.protocol)) return whole;
  if (target.origin === location.origin) return h('a', { href: target.href }, label);
  return h('a', { href: target.href, target: '_blank', rel: 'noopener noreferrer' }, label);
}

/** Slack's markup has entities. */
function unescape(text, dialect) {
  return dialect === 'mrkdwn' || dialect === 'markdown' ? decodeEntities(text) : text;
}

/** Code on lines of its own. */
function renderCode(text, { dialect }) {
  return h('pre', {}, h('code', {}, unescape(text, dialect)));
}
