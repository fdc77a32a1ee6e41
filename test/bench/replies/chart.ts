import { layoutCurve } from '../../../src/sandbox/page/inspector/curve-layout.js';
import type { ReplyCurve } from './measure.ts';

const width = 460;
const height = 240;
const margin = { left: 46, right: 12, top: 34, bottom: 40 };

/** Draws replies side by side, as SVG: their text received against their text shown, over time. */
export function drawCurves(title: string, curves: Record<string, ReplyCurve>): string {
  const panels = Object.entries(curves).map(
    ([name, curve], index) =>
      `<g transform="translate(${index * width} 30)">${drawPanel(name, curve)}</g>`,
  );
  const [wide, high] = [width * panels.length, height + 60];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" font-family="sans-serif" font-size="12">
<rect width="${wide}" height="${high}" fill="#fff"/>
<text x="${margin.left}" y="22" font-size="14" font-weight="bold">${title}</text>
${panels.join('\n')}
<g transform="translate(${margin.left} ${high - 12})">
<path d="M0 -4h24" stroke="#888" stroke-width="2"/><text x="30">received</text>
<path d="M110 -4h24" stroke="#0b6" stroke-width="2"/><text x="140">shown</text>
</g>
</svg>
`;
}

function drawPanel(name: string, { sent, seen }: ReplyCurve): string {
  const received = sent.map((at, index) => ({ at, characters: index + 1 }));
  const shown = seen.map(({ at, seen: characters }) => ({ at, characters }));
  const { x, y, ...drawn } = layoutCurve({ received, shown }, { width, height, margin });
  return [
    `<text x="${margin.left}" y="${margin.top - 10}">${name}</text>`,
    `<path d="${drawn.axes}" fill="none" stroke="#000"/>`,
    ...drawn.ticks.map(
      (second) =>
        `<text x="${x(second * 1000)}" y="${y(0) + 16}" text-anchor="middle">${second}</text>`,
    ),
    `<text x="${width - margin.right}" y="${y(0) + 32}" text-anchor="end">seconds</text>`,
    `<text x="${margin.left - 6}" y="${y(drawn.max) + 4}" text-anchor="end">${drawn.max}</text>`,
    `<text x="${margin.left - 6}" y="${y(0)}" text-anchor="end">0</text>`,
    `<path d="${drawn.received}" fill="none" stroke="#888" stroke-width="2"/>`,
    `<path d="${drawn.shown}" fill="none" stroke="#0b6" stroke-width="2"/>`,
  ].join('\n');
}
