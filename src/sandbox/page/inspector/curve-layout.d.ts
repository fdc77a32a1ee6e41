/** The types of curve-layout.js, for those who draw the same chart in TypeScript. */

interface Point {
  at: number;
  characters: number;
}

export function layoutCurve(
  curve: { received: readonly Point[]; shown: readonly Point[]; lastMs?: number },
  box: {
    width: number;
    height: number;
    margin: { left: number; right: number; top: number; bottom: number };
  },
): {
  x(ms: number): number;
  y(characters: number): number;
  max: number;
  /** Paths, as in SVG. */
  axes: string;
  received: string;
  shown: string;
  ticks: number[];
};
