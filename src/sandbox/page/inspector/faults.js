import * as api from '../api.js';
import { h, newId } from '../dom.js';

/** What every call can get instead of its response. */
const faults = {
  '': { label: 'as usual', every: null },
  429: { label: '429, for 3 s', every: { retryAfter: 3 } },
  500: { label: '500', every: { status: 500 } },
  503: { label: '503', every: { status: 503 } },
  drop: { label: 'nothing: the line is cut', every: { drop: true } },
};
const latencies = { 0: 'none', 300: '0.3 s', 1000: '1 s', 3000: '3 s' };
const services = { works: 'works', dies: 'is dead', hangs: 'hangs' };

/**
 * The switches for what can go wrong.
 *
 * @param {(act: () => Promise<unknown>) => unknown} change runs what a switch does
 */
export function createFaultsPane(change) {
  const slack = createPlatformSwitches('slack', 'Slack', change);
  const discord = createPlatformSwitches('discord', 'Discord', change);
  const service = createSelect('The service', services, (state) =>
    change(() => api.post('inspector/service', { state })),
  );
  const elsewhere = h('p', { class: 'note' }, 'It runs elsewhere: stop it there.');
  const reset = h(
    'button',
    { type: 'button', onclick: () => change(resetAll) },
    'Clear all faults',
  );

  return {
    element: h(
      'section',
      { class: 'faults', 'aria-label': 'Faults' },
      h('h3', {}, 'Faults'),
      slack.element,
      discord.element,
      h('fieldset', {}, h('legend', {}, 'Chatbot service'), service.element, elsewhere),
      reset,
    ),
    /** @param {any} inspection */
    show(inspection) {
      slack.show(inspection.slack);
      discord.show(inspection.discord);
      service.element.hidden = inspection.service === undefined;
      elsewhere.hidden = inspection.service !== undefined;
      service.show(inspection.service?.state ?? 'works');
    },
  };
}

async function resetAll() {
  const nothing = { latency: 0, every: null, offline: false };
  await api.post('slack/faults', nothing);
  await api.post('discord/faults', nothing);
  await api.post('inspector/service', { state: 'works' });
}

function createPlatformSwitches(platform, name, change) {
  const post = (body) => change(() => api.post(`${platform}/faults`, body));
  const latency = createSelect('Latency', latencies, (ms) => post({ latency: Number(ms) }));
  const labels = Object.fromEntries(Object.entries(faults).map(([key, { label }]) => [key, label]));
  const every = createSelect('Calls get', labels, (key) => post({ every: faults[key].every }));
  const offline = h('input', {
    type: 'checkbox',
    onchange: ({ target }) => post({ offline: target.checked }),
  });
  const connections = h('p', { class: 'note', role: 'status' });
  return {
    element: h(
      'fieldset',
      {},
      h('legend', {}, name),
      latency.element,
      every.element,
      h('label', { class: 'check' }, offline, 'Lose the socket'),
      connections,
    ),
    show(state) {
      latency.show(String(state.latency));
      every.show(nameFault(state.every));
      offline.checked = state.offline === true;
      const count = state.connections;
      const text = `${count} ${count === 1 ? 'socket' : 'sockets'} connected`;
      if (connections.textContent !== text) connections.textContent = text;
    },
  };
}

function nameFault(every) {
  if (!every) return '';
  if (every.drop) return 'drop';
  return every.retryAfter === undefined ? String(every.status) : '429';
}

function createSelect(label, choices, choose) {
  const id = newId();
  const select = h(
    'select',
    { id, onchange: () => choose(select.value) },
    ...Object.entries(choices).map(([value, text]) => h('option', { value }, text)),
  );
  return {
    element: h('div', { class: 'switch' }, h('label', { for: id }, label), select),
    /** What others have switched on need not be among the choices. */
    show(value) {
      if (select.value !== value) select.value = value;
    },
  };
}
