import { h } from '../dom.js';
import { platformNames } from '../sidebar.js';
import { describeStatus } from './calls.js';
import { layoutCurve } from './curve-layout.js';

/** The last replies, and the chart of one: of the newest, unless another is chosen. */
export function createRepliesPane() {
  let followsNewest = true;
  let listed = '';
  let drawn = '';
  const select = h('select', { id: 'inspected-reply', onchange: choose });
  const figure = h('figure');
  const none = h('p', { class: 'note' }, 'Ask the bot something: its reply is drawn here.');
  const element = h(
    'section',
    { class: 'replies', 'aria-label': 'Replies' },
    h('h3', {}, h('label', { for: select.id }, 'Reply')),
    select,
    figure,
    none,
  );

  function choose() {
    followsNewest = select.selectedIndex === 0;
  }

  /** Newest first. What is chosen stays chosen. */
  function list(replies) {
    const chosen = followsNewest ? undefined : select.value;
    select.replaceChildren(
      ...replies.toReversed().map((reply) => h('option', { value: reply.id }, describe(reply))),
    );
    if (chosen !== undefined) select.value = chosen;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
    followsNewest = select.selectedIndex <= 0;
    select.hidden = replies.length === 0;
    none.hidden = replies.length > 0;
  }

  return {
    element,
    /** The id of the reply whose curve it needs next; undefined if there is none. */
    wanted: () => select.value || undefined,
    /** @param {{ replies: any[], curve?: any }} inspection */
    show({ replies, curve }) {
      const names = JSON.stringify(replies);
      if (names !== listed) list(replies);
      listed = names;
      const points = JSON.stringify(curve ?? '');
      if (points === drawn) return;
      drawn = points;
      if (curve) figure.replaceChildren(...renderCurve(curve));
      else figure.replaceChildren();
    },
  };
}

function describe({ platform, query, outcome, refused }) {
  const end = outcome ?? 'running';
  const limits = refused > 0 ? `, ${refused} refused` : '';
  return `${platformNames[platform] ?? platform} · ${query.slice(0, 60)} · ${end}${limits}`;
}

function renderCurve(curve) {
  const { received, shown, writes } = curve;
  const refused = writes.filter(({ isAccepted }) => !isAccepted).length;
  const count = (number, one, more) => `${number} ${number === 1 ? one : more}`;
  const [last, seen] = [received.at(-1), shown.at(-1)];
  const summary = [
    last
      ? `${count(last.characters, 'character', 'characters')} received in ${seconds(last.at)}`
      : 'Nothing received',
    seen ? `${seen.characters} shown in ${seconds(seen.at)}` : 'nothing shown',
    count(writes.length, 'write', 'writes'),
    `${refused} refused`,
  ].join(', ');
  return [
    drawChart(curve, `${summary}.`),
    h('figcaption', {}, `${summary}.`, renderLegend(), renderContext(curve)),
  ];
}

/** What was taken of the thread, as it was sent with the question. */
function renderContext({ context = '' }) {
  const lines = context === '' ? [] : context.split('\n');
  if (lines.length === 0) return h('p', { class: 'note' }, 'No context was sent.');
  const count = lines.length === 1 ? '1 message' : `${lines.length} messages`;
  return h(
    'details',
    { class: 'context', open: true },
    h('summary', {}, `Context sent: ${count}`),
    h('ul', {}, ...lines.map((line) => h('li', {}, line))),
  );
}

function renderLegend() {
  const entries = { received: 'received', shown: 'shown', write: 'a write', refusal: 'refused' };
  return h(
    'span',
    { class: 'legend' },
    ...Object.entries(entries).map(([name, label]) => h('span', { class: name }, label)),
  );
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

const box = { width: 460, height: 210, margin: { left: 46, right: 12, top: 14, bottom: 40 } };

/**
 * Draws a reply: its text received and its text shown over time, with a tick for each write and a
 * cross for each refusal.
 *
 * @param {any} curve as the control API gives it
 * @param {string} label what it shows, in words
 */
function drawChart({ received, shown, writes }, label) {
  const lastMs = writes.at(-1)?.at ?? 0;
  const { x, y, ...drawn } = layoutCurve({ received, shown, lastMs }, box);
  const bottom = y(0);
  return svg(
    'svg',
    { viewBox: `0 0 ${box.width} ${box.height}`, role: 'img', 'aria-label': label },
    svg('path', { class: 'axes', d: drawn.axes }),
    text({ x: box.margin.left - 6, y: y(drawn.max) + 4, class: 'end' }, `${drawn.max}`),
    text({ x: box.margin.left - 6, y: bottom, class: 'end' }, '0'),
    ...drawn.ticks.map((second) =>
      text({ x: x(second * 1000), y: bottom + 22, class: 'middle' }, `${second}`),
    ),
    text({ x: box.width - box.margin.right, y: bottom + 36, class: 'end' }, 'seconds'),
    svg('path', { class: 'received', d: drawn.received }),
    svg('path', { class: 'shown', d: drawn.shown }),
    ...writes.map((write) => drawWrite(write, x(write.at), bottom)),
  );
}

function drawWrite({ isAccepted, status }, x, bottom) {
  const title = svg('title');
  title.textContent = isAccepted ? 'A write' : `Refused: ${describeStatus(status)}`;
  const d = isAccepted
    ? `M${x} ${bottom}v8`
    : `M${x} ${box.margin.top}V${bottom}m-4 1l8 8m-8 0l8 -8`;
  return svg('path', { class: isAccepted ? 'write' : 'refusal', d }, title);
}

function text(attributes, content) {
  const element = svg('text', attributes);
  element.textContent = content;
  return element;
}

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
