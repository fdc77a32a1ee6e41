import { layoutCurve } from './curve-layout.js';

const box = { width: 460, height: 210, margin: { left: 46, right: 12, top: 14, bottom: 40 } };

/**
 * Draws a reply: its text received and its text shown over time, with a tick for each write and a
 * cross for each refusal.
 *
 * @param {any} curve as the control API gives it
 * @param {string} label what it shows, in words
 */
export function drawChart({ received, shown, writes }, label) {
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

/** @param {number} status of a response; 0 if there was none */
export function describeStatus(status) {
  return status === 0 ? 'no response' : `${status}`;
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
