/** What is in the picture of impulse space, as objects of three.js. Which of it is in sight, and how large, is decided
 *  anew when the collision becomes another one; else what is dragged moves and the rest stands still. */

import {
  Color,
  ColorManagement,
  CylinderGeometry,
  Plane,
  Scene,
  SphereGeometry,
  Vector2,
  Vector3,
  type BufferGeometry,
  type Mesh,
  type ShaderMaterial,
} from 'three';
import type { AxesDocument, InspectDocument, ReachDocument, RegionDocument, Vec3 } from '../documents';
import { plainDefinition, termOf } from '../explain';
import { resolveVariables, themed } from './colour';
import { LineBatch } from './line_batch';
import { Marks, type Mark } from './marks';
import { shortNumber } from './numbers';
import { pinnedPath } from './ghost';
import { reachOf } from './reach';
import { sightFor, turnedBy, type Sight } from './sight';
import { coneGeometry, discGeometry, ring, slabGeometry } from './solids';
import { ChangingTriangles, colourOf, makeSurface } from './surface';
import { across, dot, plus, scaled, unit } from './vectors';
import { refused, type Cursor, type Frame } from './view';

/** Colours as given, from the page to the screen: nothing here is lit. */
ColorManagement.enabled = false;

export const layers = [
  { key: 'ellipsoid', name: 'energy kept', colour: '#465a6e' },
  { key: 'cone', name: 'friction cone', colour: '#8c510a' },
  { key: 'compression', name: 'maximum compression', colour: '#6f5aa8' },
  { key: 'sticking', name: 'sticking, $V_t$ = 0', colour: '#444444' },
  { key: 'region', name: 'permissible', colour: '#1a86d0' },
] as const;
export type Layer = (typeof layers)[number]['key'];

export interface Label {
  at: Vec3;
  text: string;
  /** On the page, from the place: right and down. */
  shift: [number, number];
  /** Left out where it would cover another. */
  quiet: boolean;
  /** Kept on the page when its place is not. */
  kept?: boolean;
}

/** An answer, to be read off. */
export interface Reading {
  at: Vec3;
  text: string;
}

export interface SpaceScene {
  readonly scene: Scene;
  /** In CSS pixels. */
  readonly canvasSize: Vector2;
  readonly layerColours: ReadonlyMap<Layer, Color>;
  readonly ink: Record<'ink' | 'muted' | 'hair' | 'paper', Color>;
  readonly labels: Label[];
  readonly readings: Reading[];
  /** Drag handle of the cone's rim. */
  readonly handle: Vec3 | null;
  /** Where O is; null before the first frame. */
  readonly origin: Vec3 | null;
  lawColour(law: string): Color;
  /** Reads the page's colours; after the theme has changed. */
  readColours(element: HTMLElement, dark: boolean): void;
  /** `still`: keeps the visible part, however far the collision moves. */
  draw(frame: Frame, shown: (layer: Layer) => boolean, still: boolean): void;
  /** Where the impact of the focus law is; null: not shown. */
  follow(cursor: Cursor | null): void;
  /** The next frame recomputes the visible part. */
  forget(): void;
  setPixelRatio(ratio: number): void;
  dispose(): void;
}

function setMatrix(mesh: Mesh, x: Vec3, y: Vec3, z: Vec3, at: Vec3): void {
  // prettier-ignore
  mesh.matrix.set(x[0], y[0], z[0], at[0],  x[1], y[1], z[1], at[1],  x[2], y[2], z[2], at[2],  0, 0, 0, 1);
  mesh.matrixWorldNeedsUpdate = true;
}

export function createSpaceScene(): SpaceScene {
  const scene = new Scene();
  const canvasSize = { value: new Vector2(1, 1) };
  const pixel = { value: 1 };
  const walls = Array.from({ length: 6 }, () => new Plane());
  const solids = {
    ball: new SphereGeometry(1, 40, 20),
    tube: new CylinderGeometry(1, 1, 2, 96, 1, true),
    slab: slabGeometry(),
  };
  const ellipsoid = makeSurface(solids.ball, { base: 0.035, rim: 0.4, order: 2, flat: false, planes: walls });
  const cone = makeSurface(coneGeometry(), { base: 0.13, rim: 0.45, order: 4, flat: true, planes: [] });
  const plane = makeSurface(discGeometry(), { base: 0.14, rim: 0.1, order: 3, flat: true, planes: [] });
  const regionTriangles = new ChangingTriangles();
  const region = makeSurface(regionTriangles.geometry, { base: 0.26, rim: 0.25, order: 5, flat: true, planes: walls });
  const reaches = new Map<string, { triangles: ChangingTriangles; mesh: Mesh<BufferGeometry, ShaderMaterial> }>();
  const thin = new LineBatch(canvasSize, pixel, 1, 0.9, 10, 512);
  const middle = new LineBatch(canvasSize, pixel, 1.6, 1, 11, 512);
  const paths = new LineBatch(canvasSize, pixel, 2.4, 1, 13);
  const wide = new LineBatch(canvasSize, pixel, 4, 0.55, 12, 512);
  const marks = new Marks();
  const faint = new LineBatch(canvasSize, pixel, 0.8, 0.3, 0);
  const batches = [thin, middle, wide, paths, faint];
  scene.add(ellipsoid, cone, plane, region, marks.object, ...batches.map((batch) => batch.object));

  const ink = { ink: new Color(), muted: new Color(), hair: new Color(), paper: new Color() };
  const layerColours = new Map<Layer, Color>(layers.map((layer) => [layer.key, new Color()]));
  const lawColours = new Map<string, Color>();
  const colourFor = (law: string) => lawColours.get(law)!;

  // Of the frame that is being drawn.
  let frame!: Frame;
  let axes!: AxesDocument;
  let sight!: Sight;
  let turned: (v: Vec3) => Vec3;
  let shown: (layer: Layer) => boolean;
  let O: Vec3 = [0, 0, 0];
  let labels: Label[] = [];
  let readings: Reading[] = [];
  let handle: Vec3 | null = null;
  let drawnMarks: Mark[] = [];
  let cursor: Cursor | null = null;
  /** The collision in view; undefined if the view is to be recomputed. */
  let title: string | undefined;
  let decided = false;
  const place = (P: Vec3): Vec3 => sight.placed(turned(P));

  function look(next: Sight): void {
    sight = next;
    for (const i of [0, 1, 2] as const) {
      const normal = new Vector3().setComponent(i, 1);
      walls[2 * i]!.set(normal.clone(), 1.02 * next.box[i]);
      walls[2 * i + 1]!.set(normal.negate(), 1.02 * next.box[i]);
    }
  }

  function drawEllipsoid(inspect: InspectDocument): void {
    ellipsoid.visible = shown('ellipsoid');
    if (!ellipsoid.visible) return;
    const centre = place(inspect.ellipsoid.centre);
    const halves = inspect.ellipsoid.half_axes.map((axis) => ({
      direction: turned(axis.direction),
      length: typeof axis.length === 'number' ? axis.length / sight.radius : Infinity,
    }));
    cutBy(
      ellipsoid,
      halves.some((axis) => !(axis.length < 1.5)),
    );
    const endless = halves.filter((axis) => !Number.isFinite(axis.length));
    const finite = halves.filter((axis) => Number.isFinite(axis.length));
    // An unbounded surface is clipped at the walls of the box.
    const far = 4;
    // Measured from the point of the axis nearest to the visible part.
    const near = endless.reduce((at, axis) => plus(at, -dot(at, axis.direction), axis.direction), centre);
    if (endless.length === 0) {
      const [a, b, c] = finite.map((axis) => scaled(axis.direction, axis.length)) as [Vec3, Vec3, Vec3];
      ellipsoid.geometry = solids.ball;
      setMatrix(ellipsoid, a, b, c, centre);
      if (Math.max(...finite.map((axis) => axis.length)) < 1.5)
        for (const [u, v] of [
          [a, b],
          [b, c],
          [c, a],
        ] as const)
          thin.chain(ring(centre, u, v), ink.hair, true);
    } else if (endless.length === 1 && finite.length === 2) {
      ellipsoid.geometry = solids.tube;
      const [u, v] = finite.map((axis) => scaled(axis.direction, axis.length)) as [Vec3, Vec3];
      const along = scaled(endless[0]!.direction, far);
      setMatrix(ellipsoid, u, along, v, near);
      for (const s of [-0.5, 0, 0.5])
        thin.chain(sight.cut(ring(plus(near, s, endless[0]!.direction), u, v)), ink.hair, true);
    } else if (finite.length === 1) {
      ellipsoid.geometry = solids.slab;
      const thick = scaled(finite[0]!.direction, finite[0]!.length);
      const [u, v] = endless.map((axis) => scaled(axis.direction, far)) as [Vec3, Vec3];
      setMatrix(ellipsoid, u, thick, v, near);
      const normal = finite[0]!.direction;
      for (const side of [-1, 1])
        thin.chain(sight.polygon(normal, dot(plus(near, side, thick), normal)), ink.muted, true);
    } else {
      ellipsoid.visible = false;
    }
  }

  /** Walls cost time for every pixel, and most surfaces have no need of them. */
  function cutBy(mesh: Mesh<BufferGeometry, ShaderMaterial>, needed: boolean): void {
    const planes = needed ? walls : null;
    if (mesh.material.clippingPlanes === planes) return;
    mesh.material.clippingPlanes = planes;
    mesh.material.clipping = needed;
    mesh.material.needsUpdate = true;
  }

  function drawCone(inspect: InspectDocument): void {
    cone.visible = shown('cone');
    if (!cone.visible) return;
    // Without bound on friction the cone has become the tangent plane.
    const angle = inspect.mu === 'inf' ? Math.PI / 2 : Math.atan(Number(inspect.mu));
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    // To the bounding sphere of the visible part: the mean of its nearer and farther side.
    const slants = [s, -s].map((x) => {
      const along = O[0] * x + O[1] * c;
      return -along + Math.sqrt(Math.max(0, along * along + 1 - dot(O, O)));
    });
    // Not beyond the sides of the picture.
    const side = 0.9 * Math.max(1, canvasSize.value.x / canvasSize.value.y) - Math.abs(O[0]);
    const slant = Math.max(0.2, Math.min(0.48 * (slants[0]! + slants[1]!), s > 0 ? Math.max(0.3, side) / s : Infinity));
    const [radius, top] = [slant * s, slant * c];
    setMatrix(cone, [radius, 0, 0], [0, top, 0], [0, 0, radius], O);
    const rim: Vec3 = [O[0], O[1] + top, O[2]];
    const line = layerColours.get('cone')!;
    middle.chain(ring(rim, [radius, 0, 0], [0, 0, radius]), line, true);
    for (const side of [-1, 1]) thin.add(O, [O[0] + side * radius, O[1] + top, O[2]], line);
    handle = [O[0] + radius, O[1] + top, O[2]];
  }

  function drawCompression(inspect: InspectDocument): void {
    plane.visible = shown('compression');
    if (!plane.visible) return;
    const N = turned(inspect.maximum_compression.normal);
    const size = Math.hypot(...N);
    const distance = (inspect.maximum_compression.offset - dot(N, sight.centre)) / (size * sight.radius);
    const reach = Math.sqrt(0.85 - distance * distance);
    if (!(reach > 0)) {
      plane.visible = false;
      return;
    }
    const n = scaled(N, 1 / size);
    const [u, v] = across(n);
    const centre = scaled(n, distance);
    setMatrix(plane, scaled(u, reach), n, scaled(v, reach), centre);
    const line = layerColours.get('compression')!;
    thin.chain(ring(centre, scaled(u, reach), scaled(v, reach)), line, true);
    // It halves the ellipsoid: their common ellipse, in the ellipsoid's own measure a circle.
    const halves = inspect.ellipsoid.half_axes;
    if (shown('ellipsoid') && halves.every((axis) => typeof axis.length === 'number')) {
      const columns = halves.map((axis) => scaled(turned(axis.direction), Number(axis.length) / sight.radius));
      const [p, q] = across(unit(columns.map((column) => dot(column, n)) as Vec3));
      const combine = (w: Vec3) =>
        columns.reduce<Vec3>((sum, column, i) => plus(sum, w[i as 0 | 1 | 2], column), [0, 0, 0]);
      middle.chain(sight.cut(ring(place(inspect.ellipsoid.centre), combine(p), combine(q))), line, true);
    }
  }

  function drawSticking(inspect: InspectDocument): void {
    const { point, direction } = inspect.sticking;
    if (!shown('sticking') || !direction) return;
    const seen = sight.straight(place(point), turned(direction));
    if (seen) middle.dashes(...seen, 0.02, 0.018, layerColours.get('sticking')!);
  }

  function drawRegion(found: RegionDocument | null): void {
    region.visible = found !== null && found.triangles.length > 0;
    if (!found || !region.visible) return;
    cutBy(region, !found.bounded);
    regionTriangles.reserve(found.points.length / 3, found.triangles.length);
    fill(regionTriangles.places, found.points);
    regionTriangles.corners.set(found.triangles);
    regionTriangles.done(found.triangles.length);
  }

  /** Many points into place at once, without making any. */
  function fill(places: Float32Array, points: Float64Array): void {
    const { n, t, b } = axes;
    const { centre, radius } = sight;
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = [points[i]!, points[i + 1]!, points[i + 2]!];
      places[i] = (t[0] * x + t[1] * y + t[2] * z - centre[0]) / radius;
      places[i + 1] = (n[0] * x + n[1] * y + n[2] * z - centre[1]) / radius;
      places[i + 2] = (-b[0] * x - b[1] * y - b[2] * z - centre[2]) / radius;
    }
  }

  function drawReaches(): void {
    for (const { mesh } of reaches.values()) mesh.visible = false;
    for (const law of frame.reaches) {
      const found = reachOf(frame, law);
      if (refused(found)) continue;
      if (found.rows === 1)
        wide.chain(
          found.points.map((P) => P && place(P)),
          colourFor(law),
        );
      else drawReachedSurface(law, found);
    }
  }

  function drawReachedSurface(law: string, found: ReachDocument): void {
    let surface = reaches.get(law);
    if (!surface) {
      const triangles = new ChangingTriangles();
      const mesh = makeSurface(triangles.geometry, { base: 0.34, rim: 0.3, order: 6, flat: true, planes: [] });
      surface = { triangles, mesh };
      reaches.set(law, surface);
      scene.add(mesh);
    }
    const { triangles, mesh } = surface;
    const { rows, columns } = found;
    mesh.visible = true;
    colourOf(mesh).copy(colourFor(law));
    triangles.reserve(rows * columns, 6 * (rows - 1) * (columns - 1));
    const points = found.points.map((P) => P && place(P));
    points.forEach((p, i) => p && triangles.places.set(p, 3 * i));
    let used = 0;
    const corner = (i: number, j: number, k: number) => {
      if (!points[i] || !points[j] || !points[k]) return;
      triangles.corners[used++] = i;
      triangles.corners[used++] = j;
      triangles.corners[used++] = k;
    };
    for (let r = 0; r + 1 < rows; ++r)
      for (let c = 0; c + 1 < columns; ++c) {
        const [a, b] = [r * columns + c, (r + 1) * columns + c];
        corner(a, a + 1, b + 1);
        corner(a, b + 1, b);
      }
    triangles.done(used);
    const row = (r: number) => points.slice(r * columns, (r + 1) * columns);
    const column = (c: number) => Array.from({ length: rows }, (_, r) => points[r * columns + c] ?? null);
    for (const edge of [row(0), row(rows - 1), column(0), column(columns - 1)]) middle.chain(edge, colourFor(law));
  }

  /** Axes through O with ticks, and the tangent plane as a grid. */
  function drawAxes(): void {
    const { half, radius, centre, box } = sight;
    const extent = Math.max(...half);
    const [first = 0, second = extent] = frame.engine.ticks(0, extent, 3);
    const step = second - first;
    for (const [name, i, term] of [
      ['$P·t$', 0, 'impulse against the initial slip'],
      ['$P_n$', 1, 'normal impulse'],
      ['$P·b$', 2, 'impulse across the initial slip'],
    ] as const) {
      const low: Vec3 = [...O];
      const high: Vec3 = [...O];
      low[i] = i === 1 ? O[1] : -box[i];
      high[i] = box[i];
      thin.add(low, high, ink.muted);
      // The page's third axis points towards the reader, against b.
      const tip: Vec3 = i === 2 ? [...low] : [...high];
      tip[i] += i === 2 ? -0.045 : 0.045;
      labels.push({ at: tip, text: name, shift: [0, 0], quiet: false, kept: true });
      readings.push({ at: tip, text: `${name}: ${plainDefinition(term)}` });
      for (let k = Math.ceil((centre[i] - half[i]) / step); k * step <= centre[i] + half[i]; ++k) {
        if (k === 0 || (i === 1 && k < 0)) continue;
        const at: Vec3 = [...O];
        at[i] = (k * step - centre[i]) / radius;
        const side: Vec3 = i === 1 ? [-0.018, 0, 0] : [0, -0.018, 0];
        thin.add(at, plus(at, 1, side), ink.muted);
        const text = shortNumber(k * step, 3);
        if (i !== 2) labels.push({ at: plus(at, 1, side), text, shift: i === 1 ? [-11, 0] : [0, 10], quiet: true });
      }
    }
    for (const [i, j] of [
      [0, 2],
      [2, 0],
    ] as const)
      for (let k = Math.ceil((centre[i] - half[i]) / step); k * step <= centre[i] + half[i]; ++k) {
        const a: Vec3 = [0, O[1], 0];
        a[i] = (k * step - centre[i]) / radius;
        const b: Vec3 = [...a];
        a[j] = -box[j];
        b[j] = box[j];
        faint.add(a, b, ink.hair);
      }
  }
  function drawAnswers(inspect: InspectDocument | null): void {
    const drawn: Mark[] = [];
    const point = (P: Vec3, text: string, shift: [number, number]) => {
      const at = place(P);
      if (!sight.holds(at, 1.05)) return;
      drawn.push({ at, colour: ink.ink, size: 9 });
      labels.push({ at, text, shift, quiet: false });
      readings.push({ at, text: `${text}: ${plainDefinition(termOf(text))}` });
    };
    point([0, 0, 0], '$O$', [-11, 9]);
    if (inspect) {
      point(inspect.P_I.P, '$P_I$', [-14, 0]);
      point(inspect.P_II.P, '$P_{II}$', [15, 4]);
    }
    const ends = frame.answers.filter((answer) => answer.P).map((answer) => ({ law: answer.law, at: place(answer.P!) }));
    const near = (a: Vec3, b: Vec3) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 0.004;
    for (const [i, answer] of frame.answers.filter((one) => one.P).entries()) {
      if (!answer.P) continue;
      const colour = colourFor(answer.law);
      const at = place(answer.P);
      const way = frame.engine.path(frame.text, answer.law);
      paths.chain(refused(way) ? [O, at] : way.points.map(place), colour);
      // Answers at one place are discs around each other, so that every one of them is seen.
      const above = ends.slice(i + 1).filter((end) => near(end.at, at)).length;
      drawn.push({ at, colour, size: (answer.law === frame.focus && above === 0 ? 13 : 10) + 6 * above });
      const here = ends.filter((end) => near(end.at, at)).map(({ law }) => law);
      const [t, n, b] = [dot(axes.t, answer.P), dot(axes.n, answer.P), dot(axes.b, answer.P)];
      readings.push({
        at,
        text: `${here.join(', ')}: $P_n$ ${shortNumber(n)}, $P·t$ ${shortNumber(t)}, $P·b$ ${shortNumber(b)} N s`,
      });
    }
    drawnMarks = drawn;
    if (frame.ghost)
      for (const { law } of frame.answers) {
        const way = pinnedPath(frame.ghost, law).map(place);
        if (way.length === 0) continue;
        thin.chain(way, colourFor(law));
        drawn.unshift({ at: way.at(-1)!, colour: colourFor(law).clone().lerp(ink.paper, 0.45), size: 8 });
        readings.push({ at: way.at(-1)!, text: `${law}, pinned` });
      }
    if (handle) drawn.push({ at: handle, colour: layerColours.get('cone')!, size: 12 });
    putMarks();
  }

  function putMarks(): void {
    if (!cursor || !lawColours.has(cursor.law)) return marks.set(drawnMarks);
    marks.set([...drawnMarks, { at: place(cursor.P), colour: ink.ink, size: 17 }, { at: place(cursor.P), colour: colourFor(cursor.law), size: 12 }]);
  }

  function draw(next: Frame, layerShown: (layer: Layer) => boolean, still: boolean): void {
    frame = next;
    axes = next.axes;
    shown = layerShown;
    turned = turnedBy(axes);
    for (const law of [...frame.answers.map((answer) => answer.law), ...frame.reaches]) {
      if (!lawColours.has(law)) lawColours.set(law, new Color());
      colourFor(law).set(frame.colour(law));
    }
    const { inspect } = frame;
    let found: RegionDocument | null = null;
    if (inspect && shown('region')) {
      const answer = frame.engine.region(frame.text);
      found = refused(answer) ? null : answer;
    }
    const wanted = sightFor(turned, frame.answers, inspect, found);
    if (!decided || (!still && (title !== frame.outcome.title || wanted.farFrom(sight)))) look(wanted);
    decided = true;
    title = frame.outcome.title;
    O = sight.placed([0, 0, 0]);
    labels = [];
    readings = [];
    handle = null;
    for (const batch of batches) batch.clear();
    for (const mesh of [ellipsoid, cone, plane]) mesh.visible = false;
    drawAxes();
    if (inspect) {
      drawEllipsoid(inspect);
      drawCone(inspect);
      drawCompression(inspect);
      drawSticking(inspect);
    }
    drawRegion(found);
    drawReaches();
    drawAnswers(inspect);
    for (const batch of batches) batch.done();
  }

  return {
    scene,
    canvasSize: canvasSize.value,
    layerColours,
    ink,
    get labels() {
      return labels;
    },
    get readings() {
      return readings;
    },
    get handle() {
      return handle;
    },
    get origin() {
      return decided ? O : null;
    },
    lawColour: colourFor,
    readColours(element, dark) {
      for (const key of Object.keys(ink) as (keyof typeof ink)[])
        ink[key].set(resolveVariables(`var(--${key})`, element));
      for (const layer of layers)
        layerColours.get(layer.key)!.set(resolveVariables(themed(layer.colour, dark), element));
      colourOf(ellipsoid).copy(layerColours.get('ellipsoid')!);
      colourOf(cone).copy(layerColours.get('cone')!);
      colourOf(plane).copy(layerColours.get('compression')!);
      colourOf(region).copy(layerColours.get('region')!);
      marks.setPaper(ink.paper);
    },
    draw,
    follow(next) {
      cursor = next;
      if (decided) putMarks();
    },
    forget() {
      decided = false;
    },
    setPixelRatio(ratio) {
      pixel.value = 1 / ratio;
      marks.setPixelRatio(ratio);
    },
    dispose() {
      for (const batch of batches) batch.dispose();
      for (const mesh of [ellipsoid, cone, plane, region, ...[...reaches.values()].map((surface) => surface.mesh)]) {
        mesh.geometry.dispose();
        mesh.material.dispose();
      }
      for (const solid of Object.values(solids)) solid.dispose();
      marks.dispose();
    },
  };
}
