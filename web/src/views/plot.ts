/** Any plot of the library, drawn by d3 in SVG. What is drawn is decided by the library; here is how, and what can be
 *  dragged. */

import { axisBottom, axisLeft, type Axis } from 'd3-axis';
import { drag, type D3DragEvent } from 'd3-drag';
import { scaleLinear, scaleLog, type ScaleContinuousNumeric } from 'd3-scale';
import { pointer, select } from 'd3-selection';
import { line as lineShape } from 'd3-shape';
import { zoom, zoomIdentity, type D3ZoomEvent } from 'd3-zoom';
import type { PlotDocument, PlotKind, PlotPoint, Vec2, Vec3 } from '../documents';
import { resolveVariables, setHair } from './colour';
import { mathematicsNodes, plainText, sans, setMathematics } from './mathematics';
import { shortNumber, tickSpecifier } from './numbers';
import { contentOf, type DrawnCurve, type DrawnPoint, type PlotContent } from './plot_content';
import { placeLabels, textSize, type Label } from './plot_labels';
import { layOut, legendSize, rangeOf, swatch, type Box, type LegendEntry, type Range } from './plot_layout';
import { put, putStyle } from './put';
import { restitutionAt } from './section';
import { distance, dot } from './vectors';
import { refused, type Change, type Frame, type View, type ViewOptions } from './view';
import './views.css';

export interface PlotOptions extends ViewOptions {
  kind: PlotKind;
  /** Says what the view is, to who cannot see it. */
  label: string;
}

type Scale = ScaleContinuousNumeric<number, number>;

/** A line or a point that can be taken hold of. */
interface Handle {
  change: 'mu' | 'e' | 'V';
  path: string;
  hint: string;
  cursor: string;
}

const tickSize = 11;

/** Marks of about the same weight, around (0, 0). */
const forms: Record<PlotPoint['form'], string> = {
  disc: 'M-3.4,0a3.4,3.4 0 1,0 6.8,0a3.4,3.4 0 1,0 -6.8,0z',
  ring: 'M-3.2,0a3.2,3.2 0 1,0 6.4,0a3.2,3.2 0 1,0 -6.4,0z',
  square: 'M-3,-3h6v6h-6z',
  diamond: 'M0,-4.4l4.4,4.4l-4.4,4.4l-4.4,-4.4z',
  cross: 'M-3.3,-3.3l6.6,6.6M3.3,-3.3l-6.6,6.6',
};

/** The head of an arrow at the end of a line, on the page. */
function arrowHead(points: Vec2[], width: number): string {
  const tip = points.at(-1);
  if (!tip) return '';
  const length = 4 + 2.5 * width;
  for (let i = points.length - 2; i >= 0; --i) {
    const [x, y] = points[i]!;
    const far = distance([x, y], tip);
    // From the last point that lies far enough back to give the head a direction.
    if (far < 0.5 * length && i > 0) continue;
    if (far < 1e-6) return '';
    const dx = ((tip[0] - x) / far) * length;
    const dy = ((tip[1] - y) / far) * length;
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
  let { curves, points }: PlotContent = { curves: [], points: [] };
  let width = 0;
  let height = 0;
  let pending = false;
  let transform = zoomIdentity;
  let x: Scale = scaleLinear();
  let y: Scale = scaleLinear();
  let base: Range | null = null;
  let inner: Box = { left: 0, top: 0, right: 0, bottom: 0 };
  let stepped = -1;
  /** What is being dragged: meanwhile the axes stand still, and directions are those from where the drag began. */
  let held: { change: Handle['change']; n: Vec3; t: Vec3; b: Vec3; V: Vec3 } | null = null;

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
      log ? scaleLog([10 ** low[i], 10 ** high[i]], range) : scaleLinear([low[i], high[i]], range);
    x = transform.rescaleX(scale(0, document.x_log, [inner.left, inner.right]));
    y = transform.rescaleY(scale(1, document.y_log, [inner.bottom, inner.top]));
  }

  // ---- drawing ----

  const onPage = (p: Vec2): Vec2 => [x(p[0]), y(p[1])];
  const finite = (p: Vec2) => Number.isFinite(x(p[0])) && Number.isFinite(y(p[1]));

  /** Whether a part has to be drawn again. */
  function changed(part: string, looks: unknown): boolean {
    const now = JSON.stringify(looks);
    if (drawn.get(part) === now) return false;
    drawn.set(part, now);
    return true;
  }
  const drawn = new Map<string, string>();

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
      const size = Math.max(...scale.domain().map(Math.abs));
      const written = scale.tickFormat(count, tickSpecifier(size));
      // A comma could be a decimal sign; a thin space cannot.
      axis.tickValues(scale.ticks(count)).tickFormat((v) => (v === 0 ? '0' : written(v).replaceAll(',', '\u2009')));
    }
    group.call(axis);
    group.attr('font-family', sans).attr('font-size', tickSize);
    group.select('.domain').attr('stroke', 'none');
    group.selectAll('.tick line').attr('stroke', null).style('stroke', 'var(--muted)').attr('stroke-width', 0.8);
    group.selectAll('.tick text').attr('fill', null).style('fill', 'var(--muted)');
  }

  function drawAxes(document: PlotDocument): void {
    const { bare, x_log, y_log, x_label, y_label } = document;
    if (!changed('axes', [inner, x.domain(), y.domain(), bare, x_log, y_log, x_label, y_label])) return;
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
      .call(put('d', (c) => (open(c.points) ?? '') + (c.closed && c.points.length > 1 ? 'Z' : '')))
      .call(putStyle('stroke', (c) => c.shown))
      .call(put('stroke-width', (c) => c.width))
      .call(put('stroke-opacity', (c) => (c.pale ? 0.45 : null)))
      .call(put('stroke-dasharray', (c) => (c.dash.length > 0 ? c.dash.join(' ') : null)))
      .call(putStyle('fill', (c) => c.shownFill))
      .call(put('fill-opacity', (c) => (c.fill === '' ? null : c.opacity)));
    curvesGroup
      .selectAll<SVGPathElement, DrawnCurve>('path.arrow')
      .data(curves.filter((c) => c.arrow))
      .join((enter) => enter.append('path').attr('class', 'arrow'))
      .call(put('d', (c) => arrowHead(c.points.map(onPage), c.width)))
      .call(putStyle('fill', (c) => c.shown));
  }

  const within = ([px, py]: Vec2, air = 1) =>
    px >= inner.left - air && px <= inner.right + air && py >= inner.top - air && py <= inner.bottom + air;

  function drawPoints(): void {
    pointsGroup
      .selectAll<SVGPathElement, DrawnPoint>('path')
      .data(points)
      .join('path')
      .call(put('transform', (p) => `translate(${x(p.at[0]).toFixed(2)},${y(p.at[1]).toFixed(2)})`))
      .call(put('d', (p) => forms[p.form]))
      .call(put('display', (p) => (p.dot && within(onPage(p.at)) ? null : 'none')))
      .call(putStyle('fill', (p) => (p.form === 'ring' ? 'var(--paper)' : p.form === 'cross' ? 'none' : p.shown)))
      .call(putStyle('stroke', (p) => (p.form === 'ring' || p.form === 'cross' ? p.shown : 'var(--paper)')))
      .call(put('stroke-width', (p) => (p.form === 'ring' || p.form === 'cross' ? 1.5 : 0.7)));
  }

  function drawLabels(): void {
    labelsGroup
      .selectAll<SVGTextElement, Label>('text')
      .data(placeLabels({ curves, points }, inner, onPage))
      .join((enter) =>
        enter
          .append('text')
          .attr('paint-order', 'stroke')
          .style('stroke', 'var(--paper)')
          .attr('stroke-linejoin', 'round'),
      )
      .call(
        put(
          'transform',
          (l) => `translate(${l.x.toFixed(1)},${l.y.toFixed(1)})${l.turn ? ` rotate(${l.turn.toFixed(1)})` : ''}`,
        ),
      )
      .call(put('font-size', (l) => l.size))
      .call(put('text-anchor', (l) => l.anchor))
      .call(put('stroke-width', (l) => l.halo))
      .call(putStyle('fill', (l) => l.colour))
      .each(function (l) {
        setMathematics(this, l.text, l.size);
      });
  }

  function drawLegend(entries: LegendEntry[]): void {
    const looks = entries.map(({ name, x, y, curve, point }) => [
      [
        name,
        x,
        y,
        curve?.shown,
        curve?.shownFill,
        curve?.width,
        curve?.dash,
        curve?.opacity,
        curve?.arrow,
        curve?.pale,
      ],
      [point?.shown, point?.form],
    ]);
    if (!changed('legend', looks)) return;
    const groups = legendGroup
      .selectAll<SVGGElement, LegendEntry>('g')
      .data(entries)
      .join((enter) => {
        const group = enter.append('g');
        group.append('path').attr('class', 'line');
        group.append('path').attr('class', 'mark');
        group
          .append('text')
          .attr('x', swatch + 6)
          .attr('y', 4)
          .style('fill', 'var(--ink)');
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
        point
          ? forms[point.form]
          : curve?.arrow
            ? arrowHead(
                [
                  [0, 0],
                  [swatch, 0],
                ],
                curve.width,
              )
            : '',
      )
      .attr('transform', ({ point }) => (point ? `translate(${swatch / 2},0)` : null))
      .style('fill', ({ curve, point }) =>
        point ? (point.form === 'ring' || point.form === 'cross' ? 'none' : point.shown) : (curve?.shown ?? 'none'),
      )
      .style('stroke', ({ point }) =>
        point && (point.form === 'ring' || point.form === 'cross') ? point.shown : 'none',
      )
      .attr('stroke-width', 1.5);
    groups.select<SVGTextElement>('text').each(function (entry) {
      setMathematics(this, entry.name, legendSize);
    });
  }

  function draw(): void {
    const document = plot;
    if (!document || !frame || width < 40 || height < 40) return;
    if (changed('size', [width, height])) {
      svg.attr('width', width).attr('height', height).attr('viewBox', `0 0 ${width} ${height}`);
      paper.attr('width', width).attr('height', height);
    }
    let entries: LegendEntry[];
    ({ inner, entries } = layOut(document.bare, { curves, points }, width, height));
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
      const [px, py] = onPage(start.at);
      return [{ change: 'V', path: `M${px},${py}${circle(9)}`, hint: 'drag: velocity before', cursor: 'grab' }];
    }
    if (kind !== 'impulse-plane') return [];
    const out: Handle[] = [];
    const cone = curves.find((curve) => curve.name === 'friction cone');
    for (const curve of curves) {
      if (curve.points.length !== 2) continue;
      const [a, b] = curve.points.map(onPage) as [Vec2, Vec2];
      if (curve.e !== null) {
        out.push({ change: 'e', path: `M${a}L${b}`, hint: 'drag: $e$', cursor: 'ns-resize' });
      } else if (cone && curve.colour === cone.colour && (curve === cone || curve.name === '')) {
        // Not from the very tip, where a hand's breadth is every coefficient there is.
        const s = Math.min(0.5, 30 / distance(a, b));
        const from: Vec2 = [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
        out.push({ change: 'mu', path: `M${from}L${b}`, hint: 'drag: $μ$', cursor: 'ew-resize' });
      }
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
      const e = restitutionAt(frame, p);
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
      .call(put('d', (handle) => handle.path))
      .style('cursor', (handle) => handle.cursor);
  }

  // ---- reading values off ----

  function tell(text: string, at: Vec2): void {
    const [px, py] = onPage(at);
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
      const [ax, ay] = onPage(point.at);
      const off = Math.hypot(ax - px, ay - py);
      if (off < least && within([ax, ay])) {
        least = off;
        best = { name: point.name, at: point.at };
      }
    }
    if (best) return best;
    least = 9;
    for (const curve of curves) {
      if (curve.shown === 'none') continue;
      const count = curve.points.length;
      for (let i = 0; i + 1 < count + (curve.closed ? 1 : 0); ++i) {
        const a = onPage(curve.points[i]!);
        const b = onPage(curve.points[(i + 1) % count]!);
        const d: Vec2 = [b[0] - a[0], b[1] - a[1]];
        const length = d[0] * d[0] + d[1] * d[1];
        const s = length > 0 ? Math.min(1, Math.max(0, ((px - a[0]) * d[0] + (py - a[1]) * d[1]) / length)) : 0;
        const at: Vec2 = [a[0] + s * d[0], a[1] + s * d[1]];
        const off = distance(at, [px, py]);
        if (off < least && within(at)) {
          least = off;
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
      message
        .attr('hidden', null)
        .text(`${answer.error.field === '' ? '' : `${answer.error.field}: `}${answer.error.message}`);
      svg.style('visibility', 'hidden');
      return;
    }
    message.attr('hidden', '');
    svg.style('visibility', null);
    plot = answer;
    ({ curves, points } = contentOf(answer, kind, frame));
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
    const copy = svg.node()!.cloneNode(plot !== null) as SVGSVGElement;
    copy.querySelectorAll('.screen').forEach((node) => node.remove());
    for (const name of ['tabindex', 'class', 'display', 'style', 'aria-label']) copy.removeAttribute(name);
    copy.querySelectorAll('[data-runs]').forEach((node) => node.removeAttribute('data-runs'));
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = plot?.title ? plainText(plot.title) : options.label;
    copy.prepend(title);
    if (!plot) {
      // What the library refused to draw, and why.
      const why = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      why.setAttribute('x', '16');
      why.setAttribute('y', '28');
      why.setAttribute('style', 'fill: var(--ink)');
      why.textContent = message.text();
      copy.append(why);
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
          canvas.toBlob(
            (blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))),
            'image/png',
          ),
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
