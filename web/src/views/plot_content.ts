/** From a plot of the library to what a view draws: colours of the theme and of the laws, lines that reach the frame,
 *  and on the section the lines of restitution and what laws reach. */

import type { PlotCurve, PlotDocument, PlotKind, PlotPoint, Vec2 } from '../documents';
import type { Engine } from '../engine';
import { themed } from './colour';
import { reachOf } from './reach';
import { restitutionAt, restitutionLine } from './section';
import { distance, dot } from './vectors';
import { refused, type Frame } from './view';

export interface DrawnCurve extends PlotCurve {
  shown: string;
  shownFill: string;
  /** Where it is a line of restitution of the section. */
  e: number | null;
  /** Drawn so that what lies on it shows. */
  pale: boolean;
}

export interface DrawnPoint extends PlotPoint {
  shown: string;
  law: string | null;
}

export interface PlotContent {
  curves: DrawnCurve[];
  points: DrawnPoint[];
}

/** After the name of a law whose impulse leaves the plane. */
export const shadowSign = ' ∗';

const shadow = / \(shadow\)$/;
/** compression-ends is an event's name in files. */
const spelt = (name: string) => (/^[a-z]+(-[a-z]+)+$/.test(name) ? name.replaceAll('-', ' ') : name);

const lawNames = new WeakMap<Engine, Set<string>>();

function lawNamed(engine: Engine, name: string): string | null {
  let names = lawNames.get(engine);
  if (!names) lawNames.set(engine, (names = new Set(engine.laws.map((law) => law.name))));
  const bare = name.replace(shadow, '').replace(/: any .*$/, '');
  return names.has(bare) ? bare : null;
}

const line = (points: Vec2[], width: number, shown: string): DrawnCurve => ({
  name: '',
  points,
  colour: '',
  width,
  dash: [],
  closed: false,
  fill: '',
  opacity: 1,
  arrow: false,
  counts: false,
  shown,
  shownFill: 'none',
  e: null,
  pale: false,
});

export function contentOf(document: PlotDocument, kind: PlotKind, frame: Frame): PlotContent {
  const colour = (given: string) => (given === '' ? 'none' : themed(given, frame.dark));
  const points = document.points.map((point): DrawnPoint => {
    const law = lawNamed(frame.engine, point.name);
    if (!law) return { ...point, name: spelt(point.name), shown: colour(point.colour), law };
    return { ...point, name: point.name.replace(shadow, shadowSign), shown: frame.colour(law), law };
  });
  // The way to a law's answer has no name; it ends where the answer is.
  const open = points.filter((point) => point.law !== null);
  const curves = document.curves.map((curve): DrawnCurve => {
    const law = curve.name === '' ? null : lawNamed(frame.engine, curve.name);
    let shown = law ? frame.colour(law) : colour(curve.colour);
    const end = curve.points.at(-1);
    if (curve.name === '' && end) {
      const at = open.findIndex((p) => p.colour === curve.colour && p.at[0] === end[0] && p.at[1] === end[1]);
      if (at >= 0) shown = open.splice(at, 1)[0]!.shown;
    }
    return {
      ...curve,
      points: extended(curve, document),
      shown: curve.colour === '' ? 'none' : shown,
      shownFill: curve.fill === '' ? 'none' : law ? frame.colour(law) : colour(curve.fill),
      e: null,
      pale: false,
    };
  });
  if (kind === 'impulse-plane' && frame.axes) {
    findRestitution(curves, document, frame);
    const shade = curves.findIndex((curve) => curve.name === 'permissible');
    curves.splice(shade + 1, 0, ...reached(frame));
  }
  return { curves, points };
}

/** Straight lines were cut at the plot's range; what is shown of them is cut by the frame, which may be wider. */
function extended(curve: PlotCurve, { low, high }: PlotDocument): Vec2[] {
  const [a, b] = curve.points;
  if (!low || !high || curve.points.length !== 2 || curve.counts || curve.closed || !a || !b) return curve.points;
  const size = distance(low, high);
  const length = distance(a, b);
  if (!(length > 0)) return curve.points;
  const atRange = (p: Vec2) =>
    ([0, 1] as const).some((i) => Math.min(Math.abs(p[i] - low[i]), Math.abs(p[i] - high[i])) < 1e-9 * size);
  const s = (4 * size) / length;
  const beyond = (p: Vec2, sign: number): Vec2 =>
    atRange(p) ? [p[0] + sign * s * (b[0] - a[0]), p[1] + sign * s * (b[1] - a[1])] : p;
  return [beyond(a, -1), beyond(b, 1)];
}

/** Lines of constant V_n⁺ are lines of restitution; the collision's own is added where it is not among them. */
function findRestitution(curves: DrawnCurve[], { low, high }: PlotDocument, frame: Frame): void {
  const named = new Set(curves.filter((curve) => curve.name !== '').map((curve) => curve.colour));
  for (const curve of curves) {
    const [a, b] = curve.points;
    if (curve.points.length !== 2 || !a || !b) continue;
    // An unnamed line in the colour of a named one belongs to that one.
    if (curve.name === '' ? named.has(curve.colour) : !/^\$?e\$? = /.test(curve.name)) continue;
    const [e, same] = [restitutionAt(frame, a), restitutionAt(frame, b)];
    if (e > 1e-6 && Math.abs(e - same) <= 1e-6 * (1 + e)) curve.e = Number(e.toPrecision(6));
  }
  const collision = frame.engine.read(frame.text);
  const e = refused(collision) ? undefined : collision.settings.e;
  if (typeof e !== 'number' || !low || !high) return;
  let own = curves.find((curve) => curve.e !== null && Math.abs(curve.e - e) < 1e-6);
  if (!own) {
    const points = restitutionLine(frame, e, distance(low, high));
    if (!points) return;
    own = { ...line(points, 1, ''), e };
    curves.push(own);
  }
  own.width = 1.2;
  own.shown = 'var(--muted)';
}

/** A curve as e sweeps its range; the edge of a sheet as e and e_t do. */
function reached(frame: Frame): DrawnCurve[] {
  const { n, t } = frame.axes!;
  return frame.reaches.flatMap((law) => {
    const found = reachOf(frame, law);
    if (refused(found)) return [];
    const { rows, columns } = found;
    const around: Vec2[] = [];
    let whole = true;
    const visit = (row: number, column: number) => {
      const P = found.points[row * columns + column];
      around.push(P ? [dot(t, P), dot(n, P)] : [NaN, NaN]);
      whole &&= Boolean(P);
    };
    for (let j = 0; j < columns; ++j) visit(0, j);
    if (rows === 1) {
      const curve = line(around, 4, frame.colour(law));
      return [{ ...curve, name: `${law}: any $e$`, pale: true }];
    }
    for (let i = 1; i < rows; ++i) visit(i, columns - 1);
    for (let j = columns - 2; j >= 0; --j) visit(rows - 1, j);
    for (let i = rows - 2; i > 0; --i) visit(i, 0);
    const edge = line(around, 1, frame.colour(law));
    const inside = whole ? { closed: true, fill: frame.colour(law), shownFill: frame.colour(law), opacity: 0.2 } : {};
    return [{ ...edge, ...inside, name: `${law}: any $e$, $e_t$` }];
  });
}
