/** Where a plot's parts go: the range of its axes, the frame on the page, the legend beside or below it. */

import type { PlotDocument, Vec2 } from '../documents';
import { textWidth } from './mathematics';
import { shadowSign, type DrawnCurve, type DrawnPoint, type PlotContent } from './plot_content';
import { distance } from './vectors';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Range {
  /** After the logarithm where there is one. */
  low: Vec2;
  high: Vec2;
}

export interface LegendEntry {
  name: string;
  curve: DrawnCurve | null;
  point: DrawnPoint | null;
  x: number;
  y: number;
}

export const legendSize = 11.5;
export const swatch = 22;
const legendStep = 17;

class Extent {
  readonly low: Vec2 = [Infinity, Infinity];
  readonly high: Vec2 = [-Infinity, -Infinity];

  include(p: Vec2): void {
    for (const i of [0, 1] as const) {
      this.low[i] = Math.min(this.low[i], p[i]);
      this.high[i] = Math.max(this.high[i], p[i]);
    }
  }
  size(): number {
    return distance(this.low, this.high);
  }
}

/** As the plot has it; or that of what counts, with air around it, where a range of no extent is given one. */
export function rangeOf(document: PlotDocument): Range {
  const ranged = (p: Vec2): Vec2 => [
    document.x_log ? Math.log10(p[0]) : p[0],
    document.y_log ? Math.log10(p[1]) : p[1],
  ];
  if (document.low && document.high) return { low: ranged(document.low), high: ranged(document.high) };
  const extent = new Extent();
  for (const curve of document.curves) if (curve.counts) for (const p of curve.points) extent.include(ranged(p));
  for (const point of document.points) extent.include(ranged(point.at));
  const { low, high } = extent;
  const largest = Math.max(high[0] - low[0], high[1] - low[1]);
  const air = ([0, 1] as const).map((i) => {
    const own = high[i] - low[i];
    return own > 0 ? 0.06 * own : largest > 0 ? 0.1 * largest : 0.1 * Math.abs(low[i]) + 1e-3;
  }) as Vec2;
  return {
    low: document.low ? ranged(document.low) : [low[0] - air[0], low[1] - air[1]],
    high: document.high ? ranged(document.high) : [high[0] + air[0], high[1] + air[1]],
  };
}

function entriesOf({ curves, points }: PlotContent): LegendEntry[] {
  const entries: LegendEntry[] = [];
  const add = (name: string, curve: DrawnCurve | null, point: DrawnPoint | null) =>
    entries.push({ name, curve, point, x: 0, y: 0 });
  for (const curve of curves) if (curve.name !== '' && curve.e === null) add(curve.name, curve, null);
  for (const point of points) if (point.in_legend) add(point.name, null, point);
  if (points.some((point) => point.name.endsWith(shadowSign))) add('∗ leaves the plane; its shadow', null, null);
  return entries;
}

/** The legend goes to the right, or below where the frame would become too narrow; the frame takes what remains. */
export function layOut(
  bare: boolean,
  content: PlotContent,
  width: number,
  height: number,
): { inner: Box; entries: LegendEntry[] } {
  const entries = entriesOf(content);
  const widest = Math.max(0, ...entries.map((entry) => textWidth(entry.name, legendSize)));
  const column = swatch + 6 + widest + 14;
  const beside = entries.length > 0 && width - column >= 330 && entries.length * legendStep + 12 <= height;
  const inner: Box = {
    left: bare ? 8 : 64,
    top: 10,
    right: width - 12 - (beside ? column : 0),
    bottom: height - (bare ? 8 : 44),
  };
  if (beside) {
    entries.forEach((entry, i) => {
      entry.x = inner.right + 14;
      entry.y = inner.top + 10 + i * legendStep;
    });
    return { inner, entries };
  }
  // Row by row: in columns where there is room for three, else as they come.
  const inColumns = width - 16 >= 3 * column;
  let used = Infinity;
  let rows = 0;
  const rowOf = entries.map((entry) => {
    const needs = inColumns ? column : swatch + 6 + textWidth(entry.name, legendSize) + 14;
    if (used + needs > width - 2) {
      ++rows;
      used = 0;
    }
    entry.x = 10 + used;
    used += needs;
    return rows - 1;
  });
  const below = rows * legendStep;
  entries.forEach((entry, i) => (entry.y = height - below + rowOf[i]! * legendStep + 9));
  inner.bottom -= below + (below > 0 ? 4 : 0);
  return { inner, entries };
}
