/** Any plot of the library. The library decides what is drawn and where (docs/explorer.md, `plot`); here it becomes SVG in
 *  the colours of the theme, and can be zoomed, read and dragged. Every zoom and every move of a drag asks the library for
 *  the picture again, so that there is one layout and not two. */

import { drag, type D3DragEvent } from 'd3-drag';
import { pointer, select, type Selection } from 'd3-selection';
import { zoom, zoomIdentity, type D3ZoomEvent } from 'd3-zoom';
import type { Pane, PlotAxis, PlotCurve, PlotDocument, PlotDot, PlotKind, PlotLine, PlotText, Vec2 } from '../documents';
import { plainDefinition, termOf } from '../explain';
import { resolveVariables, setHair, themed } from './colour';
import { mathematicsNodes, plainText, sans, setMathematics, textWidth } from './mathematics';
import { shortNumber } from './numbers';
import { put, putStyle } from './put';
import { above } from './tip';
import { distance, dot } from './vectors';
import { refused, type Cursor, type Frame, type View, type ViewOptions } from './view';
import './views.css';

export interface PlotOptions extends ViewOptions {
  kind: PlotKind;
  /** What the view is, for readers that cannot see it. */
  label: string;
}

/** A line or a point that can be dragged. */
interface Handle {
  change: 'mu' | 'e' | 'V';
  path: string;
  hint: string;
  cursor: string;
}

const pathOf = (points: Vec2[], closed: boolean) =>
  points.length === 0 ? '' : `M${points.map(([x, y]) => `${x},${y}`).join('L')}${closed && points.length > 1 ? 'Z' : ''}`;

/** A mark around (0, 0). */
function markPath({ form, radius: r }: PlotDot): string {
  switch (form) {
    case 'square':
      return `M${-r},${-r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 'diamond':
      return `M0,${-1.3 * r}l${1.3 * r},${1.3 * r}l${-1.3 * r},${1.3 * r}l${-1.3 * r},${-1.3 * r}z`;
    case 'cross':
      return `M${-r},${-r}l${2 * r},${2 * r}M${r},${-r}l${-2 * r},${2 * r}`;
    default:
      return circle(r);
  }
}

const circle = (r: number) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`;

/** P·t = 1.2 N s from an axis that is called "impulse, $P·t$ [N s]". */
function reading({ label }: PlotAxis, value: number): string {
  const symbol = /\$[^$]+\$/.exec(label)?.[0];
  const unit = /\[([^\]]+)\]/.exec(label)?.[1];
  return `${symbol ? `${symbol} = ` : ''}${shortNumber(value)}${unit ? ` ${unit}` : ''}`;
}

/** Which laws are asked for in a plot. */
function lawsOf(kind: PlotKind, frame: Frame): string[] {
  if (kind === 'impulse-plane' || kind === 'impulse-solid') return frame.answers.map((answer) => answer.law);
  if (kind === 'process' || kind === 'forces') return [];
  return [frame.focus];
}

/** Whether a range of the axes is not just another one after a drag. */
function isElsewhere(now: PlotDocument['range'], before: PlotDocument['range']): boolean {
  return ([0, 1] as const).some((i) => {
    const [size, old] = [now.high[i] - now.low[i], before.high[i] - before.low[i]];
    const shift = Math.abs(now.high[i] + now.low[i] - before.high[i] - before.low[i]) / 2;
    return size > 1.7 * old || size < 0.55 * old || shift > 0.6 * old;
  });
}

let views = 0;
let alphabet: number | undefined;

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
    .style('font-variant-numeric', 'tabular-nums');
  const clipFrame = svg.append('clipPath').attr('id', clipId).append('rect');
  const linesGroup = svg.append('g').attr('pointer-events', 'none');
  const curvesGroup = svg.append('g').attr('clip-path', `url(#${clipId})`);
  const ghostGroup = svg.append('g').attr('class', 'ghost').attr('clip-path', `url(#${clipId})`).attr('pointer-events', 'none');
  const hitsGroup = svg.append('g').attr('class', 'screen').attr('clip-path', `url(#${clipId})`);
  const dotsGroup = svg.append('g').attr('pointer-events', 'none');
  const textsGroup = svg.append('g').attr('pointer-events', 'none');
  const cursorGroup = svg.append('g').attr('class', 'screen cursor').attr('clip-path', `url(#${clipId})`).attr('pointer-events', 'none');
  const found = svg.append('circle').attr('class', 'screen found').attr('r', 6).attr('visibility', 'hidden');
  const tip = root.append('div').attr('class', 'view-tip').attr('role', 'status').attr('hidden', '');
  const message = root.append('div').attr('class', 'view-message').attr('role', 'status').attr('hidden', '');

  let frame: Frame | null = null;
  let plot: PlotDocument | null = null;
  let width = 0;
  let height = 0;
  let transform = zoomIdentity;
  let stepped = -1;
  /** The axes when it was zoomed: a zoom says nothing about a collision of another size. */
  let zoomedAt: PlotDocument['range'] | null = null;
  let cursor: Cursor | null = null;
  /** What is being dragged: meanwhile the axes stand still, and directions are those where the drag began. */
  let held: { change: Handle['change']; text: string; range: PlotDocument['range'] } | null = null;

  // ---- drawing ----

  /** A law has one colour on the whole page; other colours are those of print, made to suit the theme. */
  const shown = (colour: string, law: string): string =>
    colour === '' ? 'none' : law !== '' ? frame!.colour(law) : themed(colour, frame!.dark);

  function drawLines<T extends PlotLine>(group: Selection<SVGGElement, unknown, null, undefined>, lines: T[]): void {
    group
      .selectAll<SVGPathElement, T>('path.line')
      .data(lines)
      .join((enter) => enter.append('path').attr('class', 'line').attr('stroke-linejoin', 'round'))
      .call(put('d', (line) => pathOf(line.points, line.closed)))
      .call(putStyle('stroke', (line) => shown(line.colour, line.law)))
      .call(put('stroke-width', (line) => line.width))
      .call(put('stroke-dasharray', (line) => (line.dash.length > 0 ? line.dash.join(' ') : null)))
      .call(putStyle('fill', (line) => shown(line.fill, line.law)))
      .call(put('fill-opacity', (line) => (line.fill === '' ? null : line.opacity)));
    group
      .selectAll<SVGPathElement, T>('path.head')
      .data(lines.filter((line) => line.head.length > 0))
      .join((enter) => enter.append('path').attr('class', 'head'))
      .call(put('d', (line) => pathOf(line.head, true)))
      .call(putStyle('fill', (line) => shown(line.colour, line.law)));
  }

  function drawDots(dots: PlotDot[]): void {
    const hollow = (dot: PlotDot) => dot.form === 'ring' || dot.form === 'cross';
    dotsGroup
      .selectAll<SVGPathElement, PlotDot>('path')
      .data(dots)
      .join('path')
      .call(put('transform', ({ at: [x, y] }) => `translate(${x},${y})`))
      .call(put('d', markPath))
      .call(putStyle('fill', (dot) => (dot.form === 'ring' ? 'var(--paper)' : dot.form === 'cross' ? 'none' : shown(dot.colour, dot.law))))
      .call(putStyle('stroke', (dot) => (hollow(dot) ? shown(dot.colour, dot.law) : 'var(--paper)')))
      .call(put('stroke-width', (dot) => (hollow(dot) ? 1.5 : 0.7)));
  }

  function drawTexts(texts: PlotText[]): void {
    textsGroup
      .selectAll<SVGTextElement, PlotText>('text')
      .data(texts)
      .join((enter) => enter.append('text').attr('paint-order', 'stroke').attr('stroke-width', 3.6).attr('stroke-linejoin', 'round'))
      .call(put('transform', ({ at: [x, y], turn }) => `translate(${x},${y})${turn ? ` rotate(${turn})` : ''}`))
      .call(put('font-size', (text) => text.size))
      .call(put('text-anchor', (text) => text.anchor))
      .call(putStyle('stroke', (text) => (text.clear ? 'var(--paper)' : 'none')))
      .call(putStyle('fill', (text) => shown(text.colour, '')))
      .each(function (text) {
        setMathematics(this, text.text, text.size);
        explain(this, text);
      });
  }

  /** What the text stands for is shown on hover. */
  function explain(node: SVGTextElement, text: PlotText): void {
    const { term, law } = explanationOf(text);
    const key = term || law;
    if ((node.dataset['term'] ?? node.dataset['explainLaw'] ?? '') === key) return;
    for (const name of ['data-term', 'data-explain-law', 'pointer-events']) node.removeAttribute(name);
    if (key === '') return;
    node.setAttribute(term === '' ? 'data-explain-law' : 'data-term', key);
    node.setAttribute('pointer-events', 'auto');
  }

  const known = new Map<string, { term: string; law: string }>();

  /** What a text is about. Those on the curves are named by the points and lines that they stand at. */
  function explanationOf({ text, at }: PlotText): { term: string; law: string } {
    if (!plot || within(plot, at)) return { term: '', law: '' };
    let found = known.get(text);
    if (!found) {
      const name = text.replace(/ ∗$/, '');
      const law = frame!.engine.laws.some((one) => one.name === name) ? name : '';
      found = { term: law === '' ? termOf(text) : '', law };
      if (known.size > 200) known.clear(); // ticks are other ones in every picture
      known.set(text, found);
    }
    return found;
  }

  function draw(document: PlotDocument): void {
    svg.call(put('width', () => width)).call(put('height', () => height));
    svg.call(put('viewBox', () => `0 0 ${width} ${height}`));
    const { low, high } = document.frame;
    clipFrame
      .call(put('x', () => low[0]))
      .call(put('y', () => low[1]))
      .call(put('width', () => high[0] - low[0]))
      .call(put('height', () => high[1] - low[1]));
    drawLines(linesGroup, document.lines);
    drawLines(curvesGroup, document.curves);
    drawHandles(document);
    drawDots(document.dots);
    drawTexts(document.texts);
    drawGhost(document);
    drawCursor();
    if (stepped >= 0) step(0);
  }

  /** Values at which the impact is now, and whether a line marks the first of them. */
  function cursorPlaces({ P, V, normalWork, frictionWork, at, over }: Cursor): { values: Vec2[]; line: boolean } {
    const { n, t } = frame!.axes;
    if (kind === 'impulse-plane' || kind === 'process') return { values: [[dot(t, P), dot(n, P)]], line: false };
    if (kind === 'velocity') return { values: [[-dot(t, V), dot(n, V)]], line: false };
    if (kind === 'energy')
      return { values: [normalWork, frictionWork, normalWork + frictionWork].map((work): Vec2 => [dot(n, P), work]), line: true };
    if (kind === 'forces' && over === 'time') return { values: [[at, 0]], line: true };
    return { values: [], line: false };
  }

  let pinned: { key: string; plot: PlotDocument | null } = { key: '', plot: null };

  /** The same plot of what is pinned, brought to the axes of this one. */
  function drawGhost(document: PlotDocument): void {
    const { ghost } = frame!;
    if (!ghost && pinned.key === '') return;
    const laws = lawsOf(kind, frame!);
    const key = ghost ? [ghost.text, width, height, ...laws].join('|') : '';
    if (pinned.key !== key) {
      const answer = ghost && laws.length + Number(kind === 'process' || kind === 'forces') > 0 ? ghost.engine.plot(ghost.text, kind, laws, [], { ...paneOf(), zoom: 1, shift: [0, 0], range: null }) : null;
      pinned = { key, plot: answer && !refused(answer) ? answer : null };
    }
    const old = pinned.plot;
    const moved = (place: Vec2) => pageOf(document, valuesAt(old!, place));
    const wanted = ({ law, colour, points, handle }: PlotCurve) =>
      colour !== '' && points.length > 1 && (kind !== 'impulse-plane' || law !== '' || handle === 'mu');
    const curves = old ? old.curves.filter(wanted).map((curve) => ({ ...curve, points: curve.points.map(moved), head: curve.head.map(moved), fill: '', dash: [2, 3] })) : [];
    drawLines(ghostGroup, curves);
    ghostGroup
      .selectAll<SVGPathElement, PlotDot>('path.dot')
      .data(old ? old.dots.filter(({ law, at }) => (kind !== 'impulse-plane' || law !== '') && within(old, at)) : [])
      .join((enter) => enter.append('path').attr('class', 'dot'))
      .call(put('transform', ({ at }) => `translate(${moved(at).join(',')})`))
      .call(put('d', markPath))
      .call(putStyle('fill', () => 'none'))
      .call(putStyle('stroke', (dot) => shown(dot.colour, dot.law)));
  }

  function drawCursor(): void {
    if (!cursor && !cursorGroup.node()!.hasChildNodes()) return;
    const shownPlaces = cursor && plot && !plot.bare ? cursorPlaces(cursor) : { values: [], line: false };
    const places = shownPlaces.values.map((value) => pageOf(plot!, value));
    const colour = cursor && frame ? frame.colour(cursor.law) : 'none';
    cursorGroup
      .selectAll<SVGLineElement, Vec2>('line')
      .data(shownPlaces.line ? places.slice(0, 1) : [])
      .join('line')
      .call(put('x1', ([x]) => x))
      .call(put('x2', ([x]) => x))
      .call(put('y1', () => plot!.frame.low[1]))
      .call(put('y2', () => plot!.frame.high[1]));
    cursorGroup
      .selectAll<SVGCircleElement, Vec2>('circle')
      .data(kind === 'forces' ? [] : places)
      .join((enter) => enter.append('circle').attr('r', 6))
      .call(put('cx', ([x]) => x))
      .call(put('cy', ([, y]) => y))
      .call(putStyle('fill', () => colour));
  }

  /** Where values are on the page. */
  function pageOf({ frame: { low, high }, x, y }: PlotDocument, value: Vec2): Vec2 {
    const share = (axis: PlotAxis, v: number) => ((axis.log ? Math.log10(v) : v) - axis.low) / (axis.high - axis.low);
    return [low[0] + share(x, value[0]) * (high[0] - low[0]), high[1] - share(y, value[1]) * (high[1] - low[1])];
  }

  /** The value at a place of the page, along one axis. */
  function valueAt(document: PlotDocument, i: 0 | 1, page: number): number {
    const { low, high } = document.frame;
    const axis = i === 0 ? document.x : document.y;
    const share = (page - low[i]) / (high[i] - low[i]);
    const value = axis.low + (i === 0 ? share : 1 - share) * (axis.high - axis.low);
    return axis.log ? 10 ** value : value;
  }
  const valuesAt = (document: PlotDocument, [px, py]: Vec2): Vec2 => [valueAt(document, 0, px), valueAt(document, 1, py)];

  const within = ({ frame: { low, high } }: PlotDocument, [px, py]: Vec2) =>
    px >= low[0] - 1 && px <= high[0] + 1 && py >= low[1] - 1 && py <= high[1] + 1;

  // ---- what can be dragged ----

  const hints = { e: 'drag: $e$', mu: 'drag: $μ$', V: 'drag: velocity before' } as const;
  const cursors = { e: 'ns-resize', mu: 'ew-resize', V: 'grab' } as const;

  function handlePath(curve: PlotCurve): string {
    const [a, b] = curve.points;
    if (curve.handle !== 'mu' || !a || !b) return pathOf(curve.points, curve.closed);
    // Not from the tip of the cone, where a few pixels are every coefficient there is.
    const s = Math.min(0.5, 30 / distance(a, b));
    return pathOf([[a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])], b], false);
  }

  function drawHandles(document: PlotDocument): void {
    const handles: Handle[] = [];
    const add = (change: Handle['change'] | '', path: string) => {
      if (change !== '') handles.push({ change, path, hint: hints[change], cursor: cursors[change] });
    };
    for (const curve of document.curves) add(curve.handle, handlePath(curve));
    for (const { handle, at } of document.points) add(handle, `M${at[0]},${at[1]}${circle(9).replace('M', 'm')}`);
    hitsGroup
      .selectAll<SVGPathElement, Handle>('path')
      .data(handles)
      .join((enter) => enter.append('path').attr('class', 'hit').call(dragging))
      .classed('grip', (handle) => handle.change === 'V')
      .call(put('d', (handle) => handle.path))
      .style('cursor', (handle) => handle.cursor);
  }

  const fingers = ({ sourceEvent }: { sourceEvent: unknown }) => (sourceEvent as TouchEvent).touches?.length ?? 1;
  const dragging = drag<SVGPathElement, Handle>()
    // Two fingers zoom, wherever they are.
    .filter((event: MouseEvent | TouchEvent) => ('touches' in event ? event.touches.length === 1 : !event.ctrlKey && event.button === 0))
    .container(() => svg.node()!)
    .subject((event: { x: number; y: number }) => ({ x: event.x, y: event.y }))
    .on('start', (_event, { change }) => {
      if (!frame || !plot) return;
      hush();
      held = { change, text: frame.text, range: plot.range };
      svg.classed('held', true);
    })
    .on('drag', (event: D3DragEvent<SVGPathElement, Handle, unknown>) => {
      if (!held || !plot || !frame || fingers(event) > 1) return;
      const change = frame.engine.drag(held.text, held.change, valuesAt(plot, [event.x, event.y]));
      if (refused(change) || Object.keys(change).length === 0) return;
      options.onChange(change);
      const { e, mu, V } = change;
      const value = e !== undefined ? `$e$ = ${e}` : mu !== undefined ? `$μ$ = ${mu}` : `$V$ = (${V!.map((v) => shortNumber(v)).join(', ')}) m/s`;
      tell(value, [event.x, event.y], false);
    })
    .on('end', () => {
      held = null;
      hush();
      svg.classed('held', false);
      refresh();
    });

  // ---- reading values off ----

  function tell(text: string, [px, py]: Vec2, ringed = true): void {
    found.attr('visibility', ringed ? null : 'hidden').attr('cx', px).attr('cy', py);
    const node = tip.attr('hidden', null).node()!;
    if (node.dataset.text !== text) {
      node.dataset.text = text;
      node.replaceChildren(...mathematicsNodes(text));
    }
    const wide = node.offsetWidth;
    node.style.left = `${Math.max(2, px + 12 + wide > width ? px - 12 - wide : px + 12)}px`;
    node.style.top = `${above(py, node.offsetHeight, height)}px`;
  }

  function hush(): void {
    stepped = -1;
    found.attr('visibility', 'hidden');
    tip.attr('hidden', '');
  }

  const valueText = (document: PlotDocument, name: string, value: Vec2) => {
    const meanings = name.split(', $').flatMap((part, i) => plainDefinition(termOf(i === 0 ? part : `$${part}`)) || []);
    const definition = meanings.length === 0 ? '' : `. ${meanings.join(' ')}`;
    const where = document.bare ? '' : `${reading(document.x, value[0])}, ${reading(document.y, value[1])}`;
    return (name !== '' && where !== '' ? `${name}: ${where}` : name + where) + definition;
  };

  /** The nearest thing to a place on the page: a point before a curve. */
  function nearest(document: PlotDocument, place: Vec2): { name: string; at: Vec2; value: Vec2 } | null {
    let best: { name: string; at: Vec2; value: Vec2 } | null = null;
    let least = 12;
    for (const point of document.points) {
      const off = distance(point.at, place);
      if (off < least && within(document, point.at)) {
        least = off;
        best = point;
      }
    }
    if (best) {
      // What lies at the same place is hidden by it on the screen, but not from who asks.
      const names = document.points.filter(({ name, at }) => name !== '' && distance(at, best!.at) < 1.5).map(({ name }) => name);
      return { ...best, name: [...new Set(names)].join(', ') };
    }
    least = 9;
    for (const { points, closed, colour, name } of document.curves) {
      if (colour === '') continue;
      for (let i = 0; i + 1 < points.length + (closed ? 1 : 0); ++i) {
        const a = points[i]!;
        const b = points[(i + 1) % points.length]!;
        const d: Vec2 = [b[0] - a[0], b[1] - a[1]];
        const length = d[0] * d[0] + d[1] * d[1];
        const along = (place[0] - a[0]) * d[0] + (place[1] - a[1]) * d[1];
        const s = length > 0 ? Math.min(1, Math.max(0, along / length)) : 0;
        const at: Vec2 = [a[0] + s * d[0], a[1] + s * d[1]];
        const off = distance(at, place);
        if (off < least && within(document, at)) {
          least = off;
          best = { name, at, value: valuesAt(document, at) };
        }
      }
    }
    return best;
  }

  /** To the next point by keyboard, and then to the names at axes and in the legend. */
  function step(by: -1 | 0 | 1): void {
    if (!plot) return;
    const { points } = plot;
    const names = plot.texts.filter((text) => explanationOf(text).term !== '');
    const count = points.length + names.length;
    if (count === 0) return;
    stepped = stepped < 0 ? (by < 0 ? count - 1 : 0) : (stepped + by + count) % count;
    const point = points[stepped];
    const name = names[stepped - points.length];
    if (point) tell(valueText(plot, point.name, point.value), point.at);
    else if (name) tell(`${name.text}. ${plainDefinition(termOf(name.text))}`, name.at, false);
  }

  function read(event: PointerEvent): void {
    if (!plot || held) return;
    const place = pointer(event);
    const near = within(plot, place) ? nearest(plot, place) : null;
    if (!near) return hush();
    const target = event.target as Element;
    const hint = target.classList.contains('hit') ? (select<Element, Handle>(target).datum().hint ?? '') : '';
    stepped = -1;
    tell(valueText(plot, near.name, near.value) + (hint ? ` (${hint})` : ''), near.at);
  }
  // A finger reads what it has tapped, until the next tap.
  svg.on('pointermove', (event: PointerEvent) => event.pointerType !== 'touch' && read(event));
  svg.on('click', (event: PointerEvent) => event.pointerType === 'touch' && read(event));
  svg.on('pointerleave', (event: PointerEvent) => {
    if (!held && event.pointerType !== 'touch') hush();
  });
  svg.on('blur', hush);

  // ---- zoom ----

  const zooming = zoom<SVGSVGElement, unknown>()
    .scaleExtent([0.05, 200])
    .filter((event: MouseEvent | TouchEvent | WheelEvent) => {
      const focused = document.activeElement === svg.node();
      // To keep scrolling possible, a wheel or one finger zooms only a focused view.
      if (event.type === 'wheel') return event.ctrlKey || focused;
      if ('touches' in event) return event.touches.length > 1 || focused;
      return !event.ctrlKey && event.button === 0;
    })
    .on('zoom', (event: D3ZoomEvent<SVGSVGElement, unknown>) => {
      transform = event.transform;
      zoomedAt = plot?.range ?? null;
      refresh();
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
    const names = [...document.curves, ...document.points].map((item) => plainText(item.name));
    const list = [...new Set(names.filter((name) => name !== ''))].join(', ');
    const text = `${options.label}${list === '' ? '' : `: ${list}`}. Arrow keys step through the points and names.`;
    if (svg.attr('aria-label') !== text) svg.attr('aria-label', text);
  }

  const paneOf = (): Pane => ({
    width,
    height,
    alphabet: (alphabet ??= textWidth('abcdefghijklmnopqrstuvwxyz', 100) / 100),
    zoom: transform.k,
    shift: [transform.x, transform.y],
    range: held?.range ?? null,
  });

  function refresh(): void {
    if (!frame || width < 40 || height < 40) return;
    const pane = paneOf();
    const answer =
      kind === 'after' && cursor && cursor.law === frame.focus
        ? frame.engine.during(frame.text, cursor.law, cursor.P, pane)
        : frame.engine.plot(frame.text, kind, lawsOf(kind, frame), frame.reaches, pane);
    if (refused(answer)) {
      plot = null;
      hush();
      message.attr('hidden', null).text(answer.error.message);
      svg.style('visibility', 'hidden');
      return;
    }
    message.attr('hidden', '');
    svg.style('visibility', null);
    if (!held && transform !== zoomIdentity && zoomedAt && isElsewhere(answer.range, zoomedAt)) return void reset();
    plot = answer; // before its texts ask for it
    draw(answer);
    describe(answer);
  }

  function fit(): void {
    const node = root.node()!;
    const [w, h] = [Math.floor(node.clientWidth), Math.floor(node.clientHeight)];
    if (w === width && h === height) return;
    width = w;
    height = h;
    zooming.extent([
      [0, 0],
      [w, h],
    ]);
    refresh();
  }
  const sizes = new ResizeObserver(fit);
  sizes.observe(root.node()!);
  width = Math.floor(root.node()!.clientWidth);
  height = Math.floor(root.node()!.clientHeight);

  function svgText(): string {
    const copy = svg.node()!.cloneNode(plot !== null) as SVGSVGElement;
    const [w, h] = [Math.max(width, 320), Math.max(height, 60)];
    copy.setAttribute('width', String(w));
    copy.setAttribute('height', String(h));
    copy.setAttribute('viewBox', `0 0 ${w} ${h}`);
    copy.querySelectorAll('.screen').forEach((node) => node.remove());
    for (const name of ['tabindex', 'class', 'display', 'style', 'aria-label']) copy.removeAttribute(name);
    for (const name of ['data-term', 'data-explain-law', 'pointer-events', 'aria-describedby']) copy.querySelectorAll(`text[${name}]`).forEach((node) => node.removeAttribute(name));
    copy.querySelectorAll('[data-runs]').forEach((node) => node.removeAttribute('data-runs'));
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = plot?.title ? plainText(plot.title) : options.label;
    copy.prepend(title);
    if (!plot) {
      // Why the library refused to draw it.
      const why = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      why.setAttribute('x', '16');
      why.setAttribute('y', '28');
      why.style.fill = 'var(--ink)';
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
    follow(next) {
      const was = cursor;
      cursor = next;
      if (kind === 'after' && frame && (was || next)) refresh();
      else if (plot) drawCursor();
    },
    reset,
    fit,
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
