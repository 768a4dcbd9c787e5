/** Any plot of the library, drawn by d3 in SVG. What is drawn is decided by the library; here is how, and what can be
 *  dragged. */

import { axisBottom, axisLeft, type Axis } from 'd3-axis';
import { drag, type D3DragEvent } from 'd3-drag';
import { format } from 'd3-format';
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from 'd3-scale';
import { pointer, select } from 'd3-selection';
import { line as lineShape } from 'd3-shape';
import { zoom, zoomIdentity, type D3ZoomEvent } from 'd3-zoom';
import type { AxesDocument, PlotCurve, PlotDocument, PlotKind, PlotPoint, Vec2, Vec3 } from '../documents';
import { resolveVariables, setHair, themed } from './colour';
import { mathematicsNodes, plainText, sans, setMathematics, textWidth } from './mathematics';
import { reachOf } from './reach';
import { refused, type Change, type Frame, type View, type ViewOptions } from './view';
import './views.css';

export interface PlotOptions extends ViewOptions {
  kind: PlotKind;
  /** Says what the view is, to who cannot see it. */
  label: string;
}

type Scale = ScaleContinuousNumeric<number, number>;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface LegendEntry {
  name: string;
  curve: DrawnCurve | null;
  point: DrawnPoint | null;
  x: number;
  y: number;
}

interface DrawnCurve extends PlotCurve {
  shown: string;
  shownFill: string;
  /** Where it is a line of restitution of the section. */
  e: number | null;
  /** Drawn so that what lies on it shows. */
  pale?: boolean;
}

interface DrawnPoint extends PlotPoint {
  shown: string;
  law: string | null;
}

interface Label {
  text: string;
  x: number;
  y: number;
  anchor: 'start' | 'middle' | 'end';
  colour: string;
  size: number;
}

/** A line or a point that can be taken hold of. */
interface Handle {
  change: 'mu' | 'e' | 'V';
  path: string;
  hint: string;
  cursor: string;
}

const textSize = 12;
const tickSize = 11;
const legendSize = 11.5;
const legendStep = 17;
const swatch = 22;
const shortNumber = format('.4~g');
/** After the name of a law whose impulse leaves the plane. */
const shadowSign = ' ∗';
/** compression-ends is an event's name in files. */
const spelt = (name: string) => (/^[a-z]+(-[a-z]+)+$/.test(name) ? name.replaceAll('-', ' ') : name);
const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Marks of about the same weight, around (0, 0). */
const forms: Record<PlotPoint['form'], string> = {
  disc: 'M-3.4,0a3.4,3.4 0 1,0 6.8,0a3.4,3.4 0 1,0 -6.8,0z',
  ring: 'M-3.2,0a3.2,3.2 0 1,0 6.4,0a3.2,3.2 0 1,0 -6.4,0z',
  square: 'M-3,-3h6v6h-6z',
  diamond: 'M0,-4.4l4.4,4.4l-4.4,4.4l-4.4,-4.4z',
  cross: 'M-3.3,-3.3l6.6,6.6M3.3,-3.3l-6.6,6.6',
};

const overlap = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The part of a line that lies in a box; null when there is none. */
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
  return [at(from), at(to)];
}

/** The head of an arrow at the end of a line, on the page. */
function arrowHead(points: Vec2[], width: number): string {
  const tip = points.at(-1);
  if (!tip) return '';
  const length = 4 + 2.5 * width;
  for (let i = points.length - 2; i >= 0; --i) {
    const [x, y] = points[i]!;
    const distance = Math.hypot(tip[0] - x, tip[1] - y);
    // From the last point that lies far enough back to give the head a direction.
    if (distance < 0.5 * length && i > 0) continue;
    if (distance < 1e-6) return '';
    const dx = ((tip[0] - x) / distance) * length;
    const dy = ((tip[1] - y) / distance) * length;
    const corner = (side: number) => `${tip[0] - dx - 0.38 * side * dy},${tip[1] - dy + 0.38 * side * dx}`;
    return `M${tip[0]},${tip[1]}L${corner(1)}L${corner(-1)}Z`;
  }
  return '';
}

const superscript = (n: number) => [...String(n)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)]!)).join('');

/** P_t = 1.2 N s from an axis that is called "impulse, $P_t$ [N s]". */
function reading(axis: string, value: number): string {
  const symbol = /\$[^$]+\$/.exec(axis)?.[0];
  const unit = /\[([^\]]+)\]/.exec(axis)?.[1];
  return `${symbol ? `${symbol} = ` : ''}${shortNumber(value)}${unit ? ` ${unit}` : ''}`;
}

/** Which laws are asked for in a plot. */
function lawsOf(kind: PlotKind, frame: Frame): string[] {
  if (kind === 'impulse-plane' || kind === 'impulse-solid') return frame.answers.map((answer) => answer.law);
  if (kind === 'process' || kind === 'forces') return [];
  return [frame.focus];
}

let views = 0;

export function createPlotView(host: HTMLElement, options: PlotOptions): View {
  const { kind } = options;
  const clipId = `plot-frame-${++views}`;
  const root = select(host).append('div').attr('class', 'view view-plot');
  const svg = root
    .append('svg')
    .attr('xmlns', 'http://www.w3.org/2000/svg')
    .attr('tabindex', 0)
    .attr('role', 'img')
    .attr('font-family', sans)
    .attr('font-size', textSize)
    .style('font-variant-numeric', 'tabular-nums');
  const clipFrame = svg.append('clipPath').attr('id', clipId).append('rect');
  const paper = svg.append('rect').attr('x', 0).attr('y', 0).style('fill', 'var(--paper)');
  const zeros = svg.append('path').attr('fill', 'none').style('stroke', 'var(--hair)').attr('stroke-width', 0.7);
  const curvesGroup = svg.append('g').attr('clip-path', `url(#${clipId})`);
  const border = svg.append('rect').attr('fill', 'none').style('stroke', 'var(--muted)').attr('stroke-width', 0.8);
  const xAxisGroup = svg.append('g');
  const yAxisGroup = svg.append('g');
  const xLabel = svg.append('text').attr('text-anchor', 'middle').style('fill', 'var(--ink)');
  const yLabel = svg.append('text').attr('text-anchor', 'middle').style('fill', 'var(--ink)');
  const hitsGroup = svg.append('g').attr('class', 'screen').attr('clip-path', `url(#${clipId})`);
  const pointsGroup = svg.append('g').attr('pointer-events', 'none');
  const labelsGroup = svg.append('g').attr('pointer-events', 'none');
  const legendGroup = svg.append('g').attr('font-size', legendSize);
  const found = svg.append('circle').attr('class', 'screen found').attr('r', 6).attr('visibility', 'hidden');
  const tip = root.append('div').attr('class', 'view-tip').attr('role', 'status').attr('hidden', '');
  const message = root.append('div').attr('class', 'view-message').attr('role', 'status').attr('hidden', '');

  let frame: Frame | null = null;
  let plot: PlotDocument | null = null;
  let curves: DrawnCurve[] = [];
  let points: DrawnPoint[] = [];
  let laws: { engine: Frame['engine']; names: Set<string> } | null = null;
  let width = 0;
  let height = 0;
  let pending = false;
  let transform = zoomIdentity;
  let x: Scale = scaleLinear();
  let y: Scale = scaleLinear();
  let base: { low: Vec2; high: Vec2 } | null = null;
  let inner: Box = { left: 0, top: 0, right: 0, bottom: 0 };
  let stepped = -1;
  /** What is being dragged: meanwhile the axes stand still, and directions are those from where the drag began. */
  let held: { change: Handle['change']; n: Vec3; t: Vec3; b: Vec3; V: Vec3 } | null = null;

  // ---- colours ----

  function lawNamed(name: string): string | null {
    if (!frame) return null;
    if (laws?.engine !== frame.engine)
      laws = { engine: frame.engine, names: new Set(frame.engine.laws.map((law) => law.name)) };
    const bare = name.replace(/ \(shadow\)$|: any .*$/, '');
    return laws.names.has(bare) ? bare : null;
  }

  function take(document: PlotDocument, current: Frame): void {
    const colour = (given: string) => (given === '' ? 'none' : themed(given, current.dark));
    points = document.points.map((point) => {
      const law = lawNamed(point.name);
      if (!law) return { ...point, name: spelt(point.name), shown: colour(point.colour), law };
      return { ...point, name: point.name.replace(/ \(shadow\)$/, shadowSign), shown: current.colour(law), law };
    });
    // The way to a law's answer has no name; it ends where the answer is.
    const open = points.filter((point) => point.law !== null);
    curves = document.curves.map((curve) => {
      let law = curve.name === '' ? null : lawNamed(curve.name);
      let shown: string | null = law ? current.colour(law) : null;
      const end = curve.points.at(-1);
      if (!shown && curve.name === '' && end) {
        const at = open.findIndex((p) => p.colour === curve.colour && p.at[0] === end[0] && p.at[1] === end[1]);
        if (at >= 0) shown = open.splice(at, 1)[0]!.shown;
      }
      return {
        ...curve,
        shown: curve.colour === '' ? 'none' : (shown ?? colour(curve.colour)),
        shownFill: curve.fill === '' ? 'none' : law ? current.colour(law) : colour(curve.fill),
        e: null,
      };
    });
    extendLines(document);
    if (kind !== 'impulse-plane' || !current.axes) return;
    findRestitution(document, current);
    addReaches(current, current.axes);
  }

  /** Under the lines: a curve as e sweeps its range, the edge of a sheet as e and e_t do. */
  function addReaches(current: Frame, { n, t }: AxesDocument): void {
    const reached = current.reaches.flatMap((law) => {
      const found = reachOf(current, law);
      if (refused(found)) return [];
      const { rows, columns } = found;
      const at = (row: number, column: number): Vec2 | null => {
        const P = found.points[row * columns + column];
        return P ? [dot(t, P), dot(n, P)] : null;
      };
      const around: (Vec2 | null)[] = [];
      for (let j = 0; j < columns; ++j) around.push(at(0, j));
      if (rows > 1) {
        for (let i = 1; i < rows; ++i) around.push(at(i, columns - 1));
        for (let j = columns - 2; j >= 0; --j) around.push(at(rows - 1, j));
        for (let i = rows - 2; i > 0; --i) around.push(at(i, 0));
      }
      const sheet = rows > 1;
      const curve: DrawnCurve = {
        name: `${law}: any $e$${sheet ? ', $e_t$' : ''}`,
        points: around.map((p): Vec2 => p ?? [NaN, NaN]),
        colour: '',
        width: sheet ? 1 : 4,
        dash: [],
        closed: sheet && around.every((p) => p !== null),
        fill: sheet ? 'law' : '',
        opacity: 0.2,
        arrow: false,
        counts: false,
        shown: current.colour(law),
        shownFill: sheet ? current.colour(law) : 'none',
        e: null,
        pale: !sheet,
      };
      return [curve];
    });
    const shade = curves.findIndex((curve) => curve.name === 'permissible');
    curves.splice(shade + 1, 0, ...reached);
  }

  /** Straight lines were cut at the plot's range; what is shown of them is cut by the frame, which may be wider. */
  function extendLines({ low, high }: PlotDocument): void {
    if (!low || !high) return;
    const size = Math.hypot(high[0] - low[0], high[1] - low[1]);
    const atRange = (p: Vec2) =>
      ([0, 1] as const).some((i) => Math.min(Math.abs(p[i] - low[i]), Math.abs(p[i] - high[i])) < 1e-9 * size);
    for (const curve of curves) {
      const [a, b] = curve.points;
      if (curve.points.length !== 2 || curve.counts || curve.closed || !a || !b) continue;
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (!(length > 0)) continue;
      const s = (4 * size) / length;
      const beyond = (p: Vec2, sign: number): Vec2 =>
        atRange(p) ? [p[0] + sign * s * (b[0] - a[0]), p[1] + sign * s * (b[1] - a[1])] : p;
      curve.points = [beyond(a, -1), beyond(b, 1)];
    }
  }

  /** Lines of constant V_n⁺ are lines of restitution; the collision's own is added where it is not among them. */
  function findRestitution(document: PlotDocument, current: Frame): void {
    const colours = new Set(curves.filter((curve) => curve.name !== '').map((curve) => curve.colour));
    for (const curve of curves) {
      const [a, b] = curve.points;
      if (curve.points.length !== 2 || !a || !b) continue;
      if (curve.name === '' ? colours.has(curve.colour) : !/^\$?e\$? = /.test(curve.name)) continue;
      const [e, same] = [restitutionAt(a), restitutionAt(b)];
      if (e > 1e-6 && Math.abs(e - same) <= 1e-6 * (1 + e)) curve.e = Number(e.toPrecision(6));
    }
    const collision = current.engine.read(current.text);
    const e = refused(collision) ? undefined : collision.settings.e;
    if (typeof e !== 'number' || !document.low || !document.high) return;
    const own = curves.find((curve) => curve.e !== null && Math.abs(curve.e - e) < 1e-6);
    if (own) {
      own.width = 1.2;
      own.shown = 'var(--muted)';
      return;
    }
    // V_n⁺ = −e V_n where  row·P = −(1 + e) V_n.
    const { n, t, row, V_n } = normalSpeed();
    const [along, up] = [dot(row, t), dot(row, n)];
    const size = Math.hypot(document.high[0] - document.low[0], document.high[1] - document.low[1]);
    const scale = (2 * size) / Math.hypot(along, up);
    const middle = (-(1 + e) * V_n) / up;
    curves.push({
      name: '',
      points: [
        [-up * scale, middle + along * scale],
        [up * scale, middle - along * scale],
      ],
      colour: '',
      width: 1.2,
      dash: [],
      closed: false,
      fill: '',
      opacity: 1,
      arrow: false,
      counts: false,
      shown: 'var(--muted)',
      shownFill: 'none',
      e,
    });
  }

  /** V_n⁺ = V_n + row·P. */
  function normalSpeed() {
    const { contact } = frame!.outcome;
    const { n, t } = frame!.axes!;
    const row: Vec3 = [dot(contact.W[0], n), dot(contact.W[1], n), dot(contact.W[2], n)];
    return { n, t, row, V_n: dot(contact.V, n) };
  }

  /** e = V_n⁺ / −V_n of a point of the section (docs/notation.md). */
  function restitutionAt(p: Vec2): number {
    const { n, t, row, V_n } = normalSpeed();
    return (V_n + dot(row, n) * p[1] + dot(row, t) * p[0]) / -V_n;
  }

  // ---- layout ----

  function rangeOf(document: PlotDocument): { low: Vec2; high: Vec2 } {
    const to = (v: number, log: boolean) => (log ? Math.log10(v) : v);
    const low: Vec2 = [Infinity, Infinity];
    const high: Vec2 = [-Infinity, -Infinity];
    const include = (p: Vec2) => {
      for (const i of [0, 1] as const) {
        const v = to(p[i], i === 0 ? document.x_log : document.y_log);
        low[i] = Math.min(low[i], v);
        high[i] = Math.max(high[i], v);
      }
    };
    if (!document.low || !document.high) {
      for (const curve of document.curves) if (curve.counts) curve.points.forEach(include);
      for (const point of document.points) include(point.at);
    }
    const extents = [high[0] - low[0], high[1] - low[1]] as const;
    const largest = Math.max(...extents);
    for (const i of [0, 1] as const) {
      const log = i === 0 ? document.x_log : document.y_log;
      // Air around it; a range of no extent is given one.
      const pad =
        extents[i] > 0 ? 0.06 * extents[i] : largest > 0 ? 0.1 * largest : 0.1 * Math.abs(low[i]) + 1e-3;
      if (document.low) low[i] = to(document.low[i], log);
      else low[i] -= pad;
      if (document.high) high[i] = to(document.high[i], log);
      else high[i] += pad;
    }
    return kind === 'impulse-plane' ? withoutDwarfing(low, high) : { low, high };
  }

  /** An ellipse that dwarfs what happens in it is not shown whole: the range becomes that of the impulses. */
  function withoutDwarfing(low: Vec2, high: Vec2): { low: Vec2; high: Vec2 } {
    const near: Vec2 = [0, 0];
    const far: Vec2 = [0, 0];
    const include = (p: Vec2) => {
      for (const i of [0, 1] as const) {
        near[i] = Math.min(near[i], p[i]);
        far[i] = Math.max(far[i], p[i]);
      }
    };
    const size = () => Math.hypot(far[0] - near[0], far[1] - near[1]);
    for (const point of points) if (/P_I/.test(point.name)) include(point.at);
    const core = 1.6 * size();
    for (const point of points) if (point.law && Math.hypot(...point.at) < core) include(point.at);
    for (const curve of curves)
      if (curve.name === 'permissible') for (const p of curve.points) if (Math.hypot(...p) < 2 * core) include(p);
    if (!(size() > 0) || Math.hypot(high[0] - low[0], high[1] - low[1]) < 2.2 * size()) return { low, high };
    const air = 0.2 * Math.max(far[0] - near[0], far[1] - near[1]);
    return { low: [near[0] - air, near[1] - air], high: [far[0] + air, far[1] + air] };
  }

  function legendEntries(): LegendEntry[] {
    const entries: LegendEntry[] = [];
    for (const curve of curves)
      if (curve.name !== '' && curve.e === null) entries.push({ name: curve.name, curve, point: null, x: 0, y: 0 });
    for (const point of points)
      if (point.in_legend) entries.push({ name: point.name, curve: null, point, x: 0, y: 0 });
    if (points.some((point) => point.name.endsWith(shadowSign)))
      entries.push({ name: '∗ leaves the plane; its shadow', curve: null, point: null, x: 0, y: 0 });
    return entries;
  }

  /** Places the legend at the right, or where that would leave too little below; and the frame in what remains. */
  function layOut(document: PlotDocument): LegendEntry[] {
    const entries = legendEntries();
    const widest = Math.max(0, ...entries.map((entry) => textWidth(entry.name, legendSize)));
    const right = swatch + 6 + widest + 8;
    const beside = entries.length > 0 && width - right >= 330 && entries.length * legendStep + 12 <= height;
    inner = {
      left: document.bare ? 8 : 64,
      top: 10,
      right: width - 12 - (beside ? right + 6 : 0),
      bottom: height - (document.bare ? 8 : 44),
    };
    if (beside) {
      entries.forEach((entry, i) => {
        entry.x = inner.right + 14;
        entry.y = inner.top + 10 + i * legendStep;
      });
      return entries;
    }
    const columns = Math.max(1, Math.floor((width - 16) / (right + 6)));
    // As many in each row as there is room for, filled row by row.
    const rows: LegendEntry[][] = [];
    let used = Infinity;
    for (const entry of entries) {
      const needs = columns > 2 ? right + 6 : swatch + 6 + textWidth(entry.name, legendSize) + 14;
      if (used + needs > width - 16 + 14) {
        rows.push([]);
        used = 0;
      }
      entry.x = 10 + used;
      rows.at(-1)!.push(entry);
      used += needs;
    }
    const below = rows.length * legendStep;
    rows.forEach((row, i) => row.forEach((entry) => (entry.y = height - below + i * legendStep + 9)));
    inner.bottom -= below + (below > 0 ? 4 : 0);
    return entries;
  }

  function makeScales(document: PlotDocument): void {
    const range = held && base ? base : (base = rangeOf(document));
    let [low, high] = [range.low, range.high];
    const w = Math.max(10, inner.right - inner.left);
    const h = Math.max(10, inner.bottom - inner.top);
    if (document.equal_scales) {
      const scale = Math.max((high[0] - low[0]) / w, (high[1] - low[1]) / h);
      const middle: Vec2 = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
      low = [middle[0] - (scale * w) / 2, middle[1] - (scale * h) / 2];
      high = [middle[0] + (scale * w) / 2, middle[1] + (scale * h) / 2];
    }
    const scale = (i: 0 | 1, log: boolean, range: Vec2): Scale =>
      log
        ? scaleLog([10 ** low[i], 10 ** high[i]], range)
        : scaleLinear([low[i], high[i]], range);
    x = transform.rescaleX(scale(0, document.x_log, [inner.left, inner.right]));
    y = transform.rescaleY(scale(1, document.y_log, [inner.bottom, inner.top]));
  }

  // ---- drawing ----

  const lowered = (p: Vec2): Vec2 => [x(p[0]), y(p[1])];
  const finite = (p: Vec2) => Number.isFinite(x(p[0])) && Number.isFinite(y(p[1]));

  function drawAxis(group: typeof xAxisGroup, axis: Axis<number>, scale: Scale, log: boolean, count: number): void {
    axis.tickSizeInner(-4).tickSizeOuter(0).tickPadding(6);
    if (log) {
      const [a, b] = scale.domain() as Vec2;
      const first = Math.ceil(Math.log10(a) - 1e-9);
      const last = Math.floor(Math.log10(b) + 1e-9);
      const step = Math.max(1, Math.ceil((last - first) / count));
      const values: number[] = [];
      for (let power = first; power <= last; power += step) values.push(10 ** power);
      axis.tickValues(values).tickFormat((value) => `10${superscript(Math.round(Math.log10(value)))}`);
    } else {
      axis.tickValues(scale.ticks(count)).tickFormat(scale.tickFormat(count));
    }
    group.call(axis);
    group.attr('font-family', sans).attr('font-size', tickSize);
    group.select('.domain').attr('stroke', 'none');
    group.selectAll('.tick line').attr('stroke', null).style('stroke', 'var(--muted)').attr('stroke-width', 0.8);
    group.selectAll('.tick text').attr('fill', null).style('fill', 'var(--muted)');
  }

  function drawAxes(document: PlotDocument): void {
    const w = inner.right - inner.left;
    const h = inner.bottom - inner.top;
    for (const rect of [border, clipFrame])
      rect.attr('x', inner.left).attr('y', inner.top).attr('width', Math.max(0, w)).attr('height', Math.max(0, h));
    const display = document.bare ? 'none' : null;
    for (const part of [border, xAxisGroup, yAxisGroup, xLabel, yLabel, zeros]) part.attr('display', display);
    if (document.bare) return;
    xAxisGroup.attr('transform', `translate(0,${inner.bottom})`);
    yAxisGroup.attr('transform', `translate(${inner.left},0)`);
    drawAxis(xAxisGroup, axisBottom<number>(x as never), x, document.x_log, Math.max(2, w / 80));
    drawAxis(yAxisGroup, axisLeft<number>(y as never), y, document.y_log, Math.max(2, h / 55));
    setMathematics(xLabel.node()!, document.x_label, textSize);
    xLabel.attr('x', (inner.left + inner.right) / 2).attr('y', inner.bottom + 35);
    setMathematics(yLabel.node()!, document.y_label, textSize);
    yLabel.attr('transform', `translate(15,${(inner.top + inner.bottom) / 2}) rotate(-90)`);
    let d = '';
    const [x0, y0] = [x(0), y(0)];
    if (!document.x_log && x0 > inner.left && x0 < inner.right) d += `M${x0},${inner.top}V${inner.bottom}`;
    if (!document.y_log && y0 > inner.top && y0 < inner.bottom) d += `M${inner.left},${y0}H${inner.right}`;
    zeros.attr('d', d);
  }

  const open = lineShape<Vec2>()
    .x((p) => x(p[0]))
    .y((p) => y(p[1]))
    .defined(finite)
    .digits(2);

  function drawCurves(): void {
    curvesGroup
      .selectAll<SVGPathElement, DrawnCurve>('path.curve')
      .data(curves)
      .join((enter) => enter.append('path').attr('class', 'curve').attr('stroke-linejoin', 'round'))
      .attr('d', (c) => (open(c.points) ?? '') + (c.closed && c.points.length > 1 ? 'Z' : ''))
      .style('stroke', (c) => c.shown)
      .attr('stroke-width', (c) => c.width)
      .attr('stroke-opacity', (c) => (c.pale ? 0.45 : null))
      .attr('stroke-dasharray', (c) => (c.dash.length > 0 ? c.dash.join(' ') : null))
      .style('fill', (c) => c.shownFill)
      .attr('fill-opacity', (c) => (c.fill === '' ? null : c.opacity));
    curvesGroup
      .selectAll<SVGPathElement, DrawnCurve>('path.arrow')
      .data(curves.filter((c) => c.arrow))
      .join((enter) => enter.append('path').attr('class', 'arrow'))
      .attr('d', (c) => arrowHead(c.points.map(lowered), c.width))
      .style('fill', (c) => c.shown);
  }

  const within = ([px, py]: Vec2, air = 1) =>
    px >= inner.left - air && px <= inner.right + air && py >= inner.top - air && py <= inner.bottom + air;

  function drawPoints(): void {
    pointsGroup
      .selectAll<SVGPathElement, DrawnPoint>('path')
      .data(points)
      .join('path')
      .attr('transform', (p) => `translate(${x(p.at[0]).toFixed(2)},${y(p.at[1]).toFixed(2)})`)
      .attr('d', (p) => forms[p.form])
      .attr('display', (p) => (within(lowered(p.at)) ? null : 'none'))
      .call(markStyle);
  }

  function markStyle(marks: ReturnType<typeof pointsGroup.selectAll<SVGPathElement, DrawnPoint>>): void {
    marks
      .style('fill', (p) => (p.form === 'ring' ? 'var(--paper)' : p.form === 'cross' ? 'none' : p.shown))
      .style('stroke', (p) => (p.form === 'ring' || p.form === 'cross' ? p.shown : 'var(--paper)'))
      .attr('stroke-width', (p) => (p.form === 'ring' || p.form === 'cross' ? 1.5 : 0.7));
  }

  /** Names beside points, each at its own angle or at the next that is free. */
  function drawLabels(): void {
    const taken: Box[] = [];
    const labels: Label[] = [];
    for (const point of points) {
      const [px, py] = lowered(point.at);
      taken.push({ left: px - 4, right: px + 4, top: py - 4, bottom: py + 4 });
    }
    // What happens at one place is said in one label.
    const named: { name: string; at: Vec2; angle: number; shown: string }[] = [];
    for (const point of points) {
      const at = lowered(point.at);
      if (point.name === '' || point.in_legend || !within(at)) continue;
      const same = named.find((other) => Math.hypot(other.at[0] - at[0], other.at[1] - at[1]) < 3);
      if (same && kind !== 'impulse-plane') same.name += `, ${point.name}`;
      else named.push({ name: point.name, at, angle: point.angle, shown: point.shown });
    }
    for (const point of named) {
      const { at } = point;
      const wide = textWidth(point.name, textSize);
      let chosen: { label: Label; box: Box } | null = null;
      for (const turn of [0, 45, -45, 90, -90, 135, -135, 180]) {
        const angle = ((point.angle + turn) * Math.PI) / 180;
        const c = Math.cos(angle);
        const anchor = c > 0.3 ? 'start' : c < -0.3 ? 'end' : 'middle';
        const lx = at[0] + 8 * c;
        const ly = at[1] + 0.35 * textSize - 11 * Math.sin(angle);
        const left = anchor === 'start' ? lx : anchor === 'end' ? lx - wide : lx - wide / 2;
        const box = { left, right: left + wide, top: ly - 0.8 * textSize, bottom: ly + 0.3 * textSize };
        const label: Label = { text: point.name, x: lx, y: ly, anchor, colour: point.shown, size: textSize };
        const free =
          box.left >= inner.left + 2 &&
          box.right <= inner.right - 2 &&
          box.top >= inner.top &&
          box.bottom <= inner.bottom &&
          !taken.some((other) => overlap(other, box));
        if (free || !chosen) chosen = { label, box };
        if (free) break;
      }
      if (!chosen) continue;
      taken.push(chosen.box);
      labels.push(chosen.label);
    }
    for (const curve of curves) {
      const [a, b] = curve.points;
      if (curve.e === null || !a || !b) continue;
      const seen = clip(lowered(a), lowered(b), inner);
      if (!seen) continue;
      // At the right end, above the line; else at the left.
      const [right, left] = seen[0][0] > seen[1][0] ? seen : [seen[1], seen[0]];
      const text = `$e$ = ${shortNumber(curve.e)}`;
      const wide = textWidth(text, tickSize);
      const slope = right[0] === left[0] ? Infinity : (right[1] - left[1]) / (right[0] - left[0]);
      if (Math.abs(slope) > 1.2) {
        // Beside a steep line, at its lower end.
        const [down, up] = seen[0][1] > seen[1][1] ? seen : [seen[1], seen[0]];
        const s = Math.min(1, 12 / (down[1] - up[1]));
        const lx = down[0] + s * (up[0] - down[0]) + (slope > 0 ? -6 : 6);
        const box = { left: slope > 0 ? lx - wide : lx, right: slope > 0 ? lx : lx + wide, top: down[1] - 22, bottom: down[1] - 8 };
        if (box.left < inner.left || box.right > inner.right || taken.some((other) => overlap(other, box))) continue;
        taken.push(box);
        labels.push({ text, x: lx, y: down[1] - 12, anchor: slope > 0 ? 'end' : 'start', colour: 'var(--muted)', size: tickSize });
        continue;
      }
      for (const [end, anchor] of [
        [right, 'end'],
        [left, 'start'],
      ] as const) {
        const lx = end[0] + (anchor === 'end' ? -5 : 5);
        const far = lx + (anchor === 'end' ? -wide : wide);
        // Above the higher of the line's heights over its length.
        const ly = Math.min(end[1] + slope * (lx - end[0]), end[1] + slope * (far - end[0])) - 4;
        const box = { left: Math.min(lx, far), right: Math.max(lx, far), top: ly - 10, bottom: ly + 3 };
        if (box.top < inner.top || box.bottom > inner.bottom || taken.some((other) => overlap(other, box))) continue;
        taken.push(box);
        labels.push({ text, x: lx, y: ly, anchor, colour: 'var(--muted)', size: tickSize });
        break;
      }
    }
    labelsGroup
      .selectAll<SVGTextElement, Label>('text')
      .data(labels)
      .join((enter) =>
        enter
          .append('text')
          .attr('paint-order', 'stroke')
          .style('stroke', 'var(--paper)')
          .attr('stroke-width', 3)
          .attr('stroke-linejoin', 'round'),
      )
      .attr('x', (l) => l.x.toFixed(1))
      .attr('y', (l) => l.y.toFixed(1))
      .attr('font-size', (l) => l.size)
      .attr('text-anchor', (l) => l.anchor)
      .style('fill', (l) => l.colour)
      .each(function (l) {
        setMathematics(this, l.text, l.size);
      });
  }

  function drawLegend(entries: LegendEntry[]): void {
    const groups = legendGroup
      .selectAll<SVGGElement, LegendEntry>('g')
      .data(entries)
      .join((enter) => {
        const group = enter.append('g');
        group.append('path').attr('class', 'line');
        group.append('path').attr('class', 'mark');
        group.append('text').attr('x', swatch + 6).attr('y', 4).style('fill', 'var(--ink)');
        return group;
      })
      .attr('transform', (entry) => `translate(${entry.x.toFixed(1)},${entry.y.toFixed(1)})`);
    groups
      .select<SVGPathElement>('path.line')
      .attr('d', ({ curve }) =>
        !curve ? '' : curve.fill !== '' ? `M0,-5H${swatch}V5H0Z` : `M0,0H${swatch - (curve.arrow ? 6 : 0)}`,
      )
      .style('stroke', ({ curve }) => curve?.shown ?? 'none')
      .attr('stroke-width', ({ curve }) => curve?.width ?? 0)
      .attr('stroke-opacity', ({ curve }) => (curve?.pale ? 0.45 : null))
      .attr('stroke-dasharray', ({ curve }) => (curve && curve.dash.length > 0 ? curve.dash.join(' ') : null))
      .style('fill', ({ curve }) => curve?.shownFill ?? 'none')
      .attr('fill-opacity', ({ curve }) => curve?.opacity ?? null);
    groups
      .select<SVGPathElement>('path.mark')
      .attr('d', ({ curve, point }) =>
        point ? forms[point.form] : curve?.arrow ? arrowHead([[0, 0], [swatch, 0]], curve.width) : '',
      )
      .attr('transform', ({ point }) => (point ? `translate(${swatch / 2},0)` : null))
      .style('fill', ({ curve, point }) =>
        point ? (point.form === 'ring' || point.form === 'cross' ? 'none' : point.shown) : (curve?.shown ?? 'none'),
      )
      .style('stroke', ({ point }) => (point && (point.form === 'ring' || point.form === 'cross') ? point.shown : 'none'))
      .attr('stroke-width', 1.5);
    groups.select<SVGTextElement>('text').each(function (entry) {
      setMathematics(this, entry.name, legendSize);
    });
  }

  function draw(): void {
    const document = plot;
    if (!document || !frame || width < 40 || height < 40) return;
    svg.attr('width', width).attr('height', height).attr('viewBox', `0 0 ${width} ${height}`);
    paper.attr('width', width).attr('height', height);
    const entries = layOut(document);
    makeScales(document);
    drawAxes(document);
    drawCurves();
    drawHandles();
    drawPoints();
    drawLabels();
    drawLegend(entries);
    if (stepped >= 0) step(0);
  }

  // ---- what can be dragged ----

  const circle = (r: number) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`;

  function handles(): Handle[] {
    if (!frame?.axes) return [];
    if (kind === 'velocity') {
      const start = points.find((point) => point.name === 'start');
      if (!start) return [];
      const [px, py] = lowered(start.at);
      return [{ change: 'V', path: `M${px},${py}${circle(9)}`, hint: 'drag: velocity before', cursor: 'grab' }];
    }
    if (kind !== 'impulse-plane') return [];
    const out: Handle[] = [];
    const cone = curves.find((curve) => curve.name === 'friction cone');
    for (const curve of curves) {
      if (curve.points.length !== 2) continue;
      const path = open(curve.points) ?? '';
      if (curve.e !== null) out.push({ change: 'e', path, hint: 'drag: $e$', cursor: 'ns-resize' });
      else if (cone && curve.colour === cone.colour && (curve === cone || curve.name === ''))
        out.push({ change: 'mu', path, hint: 'drag: $μ$', cursor: 'ew-resize' });
    }
    return out;
  }

  const dragging = drag<SVGPathElement, Handle>()
    .container(() => svg.node()!)
    .subject((event: { x: number; y: number }) => ({ x: event.x, y: event.y }))
    .on('start', (_event, handle) => {
      if (!frame?.axes) return;
      held = { change: handle.change, ...frame.axes, V: frame.outcome.contact.V };
      svg.classed('held', true);
    })
    .on('drag', (event: D3DragEvent<SVGPathElement, Handle, unknown>) => {
      const change = held && changeAt([x.invert(event.x), y.invert(event.y)]);
      if (change) options.onChange(change);
    })
    .on('end', () => {
      held = null;
      svg.classed('held', false);
      draw();
    });

  /** What a drag to a point of the plot asks for; null beyond what can be asked. */
  function changeAt(p: Vec2): Change | null {
    if (!held || !frame?.axes) return null;
    if (held.change === 'e') {
      const e = restitutionAt(p);
      return { e: Number(Math.min(1, Math.max(0, e)).toFixed(3)) };
    }
    if (held.change === 'mu') return p[1] > 0 ? { mu: Number((Math.abs(p[0]) / p[1]).toPrecision(3)) } : null;
    // The slip goes along −t and keeps its direction; the bodies approach.
    if (p[0] < 0 || p[1] >= 0) return null;
    const { n, t, b, V } = held;
    const across = dot(b, V);
    const scale = Math.max(Math.abs(p[0]), Math.abs(p[1]), Math.hypot(...V));
    const digits = Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(scale))));
    const at = (i: 0 | 1 | 2) => Number((n[i] * p[1] - t[i] * p[0] + b[i] * across).toFixed(digits));
    return { V: [at(0), at(1), at(2)] };
  }

  function drawHandles(): void {
    hitsGroup
      .selectAll<SVGPathElement, Handle>('path')
      .data(handles())
      .join((enter) => enter.append('path').attr('class', 'hit').call(dragging))
      .classed('grip', (handle) => handle.change === 'V')
      .attr('d', (handle) => handle.path)
      .style('cursor', (handle) => handle.cursor);
  }

  // ---- reading values off ----

  function tell(text: string, at: Vec2): void {
    const [px, py] = lowered(at);
    found.attr('visibility', null).attr('cx', px).attr('cy', py);
    const node = tip.attr('hidden', null).node()!;
    if (node.dataset.text !== text) {
      node.dataset.text = text;
      node.replaceChildren(...mathematicsNodes(text));
    }
    const wide = node.offsetWidth;
    node.style.left = `${Math.max(2, px + 12 + wide > width ? px - 12 - wide : px + 12)}px`;
    node.style.top = `${Math.max(2, py - 12 - node.offsetHeight)}px`;
  }

  function hush(): void {
    stepped = -1;
    found.attr('visibility', 'hidden');
    tip.attr('hidden', '');
  }

  const valueText = (name: string, at: Vec2) => {
    const where = plot!.bare ? '' : `${reading(plot!.x_label, at[0])}, ${reading(plot!.y_label, at[1])}`;
    return name !== '' && where !== '' ? `${name}: ${where}` : name + where;
  };

  /** The nearest thing to a place on the page: a point before a curve. */
  function nearest(px: number, py: number): { name: string; at: Vec2 } | null {
    let best: { name: string; at: Vec2 } | null = null;
    let least = 12;
    for (const point of points) {
      const [ax, ay] = lowered(point.at);
      const distance = Math.hypot(ax - px, ay - py);
      if (distance < least && within([ax, ay])) {
        least = distance;
        best = { name: point.name, at: point.at };
      }
    }
    if (best) return best;
    least = 9;
    for (const curve of curves) {
      if (curve.shown === 'none') continue;
      const count = curve.points.length;
      for (let i = 0; i + 1 < count + (curve.closed ? 1 : 0); ++i) {
        const a = lowered(curve.points[i]!);
        const b = lowered(curve.points[(i + 1) % count]!);
        const d: Vec2 = [b[0] - a[0], b[1] - a[1]];
        const length = d[0] * d[0] + d[1] * d[1];
        const s = length > 0 ? Math.min(1, Math.max(0, ((px - a[0]) * d[0] + (py - a[1]) * d[1]) / length)) : 0;
        const at: Vec2 = [a[0] + s * d[0], a[1] + s * d[1]];
        const distance = Math.hypot(at[0] - px, at[1] - py);
        if (distance < least && within(at)) {
          least = distance;
          best = { name: curve.name, at: [x.invert(at[0]), y.invert(at[1])] };
        }
      }
    }
    return best;
  }

  /** To the next point, for who has no pointer. */
  function step(by: -1 | 0 | 1): void {
    if (points.length === 0) return;
    stepped = stepped < 0 ? (by < 0 ? points.length - 1 : 0) : (stepped + by + points.length) % points.length;
    const point = points[stepped];
    if (point) tell(valueText(point.name, point.at), point.at);
  }

  svg.on('pointermove', (event: PointerEvent) => {
    if (!plot || held) return;
    const [px, py] = pointer(event);
    const near = within([px, py]) ? nearest(px, py) : null;
    if (!near) return hush();
    const target = event.target as Element;
    const hint = target.classList.contains('hit') ? (select<Element, Handle>(target).datum().hint ?? '') : '';
    stepped = -1;
    tell(valueText(near.name, near.at) + (hint ? ` (${hint})` : ''), near.at);
  });
  svg.on('pointerleave', () => {
    if (!held) hush();
  });
  svg.on('blur', hush);

  // ---- zoom ----

  const zooming = zoom<SVGSVGElement, unknown>()
    .scaleExtent([0.05, 200])
    .filter((event: MouseEvent | TouchEvent | WheelEvent) => {
      const focused = document.activeElement === svg.node();
      // The page keeps its scrolling: a wheel or one finger zooms only what was chosen before.
      if (event.type === 'wheel') return event.ctrlKey || focused;
      if ('touches' in event) return event.touches.length > 1 || focused;
      return !event.ctrlKey && event.button === 0;
    })
    .on('zoom', (event: D3ZoomEvent<SVGSVGElement, unknown>) => {
      transform = event.transform;
      draw();
    });
  svg.call(zooming).on('dblclick.zoom', null);
  const reset = () => svg.call((s) => zooming.transform(s, zoomIdentity));
  svg.on('dblclick', reset);
  svg.on('keydown', (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const byKey: Record<string, () => void> = {
      '+': () => svg.call((s) => zooming.scaleBy(s, 1.25)),
      '=': () => svg.call((s) => zooming.scaleBy(s, 1.25)),
      '-': () => svg.call((s) => zooming.scaleBy(s, 0.8)),
      Home: reset,
      ArrowRight: () => step(1),
      ArrowDown: () => step(1),
      ArrowLeft: () => step(-1),
      ArrowUp: () => step(-1),
      Escape: hush,
    };
    const act = byKey[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- the view ----

  function describe(document: PlotDocument): void {
    const names = [
      ...new Set([...document.curves, ...document.points].map((item) => plainText(item.name)).filter((n) => n !== '')),
    ];
    const text = `${options.label}${names.length > 0 ? `: ${names.join(', ')}` : ''}. Arrow keys step through the points.`;
    if (svg.attr('aria-label') !== text) svg.attr('aria-label', text);
  }

  function refresh(): void {
    if (!frame) return;
    if (width < 40 || height < 40) {
      pending = true;
      return;
    }
    pending = false;
    const answer = frame.engine.plot(frame.text, kind, lawsOf(kind, frame));
    if (refused(answer)) {
      plot = null;
      curves = [];
      points = [];
      hush();
      message.attr('hidden', null).text(`${answer.error.field === '' ? '' : `${answer.error.field}: `}${answer.error.message}`);
      svg.attr('display', 'none');
      return;
    }
    message.attr('hidden', '');
    svg.attr('display', null);
    plot = answer;
    take(answer, frame);
    draw();
    describe(answer);
  }

  const sizes = new ResizeObserver(() => {
    const node = root.node()!;
    const [w, h] = [Math.floor(node.clientWidth), Math.floor(node.clientHeight)];
    if (w === width && h === height) return;
    width = w;
    height = h;
    zooming.extent([
      [0, 0],
      [w, h],
    ]);
    if (pending) refresh();
    else draw();
  });
  sizes.observe(root.node()!);
  width = Math.floor(root.node()!.clientWidth);
  height = Math.floor(root.node()!.clientHeight);

  function svgText(): string {
    const copy = svg.node()!.cloneNode(true) as SVGSVGElement;
    copy.querySelectorAll('.screen').forEach((node) => node.remove());
    for (const name of ['tabindex', 'class', 'display', 'style', 'aria-label']) copy.removeAttribute(name);
    copy.querySelectorAll('[data-runs]').forEach((node) => node.removeAttribute('data-runs'));
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = plot?.title ? plainText(plot.title) : options.label;
    copy.prepend(title);
    if (!plot) {
      const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      text.setAttribute('x', '16');
      text.setAttribute('y', '28');
      text.setAttribute('style', 'fill: var(--ink)');
      text.textContent = message.text();
      copy.append(text);
    }
    const text = new XMLSerializer().serializeToString(copy);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${resolveVariables(text, svg.node()!)}\n`;
  }

  return {
    update(next) {
      if (frame?.dark !== next.dark) setHair(root.node()!);
      frame = next;
      refresh();
    },
    svg: svgText,
    async png() {
      const image = new Image();
      const address = URL.createObjectURL(new Blob([svgText()], { type: 'image/svg+xml' }));
      try {
        image.src = address;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = 2 * width;
        canvas.height = 2 * height;
        canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
        return await new Promise<Blob>((resolve, reject) =>
          canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))), 'image/png'),
        );
      } finally {
        URL.revokeObjectURL(address);
      }
    },
    dispose() {
      sizes.disconnect();
      root.remove();
    },
  };
}
