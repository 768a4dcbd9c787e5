/** Names on a plot, each where nothing else is. */

import type { Vec2 } from '../documents';
import { textWidth } from './mathematics';
import { shortNumber } from './numbers';
import type { PlotContent } from './plot_content';
import type { Box } from './plot_layout';
import { distance } from './vectors';

export interface Label {
  text: string;
  x: number;
  y: number;
  anchor: 'start' | 'middle' | 'end';
  colour: string;
  size: number;
  /** Degrees, clockwise on the page. */
  turn: number;
  /** How wide what lies under it is covered. */
  halo: number;
}

export const textSize = 12;
const smallSize = 11;

const overlap = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function boxOf(label: Label): Box {
  const wide = textWidth(label.text, label.size);
  if (label.turn !== 0) {
    const [c, s] = [Math.abs(Math.cos((label.turn * Math.PI) / 180)), Math.abs(Math.sin((label.turn * Math.PI) / 180))];
    const [w, h] = [(wide * c + label.size * s) / 2, (wide * s + label.size * c) / 2];
    return { left: label.x - w, right: label.x + w, top: label.y - h, bottom: label.y + h };
  }
  const left = label.x - (label.anchor === 'start' ? 0 : label.anchor === 'end' ? wide : wide / 2);
  return { left, right: left + wide, top: label.y - 0.8 * label.size, bottom: label.y + 0.3 * label.size };
}

/** The part of a line that lies in a box, from left to right; null when there is none. */
function clip(a: Vec2, b: Vec2, box: Box): [Vec2, Vec2] | null {
  let from = 0;
  let to = 1;
  const d: Vec2 = [b[0] - a[0], b[1] - a[1]];
  for (const [i, low, high] of [
    [0, box.left, box.right],
    [1, box.top, box.bottom],
  ] as const) {
    if (d[i] === 0) {
      if (a[i] < low || a[i] > high) return null;
      continue;
    }
    const s = (low - a[i]) / d[i];
    const t = (high - a[i]) / d[i];
    from = Math.max(from, Math.min(s, t));
    to = Math.min(to, Math.max(s, t));
  }
  if (!(from < to)) return null;
  const at = (s: number): Vec2 => [a[0] + s * d[0], a[1] + s * d[1]];
  return d[0] >= 0 ? [at(from), at(to)] : [at(to), at(from)];
}

/** Places beside a point: at its own angle first, then around it, then farther off. */
function* aroundPoint(text: string, at: Vec2, angle: number, colour: string): Generator<Label> {
  for (const apart of [1, 1.7, 2.6])
    for (const turn of [0, 45, -45, 90, -90, 135, -135, 180]) {
      const a = ((angle + turn) * Math.PI) / 180;
      const c = Math.cos(a);
      yield {
        text,
        x: at[0] + apart * 8 * c,
        y: at[1] + 0.35 * textSize - apart * 12.6 * Math.sin(a),
        anchor: c > 0.3 ? 'start' : c < -0.3 ? 'end' : 'middle',
        colour,
        size: textSize,
        turn: 0,
        halo: 3,
      };
    }
}

/** Places on a line, as on the contours of a map: near its ends first. */
function* onLine(text: string, [left, right]: [Vec2, Vec2]): Generator<Label> {
  const half = textWidth(text, smallSize) / 2 + 8;
  const length = distance(left, right);
  const [c, s] = [(right[0] - left[0]) / length, (right[1] - left[1]) / length];
  for (const far of [half, length - half, 2.5 * half, length - 2.5 * half, 4 * half, length - 4 * half, length / 2]) {
    if (far < half || far > length - half) continue;
    yield {
      text,
      // The middle of the letters' height is on the line, not their base.
      x: right[0] - far * c - 0.35 * smallSize * s,
      y: right[1] - far * s + 0.35 * smallSize * c,
      anchor: 'middle',
      colour: 'var(--muted)',
      size: smallSize,
      turn: (Math.atan2(s, c) * 180) / Math.PI,
      halo: 6,
    };
  }
}

/** What happens at one place is said in one label. */
export function placeLabels({ curves, points }: PlotContent, inner: Box, onPage: (p: Vec2) => Vec2): Label[] {
  const placed = points.map((point) => ({ point, at: onPage(point.at) }));
  const taken: Box[] = placed.map(({ at: [x, y] }) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 }));
  const labels: Label[] = [];
  const put = (candidates: Iterable<Label>, needed: boolean) => {
    let first: Label | null = null;
    for (const label of candidates) {
      first ??= label;
      const box = boxOf(label);
      const inside =
        box.left >= inner.left + 2 &&
        box.right <= inner.right - 2 &&
        box.top >= inner.top &&
        box.bottom <= inner.bottom;
      if (!inside || taken.some((other) => overlap(other, box))) continue;
      taken.push(box);
      labels.push(label);
      return;
    }
    if (!needed || !first) return;
    taken.push(boxOf(first));
    labels.push(first);
  };

  const named: { name: string; at: Vec2; angle: number; colour: string }[] = [];
  for (const { point, at } of placed) {
    const seen =
      at[0] >= inner.left - 1 && at[0] <= inner.right + 1 && at[1] >= inner.top - 1 && at[1] <= inner.bottom + 1;
    if (point.name === '' || point.in_legend || !seen) continue;
    const same = named.find((other) => distance(other.at, at) < 3);
    if (same) same.name += `, ${point.name}`;
    else named.push({ name: point.name, at, angle: point.angle, colour: point.shown });
  }
  for (const { name, at, angle, colour } of named) put(aroundPoint(name, at, angle, colour), true);
  for (const { e, points: ends } of curves) {
    if (e === null || !ends[0] || !ends[1]) continue;
    const seen = clip(onPage(ends[0]), onPage(ends[1]), inner);
    if (seen) put(onLine(`$e$ = ${shortNumber(e, 3)}`, seen), false);
  }
  return labels;
}
