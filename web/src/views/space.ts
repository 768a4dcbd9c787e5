/** Impulse space in three dimensions: the contact's own axes, n up, t (against the initial slip) to the right. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ColorManagement,
  CylinderGeometry,
  DynamicDrawUsage,
  LinearSRGBColorSpace,
  Matrix4,
  Mesh,
  PerspectiveCamera,
  Plane,
  Points,
  Scene,
  ShaderMaterial,
  SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { scaleLinear } from 'd3-scale';
import { format } from 'd3-format';
import type { InspectDocument, ReachDocument, RegionDocument, Vec3 } from '../documents';
import { resolveVariables, setHair, themed } from './colour';
import { LineBatch } from './line_batch';
import { mathematicsNodes, paintMathematics, textWidth } from './mathematics';
import { reachOf } from './reach';
import { ChangingTriangles, colourOf, makeSurface } from './surface';
import { refused, type Frame, type View, type ViewOptions } from './view';
import './views.css';

/** Colours as given, from the page to the screen: nothing here is lit. */
ColorManagement.enabled = false;

const layers = [
  { key: 'ellipsoid', name: 'energy kept', colour: '#465a6e' },
  { key: 'cone', name: 'friction cone', colour: '#8c510a' },
  { key: 'compression', name: 'maximum compression', colour: '#6f5aa8' },
  { key: 'sticking', name: 'sticking, $V_t$ = 0', colour: '#444444' },
  { key: 'region', name: 'permissible', colour: '#1a86d0' },
] as const;
type Layer = (typeof layers)[number]['key'];

/** What is in sight: a box, and the sphere around it that becomes the unit sphere about the origin. */
interface Sight {
  centre: Vec3;
  half: Vec3;
  radius: number;
}

interface Label {
  at: Vec3;
  text: string;
  /** On the page, from the place: right and down. */
  shift: [number, number];
  /** Left out where it would cover another. */
  quiet: boolean;
  /** Kept on the page when its place is not. */
  kept?: boolean;
}

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const plus = (a: Vec3, s: number, b: Vec3): Vec3 => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: Vec3): Vec3 => {
  const size = Math.hypot(...a);
  return [a[0] / size, a[1] / size, a[2] / size];
};
const short = format('.3~g');
const circleSteps = 80;
/** From above and a little from the right, so that the section's plane is seen almost face on (CR98 Fig. 2). */
const firstLook: Vec3 = unit([0.46, 0.36, 1]);
const fieldOfView = 26;

/** Two directions across a unit vector. */
function across(n: Vec3): [Vec3, Vec3] {
  const u = unit(cross(n, Math.abs(n[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  return [u, cross(n, u)];
}

function coneGeometry(): BufferGeometry {
  const places = new Float32Array(3 * (circleSteps + 1));
  const corners: number[] = [];
  for (let i = 0; i < circleSteps; ++i) {
    const a = (2 * Math.PI * i) / circleSteps;
    places.set([Math.cos(a), 1, Math.sin(a)], 3 * (i + 1));
    corners.push(0, i + 1, ((i + 1) % circleSteps) + 1);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(places, 3));
  geometry.setIndex(corners);
  return geometry;
}

function discGeometry(): BufferGeometry {
  const geometry = coneGeometry();
  const places = geometry.attributes.position!;
  for (let i = 0; i < places.count; ++i) places.setY(i, 0);
  return geometry;
}

/** Two squares across the second axis, at ±1. */
function slabGeometry(): BufferGeometry {
  const geometry = new BufferGeometry();
  const places: number[] = [];
  const normals: number[] = [];
  for (const side of [-1, 1])
    for (const [a, b] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      places.push(a!, side, b!);
      normals.push(0, side, 0);
    }
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(places), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]);
  return geometry;
}

/** Marks of a fixed size on the screen, ringed in the paper's colour. */
class Marks {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  readonly places: Vec3[] = [];
  private readonly geometry = new BufferGeometry();
  private capacity = 0;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: `
attribute vec3 colour;
attribute float size;
uniform float ratio;
varying vec3 inside;
varying float pixels;
void main() {
  inside = colour;
  pixels = abs(size) * ratio;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = pixels;
}`,
      fragmentShader: `
uniform vec3 paper;
varying vec3 inside;
varying float pixels;
void main() {
  float r = length(gl_PointCoord - 0.5) * pixels;
  float outer = 0.5 * pixels;
  float alpha = clamp(outer - r, 0.0, 1.0);
  if (alpha <= 0.0) discard;
  gl_FragColor = vec4(mix(paper, inside, clamp(outer - r - 1.2, 0.0, 1.0)), alpha);
}`,
      uniforms: { ratio: { value: 1 }, paper: { value: new Color() } },
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.object = new Points(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 20;
  }

  set(marks: { at: Vec3; colour: Color; size: number }[]): void {
    if (marks.length > this.capacity) {
      this.capacity = Math.max(64, 2 * marks.length);
      this.geometry.dispose();
      for (const [name, width] of [
        ['position', 3],
        ['colour', 3],
        ['size', 1],
      ] as const)
        this.geometry.setAttribute(
          name,
          new BufferAttribute(new Float32Array(width * this.capacity), width).setUsage(DynamicDrawUsage),
        );
    }
    const { position, colour, size } = this.geometry.attributes;
    this.places.length = 0;
    marks.forEach((mark, i) => {
      position!.setXYZ(i, ...mark.at);
      colour!.setXYZ(i, mark.colour.r, mark.colour.g, mark.colour.b);
      size!.setX(i, mark.size);
      this.places.push(mark.at);
    });
    for (const attribute of [position, colour, size]) if (attribute) attribute.needsUpdate = true;
    this.geometry.setDrawRange(0, marks.length);
  }

  dispose(): void {
    this.geometry.dispose();
    this.object.material.dispose();
  }
}

/** Whether the processor itself draws: there, smooth edges in every picture would cost more than all the rest. */
function drawsInSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return false;
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** A view that only says why there is none. */
function withoutPicture(root: HTMLElement, why: string): View {
  const message = document.createElement('div');
  message.className = 'view-message';
  message.setAttribute('role', 'status');
  message.textContent = why;
  root.append(message);
  return {
    update() {},
    png: () => Promise.reject(new Error(why)),
    dispose: () => root.remove(),
  };
}

export function createSpaceView(host: HTMLElement, options: ViewOptions): View {
  const root = document.createElement('div');
  root.className = 'view view-space';
  host.append(root);

  const canvas = document.createElement('canvas');
  const software = drawsInSoftware();
  const context = canvas.getContext('webgl2', { antialias: !software, alpha: false, powerPreference: 'high-performance' });
  if (!context)
    return withoutPicture(root, 'Impulse space needs WebGL 2, which this browser does not offer. The section shows the same collision.');

  // ---- what is on the page ----

  const toggles = document.createElement('div');
  toggles.className = 'view-layers';
  toggles.setAttribute('role', 'group');
  toggles.setAttribute('aria-label', 'Shown in impulse space');
  const stage = document.createElement('div');
  stage.className = 'view-stage';
  stage.tabIndex = 0;
  stage.setAttribute('role', 'img');
  stage.setAttribute('aria-label', 'Impulse space');
  const labelsRoot = document.createElement('div');
  labelsRoot.className = 'view-labels';
  labelsRoot.setAttribute('aria-hidden', 'true');
  const tip = document.createElement('div');
  tip.className = 'view-tip';
  tip.hidden = true;
  const message = document.createElement('div');
  message.className = 'view-message';
  message.setAttribute('role', 'status');
  message.hidden = true;
  const legend = document.createElement('ul');
  legend.className = 'view-laws';
  legend.setAttribute('aria-label', 'Laws shown');
  stage.append(canvas, labelsRoot, tip);
  root.append(toggles, stage, legend, message);

  const shows = new Map<Layer, HTMLInputElement>();
  const swatches = new Map<Layer, HTMLElement>();
  for (const layer of layers) {
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = true;
    box.addEventListener('change', () => frame && refresh());
    const swatch = document.createElement('span');
    swatch.className = `view-swatch view-swatch-${layer.key}`;
    const name = document.createElement('span');
    name.append(...mathematicsNodes(layer.name));
    label.append(box, swatch, name);
    toggles.append(label);
    shows.set(layer.key, box);
    swatches.set(layer.key, swatch);
  }
  const shown = (layer: Layer) => shows.get(layer)!.checked;

  // ---- what is in the scene ----

  const renderer = new WebGLRenderer({ canvas, context });
  renderer.outputColorSpace = LinearSRGBColorSpace;
  renderer.localClippingEnabled = true;
  const scene = new Scene();
  const camera = new PerspectiveCamera(fieldOfView, 1, 0.05, 60);
  const controls = new OrbitControls(camera, canvas);
  controls.minDistance = 0.6;
  controls.maxDistance = 25;
  controls.rotateSpeed = 0.8;
  // Up and down stays the page's on a touch screen.
  canvas.style.touchAction = 'pan-y';

  const walls = Array.from({ length: 6 }, () => new Plane());
  const solids = {
    ball: new SphereGeometry(1, 60, 30),
    tube: new CylinderGeometry(1, 1, 2, 96, 1, true),
    slab: slabGeometry(),
  };
  const ellipsoid = makeSurface(solids.ball, { base: 0.035, rim: 0.4, order: 2, flat: false, planes: walls });
  const cone = makeSurface(coneGeometry(), { base: 0.13, rim: 0.45, order: 4, flat: true, planes: [] });
  const plane = makeSurface(discGeometry(), {
    base: 0.14,
    rim: 0.1,
    order: 3,
    flat: true,
    planes: [],
  });
  const regionTriangles = new ChangingTriangles();
  const region = makeSurface(regionTriangles.geometry, { base: 0.34, rim: 0.25, order: 5, flat: true, planes: walls });
  const reaches = new Map<string, { triangles: ChangingTriangles; mesh: Mesh<BufferGeometry, ShaderMaterial> }>();
  const canvasSize = { value: new Vector2(1, 1) };
  const thin = new LineBatch(canvasSize, 1, 0.9, 10, 512);
  const middle = new LineBatch(canvasSize, 1.6, 1, 11, 512);
  const paths = new LineBatch(canvasSize, 2.4, 1, 13);
  const wide = new LineBatch(canvasSize, 4, 0.55, 12, 512);
  const marks = new Marks();
  scene.add(ellipsoid, cone, plane, region, thin.object, middle.object, wide.object, paths.object, marks.object);

  // ---- state ----

  let frame: Frame | null = null;
  let sight: Sight | null = null;
  let title: string | undefined;
  let dark: boolean | null = null;
  let pending = false;
  let requested = 0;
  let described = 0;
  let width = 0;
  let height = 0;
  let labels: Label[] = [];
  let answers: { at: Vec3; text: string }[] = [];
  /** Where the cone's rim can be taken hold of. */
  let handle: Vec3 | null = null;
  let holding = false;
  const ink = { ink: new Color(), muted: new Color(), hair: new Color(), paper: new Color(), accent: new Color() };
  const layerColours = new Map<Layer, Color>(layers.map((layer) => [layer.key, new Color()]));
  const lawColours = new Map<string, Color>();
  const colourFor = (law: string) => lawColours.get(law)!;

  // ---- coordinates ----

  /** Axes of the page: right, up, towards the reader. */
  const turned = (v: Vec3): Vec3 => {
    const { n, t, b } = frame!.axes!;
    return [dot(t, v), dot(n, v), -dot(b, v)];
  };
  const placed = (v: Vec3): Vec3 => {
    const { centre, radius } = sight!;
    return [(v[0] - centre[0]) / radius, (v[1] - centre[1]) / radius, (v[2] - centre[2]) / radius];
  };
  const place = (P: Vec3): Vec3 => placed(turned(P));

  /** What should be in sight: all of the ellipsoid, unless it dwarfs what happens in it. */
  function sightFor(inspect: InspectDocument | null, found: RegionDocument | null): Sight {
    const low: Vec3 = [0, 0, 0];
    const high: Vec3 = [0, 0, 0];
    const include = (v: Vec3) => {
      for (const i of [0, 1, 2] as const) {
        low[i] = Math.min(low[i], v[i]);
        high[i] = Math.max(high[i], v[i]);
      }
    };
    if (inspect) {
      const P_I = turned(inspect.P_I.P);
      include(plus(P_I, 1, P_I));
    }
    if (found?.bounded)
      for (let i = 0; i < found.points.length; i += 3)
        include(turned([found.points[i]!, found.points[i + 1]!, found.points[i + 2]!]));
    // An answer far from all that is permitted does not make the rest small.
    const core = Math.hypot(...plus(high, -1, low));
    for (const answer of frame!.answers)
      for (const P of [answer.P, ...(answer.path ?? []).map((point) => point.P)])
        if (P && (core === 0 || Math.hypot(...P) < 1.6 * core)) include(turned(P));
    const half = (): Vec3 => [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2];
    const size = Math.hypot(...half());
    let whole = false;
    if (inspect) {
      const { centre, half_axes } = inspect.ellipsoid;
      const c = turned(centre);
      const extent: Vec3 = [0, 0, 0];
      for (const axis of half_axes) {
        const d = turned(axis.direction);
        const length = typeof axis.length === 'number' ? axis.length : Infinity;
        for (const i of [0, 1, 2] as const) extent[i] = Math.hypot(extent[i], d[i] === 0 ? 0 : length * d[i]);
      }
      whole = Math.hypot(...extent) <= 3 * size;
      if (whole) {
        include(plus(c, 1, extent));
        include(plus(c, -1, extent));
      }
    }
    const centre: Vec3 = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2];
    const box = half();
    const least = Math.max(...box, 1e-300);
    // Air, and no box so flat that what passes through it cannot be seen.
    for (const i of [0, 1, 2] as const) box[i] = Math.max(1.06 * box[i], whole ? 0 : 1.5 * box[i], 0.55 * least);
    return { centre, half: box, radius: Math.hypot(...box) };
  }

  function look(next: Sight): void {
    sight = next;
    const box = next.half.map((h) => (1.02 * h) / next.radius) as Vec3;
    [0, 1, 2].forEach((i) => {
      const normal = new Vector3().setComponent(i, 1);
      walls[2 * i]!.set(normal.clone(), box[i]!);
      walls[2 * i + 1]!.set(normal.negate(), box[i]!);
    });
  }

  /** Whether what is in sight has become another thing, and not only moved by a drag. */
  function faraway(next: Sight): boolean {
    if (!sight || frame!.outcome.title !== title) return true;
    const ratio = next.radius / sight.radius;
    const shift = Math.hypot(...plus(next.centre, -1, sight.centre)) / sight.radius;
    return ratio > 1.7 || ratio < 0.55 || shift > 0.6;
  }

  function homeCamera(): void {
    const aspect = Math.min(1, width / Math.max(1, height));
    const distance = 0.94 / Math.sin((fieldOfView * Math.PI) / 360) / aspect ** 0.85;
    camera.position.set(...firstLook).multiplyScalar(distance);
    controls.target.set(0, 0, 0);
    controls.update();
  }

  // ---- drawing ----

  function readColours(): void {
    if (!frame) return;
    dark = frame.dark;
    setHair(root);
    for (const key of Object.keys(ink) as (keyof typeof ink)[]) ink[key].set(resolveVariables(`var(--${key})`, root));
    for (const layer of layers) {
      const css = themed(layer.colour, frame.dark);
      layerColours.get(layer.key)!.set(resolveVariables(css, root));
      swatches.get(layer.key)!.style.setProperty('--swatch', css);
    }
    colourOf(ellipsoid).copy(layerColours.get('ellipsoid')!);
    colourOf(cone).copy(layerColours.get('cone')!);
    colourOf(plane).copy(layerColours.get('compression')!);
    colourOf(region).copy(layerColours.get('region')!);
    (marks.object.material.uniforms.paper!.value as Color).copy(ink.paper);
    renderer.setClearColor(ink.paper, 1);
  }

  const matrix = new Matrix4();
  function setMatrix(mesh: Mesh, x: Vec3, y: Vec3, z: Vec3, at: Vec3): void {
    // prettier-ignore
    matrix.set(x[0], y[0], z[0], at[0],  x[1], y[1], z[1], at[1],  x[2], y[2], z[2], at[2],  0, 0, 0, 1);
    mesh.matrix.copy(matrix);
    mesh.matrixWorldNeedsUpdate = true;
  }
  const scaled = (v: Vec3, s: number): Vec3 => [s * v[0], s * v[1], s * v[2]];

  function ring(centre: Vec3, u: Vec3, v: Vec3): Vec3[] {
    return Array.from({ length: circleSteps }, (_, i) => {
      const a = (2 * Math.PI * i) / circleSteps;
      return plus(plus(centre, Math.cos(a), u), Math.sin(a), v);
    });
  }

  function drawEllipsoid(inspect: InspectDocument): void {
    ellipsoid.visible = shown('ellipsoid');
    if (!ellipsoid.visible) return;
    const centre = place(inspect.ellipsoid.centre);
    const axes = inspect.ellipsoid.half_axes.map((axis) => ({
      direction: turned(axis.direction),
      length: typeof axis.length === 'number' ? axis.length / sight!.radius : Infinity,
    }));
    cutBy(ellipsoid, axes.some((axis) => !(axis.length < 1.5)));
    const endless = axes.filter((axis) => !Number.isFinite(axis.length));
    const finite = axes.filter((axis) => Number.isFinite(axis.length));
    // Where it has no end it is drawn as far as can be seen; the walls cut it.
    const far = 4;
    // Measured from the point of the axis that is nearest to what is in sight.
    const near = endless.reduce((at, axis) => plus(at, -dot(at, axis.direction), axis.direction), centre);
    if (endless.length === 0) {
      const [a, b, c] = finite.map((axis) => scaled(axis.direction, axis.length)) as [Vec3, Vec3, Vec3];
      ellipsoid.geometry = solids.ball;
      setMatrix(ellipsoid, a, b, c, centre);
      if (Math.max(...finite.map((axis) => axis.length)) < 1.5)
        for (const [u, v] of [[a, b], [b, c], [c, a]] as const) thin.chain(ring(centre, u, v), ink.hair, true);
    } else if (endless.length === 1 && finite.length === 2) {
      ellipsoid.geometry = solids.tube;
      const [u, v] = finite.map((axis) => scaled(axis.direction, axis.length)) as [Vec3, Vec3];
      const along = scaled(endless[0]!.direction, far);
      setMatrix(ellipsoid, u, along, v, near);
      for (const s of [-0.5, 0, 0.5]) thin.chain(cut(ring(plus(near, s, endless[0]!.direction), u, v)), ink.hair, true);
    } else if (finite.length === 1) {
      ellipsoid.geometry = solids.slab;
      const thick = scaled(finite[0]!.direction, finite[0]!.length);
      const [u, v] = endless.map((axis) => scaled(axis.direction, far)) as [Vec3, Vec3];
      setMatrix(ellipsoid, u, thick, v, near);
      const normal = finite[0]!.direction;
      for (const side of [-1, 1]) thin.chain(polygon(normal, dot(plus(near, side, thick), normal)), ink.muted, true);
    } else {
      ellipsoid.visible = false;
    }
  }

  /** Where the plane n·x = d cuts the box. */
  function polygon(n: Vec3, d: number): Vec3[] {
    const box = scaled(sight!.half, 1 / sight!.radius);
    const out: Vec3[] = [];
    for (const i of [0, 1, 2] as const) {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3] as [0 | 1 | 2, 0 | 1 | 2];
      if (Math.abs(n[i]) < 1e-12) continue;
      for (const [sj, sk] of [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const) {
        const p: Vec3 = [0, 0, 0];
        p[j] = sj * box[j];
        p[k] = sk * box[k];
        p[i] = (d - n[j] * p[j] - n[k] * p[k]) / n[i];
        if (Math.abs(p[i]) <= box[i]) out.push(p);
      }
    }
    const [u, v] = across(n);
    const middle = scaled(out.reduce((sum, p) => plus(sum, 1, p), [0, 0, 0] as Vec3), 1 / Math.max(1, out.length));
    const angle = (p: Vec3) => Math.atan2(dot(plus(p, -1, middle), v), dot(plus(p, -1, middle), u));
    return out.sort((a, b) => angle(a) - angle(b));
  }

  /** Walls cost time for every pixel, and most surfaces have no need of them. */
  function cutBy(mesh: Mesh<BufferGeometry, ShaderMaterial>, needed: boolean): void {
    const planes = needed ? walls : null;
    if (mesh.material.clippingPlanes === planes) return;
    mesh.material.clippingPlanes = planes;
    mesh.material.clipping = needed;
    mesh.material.needsUpdate = true;
  }

  const inBox = (p: Vec3, air = 1.03) =>
    p.every((value, i) => Math.abs(value) <= (air * sight!.half[i as 0 | 1 | 2]) / sight!.radius);
  /** Points outside the box become holes. */
  const cut = (points: Vec3[]): (Vec3 | null)[] => points.map((p) => (inBox(p) ? p : null));

  /** The part of a line that lies in the box. */
  function straight(at: Vec3, along: Vec3, draw: (a: Vec3, b: Vec3) => void): void {
    let from = -Infinity;
    let to = Infinity;
    for (const i of [0, 1, 2] as const) {
      const half = sight!.half[i] / sight!.radius;
      if (Math.abs(along[i]) < 1e-12) {
        if (Math.abs(at[i]) > half) return;
        continue;
      }
      const s = (-half - at[i]) / along[i];
      const t = (half - at[i]) / along[i];
      from = Math.max(from, Math.min(s, t));
      to = Math.min(to, Math.max(s, t));
    }
    if (from < to) draw(plus(at, from, along), plus(at, to, along));
  }

  function drawCone(inspect: InspectDocument): void {
    cone.visible = shown('cone');
    handle = null;
    if (!cone.visible) return;
    const O = placed([0, 0, 0]);
    // Without bound on friction the cone has become the tangent plane.
    const angle = inspect.mu === 'inf' ? Math.PI / 2 : Math.atan(Number(inspect.mu));
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    // To the sphere of what is in sight: as far as its nearer and its farther side have it on the mean.
    const slants = [s, -s].map((x) => {
      const along = O[0] * x + O[1] * c;
      return -along + Math.sqrt(Math.max(0, along * along + 1 - dot(O, O)));
    });
    const slant = Math.max(0.2, 0.48 * (slants[0]! + slants[1]!));
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
    const distance = (inspect.maximum_compression.offset - dot(N, sight!.centre)) / (size * sight!.radius);
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
    const axes = inspect.ellipsoid.half_axes;
    if (shown('ellipsoid') && axes.every((axis) => typeof axis.length === 'number')) {
      const columns = axes.map((axis) => scaled(turned(axis.direction), Number(axis.length) / sight!.radius));
      const [p, q] = across(unit(columns.map((column) => dot(column, n)) as Vec3));
      const combine = (w: Vec3) => columns.reduce<Vec3>((sum, column, i) => plus(sum, w[i as 0 | 1 | 2], column), [0, 0, 0]);
      middle.chain(cut(ring(place(inspect.ellipsoid.centre), combine(p), combine(q))), line, true);
    }
  }

  function drawSticking(inspect: InspectDocument): void {
    const { point, direction } = inspect.sticking;
    if (!shown('sticking') || !direction) return;
    straight(place(point), turned(direction), (a, b) => middle.dashes(a, b, 0.02, 0.018, layerColours.get('sticking')!));
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
  function fill(places: Float32Array, points: readonly number[]): void {
    const { n, t, b } = frame!.axes!;
    const { centre, radius } = sight!;
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = [points[i]!, points[i + 1]!, points[i + 2]!];
      places[i] = (t[0] * x + t[1] * y + t[2] * z - centre[0]) / radius;
      places[i + 1] = (n[0] * x + n[1] * y + n[2] * z - centre[1]) / radius;
      places[i + 2] = (-b[0] * x - b[1] * y - b[2] * z - centre[2]) / radius;
    }
  }

  function drawReaches(): void {
    for (const { mesh } of reaches.values()) mesh.visible = false;
    for (const law of frame!.reaches) {
      const found = reachOf(frame!, law);
      if (refused(found)) continue;
      if (found.rows === 1) wide.chain(found.points.map((P) => P && place(P)), colourFor(law));
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
    const { half, radius, centre } = sight!;
    const O = placed([0, 0, 0]);
    const box = scaled(half, 1 / radius);
    const step = tickStep(Math.max(...half));
    for (const [name, i] of [['$P_t$', 0], ['$P_n$', 1], ['$P_b$', 2]] as const) {
      const low: Vec3 = [...O];
      const high: Vec3 = [...O];
      low[i] = i === 1 ? O[1] : -box[i];
      high[i] = box[i];
      thin.add(low, high, ink.muted);
      const tip: Vec3 = [...high];
      tip[i] += 0.045;
      // The page's third axis points towards the reader, against b.
      labels.push({ at: i === 2 ? withComponent(low, 2, -box[2] - 0.045) : tip, text: name, shift: [0, 0], quiet: false, kept: true });
      for (let k = Math.ceil((centre[i] - half[i]) / step); k * step <= centre[i] + half[i]; ++k) {
        if (k === 0 || (i === 1 && k < 0)) continue;
        const at: Vec3 = [...O];
        at[i] = (k * step - centre[i]) / radius;
        const side: Vec3 = i === 1 ? [-0.018, 0, 0] : [0, -0.018, 0];
        thin.add(at, plus(at, 1, side), ink.muted);
        const text = short(Number((k * step).toPrecision(6)));
        if (i !== 2) labels.push({ at: plus(at, 1, side), text, shift: i === 1 ? [-11, 0] : [0, 10], quiet: true });
      }
    }
    for (const [i, j] of [[0, 2], [2, 0]] as const)
      for (let k = Math.ceil((centre[i] - half[i]) / step); k * step <= centre[i] + half[i]; ++k) {
        const a: Vec3 = [0, O[1], 0];
        a[i] = (k * step - centre[i]) / radius;
        const b: Vec3 = [...a];
        a[j] = -box[j];
        b[j] = box[j];
        faintLines.add(a, b, ink.hair);
      }
  }
  const faintLines = new LineBatch(canvasSize, 0.8, 0.3, 0);
  scene.add(faintLines.object);

  const withComponent = (v: Vec3, i: 0 | 1 | 2, value: number): Vec3 => {
    const out: Vec3 = [...v];
    out[i] = value;
    return out;
  };
  const tickStep = (extent: number) => {
    const ticks = scaleLinear([0, extent], [0, 1]).ticks(3);
    return ticks.length > 1 ? ticks[1]! - ticks[0]! : extent;
  };

  function drawAnswers(inspect: InspectDocument | null): void {
    const drawn: { at: Vec3; colour: Color; size: number }[] = [];
    const point = (P: Vec3, text: string, shift: [number, number]) => {
      const at = place(P);
      if (!inBox(at, 1.05)) return;
      drawn.push({ at, colour: ink.ink, size: 9 });
      labels.push({ at, text, shift, quiet: false });
    };
    point([0, 0, 0], '$O$', [-11, 9]);
    if (inspect) {
      point(inspect.P_I.P, '$P_I$', [-14, 0]);
      point(inspect.P_II.P, '$P_{II}$', [15, 4]);
    }
    answers = [];
    for (const answer of frame!.answers) {
      if (!answer.P) continue;
      const colour = colourFor(answer.law);
      const at = place(answer.P);
      const way = frame!.engine.path(frame!.text, answer.law);
      paths.chain(refused(way) ? [placed([0, 0, 0]), at] : way.points.map(place), colour);
      drawn.push({ at, colour, size: answer.law === frame!.focus ? 13 : 10 });
      const [t, n, b] = [dot(frame!.axes!.t, answer.P), dot(frame!.axes!.n, answer.P), dot(frame!.axes!.b, answer.P)];
      answers.push({ at, text: `${answer.law}: $P_n$ ${short(n)}, $P_t$ ${short(t)}, $P_b$ ${short(b)} N s` });
    }
    if (handle) drawn.push({ at: handle, colour: layerColours.get('cone')!, size: 12 });
    marks.set(drawn);
  }

  function drawLegend(): void {
    const names = frame!.answers.map((answer) => answer.law);
    for (const law of frame!.reaches) if (!names.includes(law)) names.push(law);
    while (legend.children.length > names.length) legend.lastElementChild!.remove();
    names.forEach((law, i) => {
      let item = legend.children[i] as HTMLElement | undefined;
      if (!item) {
        item = document.createElement('li');
        item.append(document.createElement('span'), document.createElement('span'));
        item.firstElementChild!.className = 'view-swatch';
        legend.append(item);
      }
      const colour = frame!.colour(law);
      const mark = item.firstElementChild as HTMLElement;
      if (mark.dataset.colour !== colour) {
        mark.dataset.colour = colour;
        mark.style.setProperty('--swatch', colour);
      }
      if (item.lastElementChild!.textContent !== law) item.lastElementChild!.textContent = law;
    });
    legend.hidden = names.length === 0;
  }

  function refresh(): void {
    if (!frame) return;
    if (width < 20 || height < 20) {
      pending = true;
      return;
    }
    pending = false;
    const problem = !frame.axes ? frame.problem : '';
    message.hidden = problem === '';
    message.textContent = problem;
    stage.hidden = !frame.axes;
    if (!frame.axes) return;
    if (dark !== frame.dark) readColours();
    for (const law of [...frame.answers.map((answer) => answer.law), ...frame.reaches]) {
      if (!lawColours.has(law)) lawColours.set(law, new Color());
      lawColours.get(law)!.set(resolveVariables(frame.colour(law), root));
    }
    const { inspect } = frame;
    let found: RegionDocument | null = null;
    if (inspect && shown('region')) {
      const answer = frame.engine.region(frame.text);
      found = refused(answer) ? null : answer;
    }
    const next = sightFor(inspect, found);
    if (faraway(next) && !holding) look(next);
    title = frame.outcome.title;
    labels = [];
    for (const batch of [thin, middle, wide, paths, faintLines]) batch.clear();
    drawAxes();
    for (const mesh of [ellipsoid, cone, plane]) mesh.visible = false;
    handle = null;
    if (inspect) {
      drawEllipsoid(inspect);
      drawCone(inspect);
      drawCompression(inspect);
      drawSticking(inspect);
    }
    drawRegion(found);
    drawReaches();
    drawAnswers(inspect);
    for (const batch of [thin, middle, wide, paths, faintLines]) batch.done();
    drawLegend();
    request();
    if (!described) described = window.setTimeout(describe, 400);
  }

  function describe(): void {
    described = 0;
    if (!frame) return;
    const parts = layers.filter((layer) => shown(layer.key)).map((layer) => layer.name.replace(/\$|_/g, ''));
    const mu = frame.inspect ? `, friction coefficient ${frame.inspect.mu}` : '';
    const laws = frame.answers.map((answer) => answer.law);
    const text =
      `Impulse space${mu}: ${parts.join(', ')}` +
      `; ${laws.length === 0 ? 'no law' : `impulses of ${laws.join(', ')}`}. Arrow keys turn, plus and minus zoom, Home resets.`;
    if (stage.getAttribute('aria-label') !== text) stage.setAttribute('aria-label', text);
  }

  // ---- on the screen ----

  function request(): void {
    if (!requested) requested = requestAnimationFrame(render);
    if (!software) return;
    // Coarse while something moves, fine when it has come to rest.
    setRatio(movingRatio());
    clearTimeout(resting);
    resting = window.setTimeout(() => {
      setRatio(restingRatio());
      render();
    }, 250);
  }
  let resting = 0;
  const movingRatio = () => (software ? 1 : Math.min(window.devicePixelRatio || 1, 2));
  const restingRatio = () => (software ? Math.max(1, Math.min(2, Math.sqrt(3e6 / (width * height)))) : movingRatio());

  function setRatio(ratio: number): void {
    if (renderer.getPixelRatio() === ratio) return;
    renderer.setPixelRatio(ratio);
    marks.object.material.uniforms.ratio!.value = ratio;
  }

  const projected = new Vector3();
  function onPage(at: Vec3): [number, number] {
    projected.set(...at).project(camera);
    return [((projected.x + 1) / 2) * width, ((1 - projected.y) / 2) * height];
  }

  /** Where each label goes: the loud ones all, a quiet one only where nothing is yet. */
  function placeLabels(): { label: Label; x: number; y: number; wide: number }[] {
    const taken: [number, number, number, number][] = [];
    const out: { label: Label; x: number; y: number; wide: number }[] = [];
    const ordered = [...labels.filter((label) => !label.quiet), ...labels.filter((label) => label.quiet)];
    for (const label of ordered) {
      const [px, py] = onPage(label.at);
      const wide = textWidth(label.text, label.quiet ? 10.5 : 13);
      let [x, y] = [px + label.shift[0], py + label.shift[1]];
      if (label.kept) [x, y] = [Math.min(width - 12, Math.max(12, x)), Math.min(height - 10, Math.max(10, y))];
      const box: [number, number, number, number] = [x - wide / 2 - 2, x + wide / 2 + 2, y - 7, y + 7];
      if (x < 4 || x > width - 4 || y < 4 || y > height - 4) continue;
      if (label.quiet && taken.some((o) => o[0] < box[1] && box[0] < o[1] && o[2] < box[3] && box[2] < o[3])) continue;
      taken.push(box);
      out.push({ label, x, y, wide });
    }
    return out;
  }

  function showLabels(): void {
    const placedLabels = placeLabels();
    while (labelsRoot.children.length < placedLabels.length) labelsRoot.append(document.createElement('span'));
    for (let i = 0; i < labelsRoot.children.length; ++i) {
      const span = labelsRoot.children[i] as HTMLElement;
      const item = placedLabels[i];
      if (!item) {
        if (!span.hidden) span.hidden = true;
        continue;
      }
      if (span.hidden) span.hidden = false;
      if (span.dataset.text !== item.label.text) {
        span.dataset.text = item.label.text;
        span.replaceChildren(...mathematicsNodes(item.label.text));
      }
      span.className = item.label.quiet ? 'quiet' : '';
      span.style.transform = `translate(${(item.x - item.wide / 2).toFixed(1)}px, ${(item.y - 8).toFixed(1)}px)`;
    }
  }

  function render(): void {
    requested = 0;
    if (!sight || width < 20 || height < 20) return;
    camera.updateMatrixWorld();
    renderer.render(scene, camera);
    showLabels();
  }

  function size(): void {
    const [w, h] = [stage.clientWidth, stage.clientHeight];
    if (w === width && h === height) return;
    const first = width < 20 || height < 20;
    width = w;
    height = h;
    if (w < 20 || h < 20) return;
    renderer.setSize(w, h, false);
    setRatio(movingRatio());
    canvasSize.value.set(w, h);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    if (first) homeCamera();
    if (pending) refresh();
    // At once: a canvas that was resized is empty until it is drawn.
    render();
    request();
  }
  const sizes = new ResizeObserver(size);
  sizes.observe(stage);
  controls.addEventListener('change', request);

  // ---- pointer and keys ----

  // The page keeps its scrolling: a wheel zooms only what was chosen before, or with Ctrl.
  stage.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && document.activeElement !== stage) event.stopImmediatePropagation();
    },
    { capture: true },
  );

  const pointerAt = (event: PointerEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const overHandle = (event: PointerEvent) => {
    if (!handle) return false;
    const [px, py] = pointerAt(event);
    const [hx, hy] = onPage(handle);
    return Math.hypot(px - hx, py - hy) < 13;
  };
  stage.addEventListener(
    'pointerdown',
    (event) => {
      stage.focus({ preventScroll: true });
      if (event.button !== 0 || !overHandle(event)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      holding = true;
      stage.setPointerCapture(event.pointerId);
      stage.classList.add('held');
    },
    { capture: true },
  );
  stage.addEventListener('pointermove', (event) => {
    if (holding) {
      const mu = frictionAt(...pointerAt(event));
      if (mu !== null) options.onChange({ mu });
      return;
    }
    if (event.buttons !== 0) return void (tip.hidden = true);
    const [px, py] = pointerAt(event);
    let best: { at: Vec3; text: string } | null = null;
    let least = 11;
    const over = overHandle(event);
    stage.style.cursor = over ? 'ew-resize' : '';
    for (const candidate of over ? [{ at: handle!, text: 'friction cone (drag: $μ$)' }] : answers) {
      const [ax, ay] = onPage(candidate.at);
      const distance = Math.hypot(ax - px, ay - py);
      if (distance < Math.max(least, over ? 13 : 0)) {
        least = distance;
        best = candidate;
      }
    }
    tip.hidden = !best;
    if (!best) return;
    tip.replaceChildren(...mathematicsNodes(best.text));
    const [ax, ay] = onPage(best.at);
    tip.style.left = `${Math.max(2, Math.min(width - tip.offsetWidth - 2, ax + 12))}px`;
    tip.style.top = `${Math.max(2, ay - 30)}px`;
  });
  stage.addEventListener('pointerleave', () => (tip.hidden = true));
  for (const name of ['pointerup', 'pointercancel'] as const)
    stage.addEventListener(name, () => {
      if (!holding) return;
      holding = false;
      stage.classList.remove('held');
      refresh();
    });

  /** μ of the cone whose rim is under a place of the page, in the plane of n and t; null where there is none. */
  function frictionAt(px: number, py: number): number | null {
    const O = placed([0, 0, 0]);
    const from = camera.position;
    const through = new Vector3((2 * px) / width - 1, 1 - (2 * py) / height, 0.5).unproject(camera);
    const along = through.sub(from);
    if (Math.abs(along.z) < 1e-6) return null;
    const s = (O[2] - from.z) / along.z;
    const [x, y] = [from.x + s * along.x - O[0], from.y + s * along.y - O[1]];
    if (!(s > 0) || y <= 0) return null;
    return x <= 0 ? 0 : Number((x / y).toPrecision(3));
  }

  function turn(sideways: number, upwards: number): void {
    const offset = camera.position.clone().sub(controls.target);
    const radius = offset.length();
    const azimuth = Math.atan2(offset.x, offset.z) + sideways;
    const polar = Math.min(Math.PI - 0.05, Math.max(0.05, Math.acos(offset.y / radius) - upwards));
    offset.set(Math.sin(polar) * Math.sin(azimuth), Math.cos(polar), Math.sin(polar) * Math.cos(azimuth));
    camera.position.copy(controls.target).addScaledVector(offset, radius);
    controls.update();
    request();
  }

  function approach(factor: number): void {
    const offset = camera.position.clone().sub(controls.target);
    const length = Math.min(controls.maxDistance, Math.max(controls.minDistance, offset.length() * factor));
    camera.position.copy(controls.target).addScaledVector(offset.normalize(), length);
    controls.update();
    request();
  }

  stage.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 0.35 : 0.09;
    const byKey: Record<string, () => void> = {
      ArrowLeft: () => turn(-by, 0),
      ArrowRight: () => turn(by, 0),
      ArrowUp: () => turn(0, by),
      ArrowDown: () => turn(0, -by),
      '+': () => approach(0.88),
      '=': () => approach(0.88),
      '-': () => approach(1 / 0.88),
      Home: () => {
        title = undefined;
        sight = null;
        homeCamera();
        refresh();
      },
    };
    const act = byKey[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- the view ----

  async function png(): Promise<Blob> {
    if (!frame || !sight || width < 20 || height < 20) throw new Error(frame?.problem || 'there is nothing to draw yet');
    const ratio = 2;
    const before = renderer.getPixelRatio();
    const rows = legendRows();
    const picture = document.createElement('canvas');
    picture.width = ratio * width;
    picture.height = ratio * (height + rows.length * 18 + 8);
    const pen = picture.getContext('2d')!;
    pen.scale(ratio, ratio);
    pen.fillStyle = `#${ink.paper.getHexString()}`;
    pen.fillRect(0, 0, picture.width, picture.height);
    // Without smooth edges of its own, from a picture of twice the size.
    setRatio(software ? 2 * ratio : ratio);
    camera.updateMatrixWorld();
    renderer.render(scene, camera);
    pen.drawImage(canvas, 0, 0, width, height);
    setRatio(before);
    render();
    for (const { label, x, y, wide: w } of placeLabels()) {
      pen.fillStyle = `#${(label.quiet ? ink.muted : ink.ink).getHexString()}`;
      paintMathematics(pen, label.text, x - w / 2, y + 4, label.quiet ? 10.5 : 13);
    }
    rows.forEach((row, i) => {
      const y = height + 12 + 18 * i;
      for (const { name, colour, x } of row) {
        pen.fillStyle = colour;
        pen.fillRect(x, y - 7, 12, 6);
        pen.fillStyle = `#${ink.ink.getHexString()}`;
        paintMathematics(pen, name, x + 17, y, 11.5);
      }
    });
    return new Promise((resolve, reject) =>
      picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))), 'image/png'),
    );
  }

  function legendRows(): { name: string; colour: string; x: number }[][] {
    const items = [
      ...layers
        .filter((layer) => shown(layer.key))
        .map((layer) => ({ name: layer.name as string, colour: `#${layerColours.get(layer.key)!.getHexString()}` })),
      ...frame!.answers.map((answer) => ({ name: answer.law, colour: `#${colourFor(answer.law).getHexString()}` })),
    ];
    const rows: { name: string; colour: string; x: number }[][] = [];
    let x = Infinity;
    for (const item of items) {
      const needs = 17 + textWidth(item.name, 11.5) + 14;
      if (x + needs > width) {
        rows.push([]);
        x = 10;
      }
      rows.at(-1)!.push({ ...item, x });
      x += needs;
    }
    return rows;
  }

  size();
  return {
    update(next) {
      frame = next;
      refresh();
    },
    png,
    dispose() {
      sizes.disconnect();
      cancelAnimationFrame(requested);
      clearTimeout(described);
      clearTimeout(resting);
      controls.dispose();
      for (const batch of [thin, middle, wide, paths, faintLines]) batch.dispose();
      for (const mesh of [ellipsoid, cone, plane, region, ...[...reaches.values()].map((surface) => surface.mesh)]) {
        mesh.geometry.dispose();
        mesh.material.dispose();
      }
      for (const solid of Object.values(solids)) solid.dispose();
      marks.dispose();
      renderer.dispose();
      root.remove();
    },
  };
}
