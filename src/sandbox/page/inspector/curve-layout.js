/**
 * Text over time: `at` in ms from the start, `characters` in all until then.
 *
 * @typedef {{ at: number, characters: number }} Point
 */

const maxTicks = 10;

/**
 * Where the lines of a chart of text received and text shown go: received text grows evenly between
 * points, shown text in steps.
 *
 * @param {{ received: readonly Point[], shown: readonly Point[], lastMs?: number }} curve `lastMs`:
 *   when the chart ends at the earliest
 * @param {{ width: number, height: number, margin: { left: number, right: number, top: number, bottom: number } }} box
 */
export function layoutCurve({ received, shown, lastMs = 0 }, { width, height, margin }) {
  const endMs = Math.max(lastMs, received.at(-1)?.at ?? 0, shown.at(-1)?.at ?? 0);
  const seconds = Math.max(1, Math.ceil(endMs / 1000));
  const max = Math.max(1, ...[...received, ...shown].map(({ characters }) => characters));
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const x = (ms) => round(margin.left + (ms / 1000 / seconds) * (right - margin.left));
  const y = (characters) => round(margin.top + (1 - characters / max) * (bottom - margin.top));
  const every = Math.ceil(seconds / maxTicks);
  const start = `M${x(0)} ${y(0)}`;
  const grown = received.map(({ at, characters }) => `L${x(at)} ${y(characters)}`);
  const stepped = shown.map(({ at, characters }) => `H${x(at)}V${y(characters)}`);
  return {
    x,
    y,
    max,
    axes: `M${x(0)} ${margin.top}V${y(0)}H${right}`,
    received: start + grown.join(''),
    shown: `${start}${stepped.join('')}H${x(endMs)}`,
    /** Whole seconds. */
    ticks: Array.from({ length: Math.floor(seconds / every) + 1 }, (_, index) => index * every),
  };
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
