import * as api from '../api.js';
import { button, h } from '../dom.js';

/** What every call can get instead of its response. */
const faults = {
  '': { label: 'as usual', every: null },
  429: { label: '429, 1 s', every: { retryAfter: 1 } },
  500: { label: '500', every: { status: 500 } },
  503: { label: '503', every: { status: 503 } },
  drop: { label: 'no response', every: { drop: true } },
};
const latencies = { 0: 'none', 300: '0.3 s', 1000: '1 s', 3000: '3 s' };
const services = { works: 'works', dies: 'is dead', hangs: 'hangs' };

/**
 * The switches for what can go wrong.
 *
 * @param {(act: () => Promise<unknown>) => unknown} change runs what a switch does
 */
export function createFaultsPane(change) {
  const platforms = {
    slack: createSwitches('slack', 'Slack', change),
    discord: createSwitches('discord', 'Discord', change),
  };
  const all = Object.values(platforms);
  const rows = [
    ['Latency', all.map(({ latency }) => latency)],
    ['Calls get', all.map(({ every }) => every)],
    ['Socket', all.map(({ socket }) => socket)],
  ];
  const service = createSelect('Chatbot service', services, (state) =>
    change(() => api.post('inspector/service', { state })),
  );
  const elsewhere = h('p', { class: 'note' }, 'The chatbot service runs elsewhere: stop it there.');
  const table = h(
    'table',
    {},
    h('tr', {}, h('td'), ...all.map(({ name }) => h('th', { scope: 'col' }, name))),
    ...rows.map(([name, cells]) =>
      h('tr', {}, h('th', { scope: 'row' }, name), ...cells.map((cell) => h('td', {}, cell))),
    ),
  );
  const limitsHistory = h('input', {
    type: 'checkbox',
    onchange: ({ target }) =>
      change(() => api.post('slack/switches', { limitsHistory: target.checked })),
  });
  const history = h(
    'label',
    {},
    limitsHistory,
    ' Slack: threads are read once a minute, 15 messages',
  );
  const clear = button('Clear all', () => change(clearAll));
  const row = h('label', { class: 'service' }, 'Chatbot service ', service);

  return {
    element: h(
      'section',
      { class: 'faults', 'aria-label': 'Faults' },
      h('h3', {}, 'Faults', clear),
      table,
      h('p', {}, history),
      row,
      elsewhere,
    ),
    /** @param {any} inspection */
    show(inspection) {
      platforms.slack.show(inspection.slack);
      platforms.discord.show(inspection.discord);
      limitsHistory.checked = inspection.slack.limitsHistory;
      row.hidden = inspection.service === undefined;
      elsewhere.hidden = inspection.service !== undefined;
      choose(service, inspection.service?.state ?? 'works');
    },
  };
}

async function clearAll() {
  await api.remove('slack/faults');
  await api.remove('discord/faults');
  await api.post('slack/switches', { limitsHistory: false });
  await api.post('inspector/service', { state: 'works' });
}

function createSwitches(platform, name, change) {
  const post = (body) => change(() => api.post(`${platform}/faults`, body));
  const labels = Object.fromEntries(Object.entries(faults).map(([key, { label }]) => [key, label]));
  const latency = createSelect(`${name}: latency`, latencies, (ms) =>
    post({ latency: Number(ms) }),
  );
  const every = createSelect(`${name}: calls get`, labels, (key) =>
    post({ every: faults[key].every }),
  );
  const offline = h('input', {
    type: 'checkbox',
    onchange: ({ target }) => post({ offline: target.checked }),
  });
  const connections = h('span', { class: 'note' });
  return {
    name,
    latency,
    every,
    socket: [
      h('label', {}, offline, ' Lost', h('span', { class: 'unseen' }, ` on ${name}`)),
      ' ',
      connections,
    ],
    show(state) {
      choose(latency, String(state.latency));
      choose(every, nameFault(state.every));
      offline.checked = state.offline === true;
      connections.textContent = `${state.connections} open`;
    },
  };
}

function nameFault(every) {
  if (!every) return '';
  if (every.drop) return 'drop';
  return every.retryAfter === undefined ? String(every.status) : '429';
}

function createSelect(label, choices, change) {
  const options = Object.entries(choices).map(([value, text]) => h('option', { value }, text));
  const onchange = ({ target }) => change(target.value);
  return h('select', { 'aria-label': label, onchange }, ...options);
}

/** Shows nothing for what others have switched on that is not among the choices. */
function choose(select, value) {
  if (select.value !== value) select.value = value;
}
