import { h } from '../dom.js';
import { drawChart } from './chart.js';

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

const platformNames = { slack: 'Slack', discord: 'Discord' };

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
  return [drawChart(curve, `${summary}.`), h('figcaption', {}, `${summary}.`, renderLegend())];
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
