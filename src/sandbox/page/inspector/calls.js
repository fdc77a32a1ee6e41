import { h } from '../dom.js';
import { platformNames } from '../sidebar.js';

const maxRows = 500;

/** The bot's API calls in order; each opens to its arguments and its response. */
export function createCallsPane() {
  const rows = h('ol', { class: 'calls' });
  const none = h('p', { class: 'note' }, 'No calls yet.');
  const choices = Object.entries({
    '': 'All',
    ...platformNames,
    event: 'Events',
    refused: 'Refused',
  });
  const filter = h(
    'select',
    { 'aria-label': 'Which calls', onchange: () => (rows.dataset.only = filter.value) },
    ...choices.map(([value, label]) => h('option', { value }, label)),
  );
  const group = { class: 'scroller', role: 'group', tabindex: 0, 'aria-label': 'Calls' };
  const scroller = h('div', group, rows, none);
  const element = h(
    'section',
    { class: 'api-calls', 'aria-label': 'API calls' },
    h('h3', {}, 'API calls', filter),
    scroller,
  );

  /** Calls are answered in another order than they are made. */
  function insert(call) {
    let before = rows.lastElementChild;
    while (before?.dataset.at > call.at) before = before.previousElementSibling;
    if (before) before.after(renderCall(call));
    else rows.prepend(renderCall(call));
  }

  return {
    element,
    clear() {
      rows.replaceChildren();
      none.hidden = false;
    },
    /** @param {any[]} calls those that are new */
    add(calls) {
      if (calls.length === 0) return;
      const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
      calls.forEach(insert);
      while (rows.children.length > maxRows) rows.firstElementChild.remove();
      none.hidden = true;
      if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
    },
  };
}

function renderCall(call) {
  const { platform, method, at, ms, status, response, isInjected } = call;
  const error = status < 200 || status >= 300 || response?.ok === false;
  const reason = error && (response?.error ?? response?.message);
  const outcome = [describeStatus(status), reason, isInjected && '(switched on)'];
  const details = h(
    'details',
    { ontoggle: () => details.children.length > 1 || details.append(...renderWhole(call)) },
    h(
      'summary',
      {},
      h('time', { datetime: new Date(at).toISOString() }, time.format(at)),
      h('span', { class: `platform ${platform}` }, platformNames[platform]),
      h('span', { class: 'method' }, method),
      h('span', { class: error ? 'status refused' : 'status' }, outcome.filter(Boolean).join(' ')),
      h('span', { class: 'ms' }, `${Math.round(ms)} ms`),
    ),
  );
  const isEvent = method.startsWith('event ');
  const classes = [platform, isEvent && 'event', error && 'refused'].filter(Boolean).join(' ');
  return h('li', { class: classes, 'data-at': at }, details);
}

function renderWhole({ arguments: given, response }) {
  return [
    h('h4', {}, 'Arguments'),
    h('pre', { tabindex: 0 }, format(given)),
    h('h4', {}, 'Response'),
    h('pre', { tabindex: 0 }, format(response)),
  ];
}

/** JSON, also where it is in a text, as Slack's blocks are in a form. */
function format(value) {
  if (value === undefined) return 'None';
  return typeof value === 'string' ? value : JSON.stringify(value, unpack, 2);
}

function unpack(_key, value) {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const time = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** @param {number} status of a response; 0 if there was none */
export function describeStatus(status) {
  return status === 0 ? 'no response' : `${status}`;
}
