/** From a time of the motion to a picture of it: bodies, planes, paths, and the impulses of what has just happened. */

import { Camera } from './camera.js';
import { across, cross, dot, minus, norm, placed, plus, product, times, turnedBack, unit } from './linear.js';
import { bodyColour, channelsOf, darkNow, numberText, penOf, typeface } from './look.js';
import { ballRadius, meshOf, planeOf, reach } from './shapes.js';

/** @typedef {import('./linear.js').Vec} Vec */
/** @typedef {import('./linear.js').Quat} Quat */
/** @typedef {import('./shapes.js').Mesh} Mesh */
/** @typedef {import('./stage.js').Solid} Solid */
/** @typedef {import('./stage.js').Lines} Lines */
/** @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('./trajectory.js').Trajectory} Trajectory */
/** An event that is still seen. @typedef {{event: import('./document.js').MotionEvent, age: number}} Recent */

const pathPoints = 6000; // of all paths together
const pathBodies = 12;
const mostRecent = 40;

/** Opposite to gravity, along the nearest axis; z without gravity. @param {Vec} gravity @returns {Vec} */
export function upOf(gravity) {
  if (norm(gravity) === 0) return [0, 0, 1];
  const axis = [0, 1, 2].reduce((best, i) => (Math.abs(gravity[i]) > Math.abs(gravity[best]) ? i : best), 2);
  return /** @type {Vec} */ ([0, 1, 2].map((i) => (i === axis ? -Math.sign(gravity[axis]) : 0)));
}

export class WorldView {
  /** @param {Stage} stage @param {Trajectory} trajectory @param {Camera} camera */
  constructor(stage, trajectory, camera) {
    this.stage = stage;
    this.trajectory = trajectory;
    this.camera = camera;
    const { motion } = trajectory;
    this.up = upOf(motion.gravity);
    const { centre, size, extent } = this.bounds();
    this.size = size;
    camera.frame(centre, size, this.up, extent);
    this.largest = motion.events.reduce((most, { P }) => Math.max(most, norm(P)), 0);
    this.floorHeight = dot(this.up, centre) - size;

    /** @type {Map<string, {solid: Solid, edges: Lines | null, round: boolean}>} */
    const known = new Map();
    this.solids = motion.bodies.map(({ shapes }) => {
      const finite = shapes.filter(({ kind }) => kind !== 'plane');
      if (finite.length === 0) return null;
      const key = JSON.stringify(finite);
      let made = known.get(key);
      if (!made) {
        /** @type {Mesh} */
        const mesh = { points: [], normals: [], edges: [], round: true };
        for (const shape of finite) {
          const part = meshOf(
            shape,
            0.006 * size,
            motion.bodies.length > 300 ? 16 : motion.bodies.length > 60 ? 28 : 48,
          );
          for (const name of /** @type {const} */ (['points', 'normals', 'edges']))
            mesh[name] = mesh[name].concat(part[name]);
          mesh.round = mesh.round && part.round;
        }
        made = {
          solid: stage.solid(mesh),
          edges: mesh.edges.length > 0 ? this.edgeLines(mesh.edges) : null,
          round: mesh.round,
        };
        known.set(key, made);
      }
      return made;
    });
    this.ball = stage.solid(meshOf(plainShape('sphere', 1, [0, 0, 0]), 1));
    this.shaft = stage.solid(meshOf(plainShape('cylinder', 0, [1, 1, 0.5]), 1));
    this.tip = stage.solid(cone());
    this.paths = stage.lines();
    this.markLines = stage.lines();
    this.pathTheme = '';
  }

  /** A ball about all that moves, at all times. @returns {{centre: Vec, size: number, extent: Vec}} */
  bounds() {
    const { motion } = this.trajectory;
    const { times: list, movers, poses } = motion;
    const moving = motion.bodies.filter(({ mover }) => mover >= 0);
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const include = (/** @type {ArrayLike<number>} */ p, /** @type {number} */ at, /** @type {number} */ radius) => {
      for (let i = 0; i < 3; ++i) {
        low[i] = Math.min(low[i], p[at + i] - radius);
        high[i] = Math.max(high[i], p[at + i] + radius);
      }
    };
    const radiusOf = (/** @type {import('./document.js').Body} */ { shapes }) =>
      shapes.reduce((most, shape) => (shape.kind === 'plane' ? most : Math.max(most, ballRadius(shape))), 0);
    const stride = Math.max(1, Math.floor((list.length * moving.length) / 2e5));
    for (const body of moving) {
      const radius = radiusOf(body);
      for (let k = 0; k < list.length; k += stride) include(poses, 7 * (k * movers + body.mover), radius);
    }
    const reached = () => Math.max(1e-9, 0.5 * Math.hypot(...low.map((x, i) => high[i] - x)));
    // Of those that stand still, what is not much larger than the motion.
    const limit = moving.length > 0 ? 3 * reached() : Infinity;
    motion.bodies.forEach((body, i) => {
      if (body.mover >= 0 || radiusOf(body) >= limit) return;
      const pose = this.trajectory.pose(i, this.trajectory.start);
      for (const shape of body.shapes)
        if (shape.kind !== 'plane')
          [0, 1, 2].forEach((k) => {
            const axis = /** @type {Vec} */ ([0, 1, 2].map((j) => (j === k ? 1 : 0)));
            high[k] = Math.max(high[k], reach(shape, pose, axis));
            low[k] = Math.min(low[k], -reach(shape, pose, times(-1, axis)));
          });
    });
    if (!(high[0] >= low[0])) return { centre: [0, 0, 0], size: 1, extent: [1, 1, 1] };
    const [centre, extent] = [0.5, 1].map(
      (s) => /** @type {Vec} */ (low.map((x, i) => (s < 1 ? s * (x + high[i]) : high[i] - x))),
    );
    return { centre, size: reached(), extent };
  }

  /** @param {number[]} edges */
  edgeLines(edges) {
    const lines = this.stage.lines();
    const pieces = [];
    for (let i = 0; i < edges.length; i += 6)
      pieces.push({
        from: /** @type {Vec} */ (edges.slice(i, i + 3)),
        to: /** @type {Vec} */ (edges.slice(i + 3, i + 6)),
        width: 1.3,
        colour: /** @type {Vec} */ ([0, 0, 0]),
        alpha: 0.45,
      });
    this.stage.setLines(lines, pieces);
    return lines;
  }

  /** The ways of the centres of mass, over all of the motion. @param {boolean} dark */
  setPaths(dark) {
    if (this.pathTheme === String(dark)) return;
    this.pathTheme = String(dark);
    const { motion, start, end } = this.trajectory;
    const pieces = [];
    const moving = motion.bodies
      .map((_, i) => i)
      .filter((i) => motion.bodies[i].mover >= 0)
      .slice(0, pathBodies);
    for (const body of moving) {
      const colour = channelsOf(bodyColour(motion.bodies[body].mover, dark));
      const stride = Math.max(1, (motion.times.length * moving.length) / pathPoints);
      const fine = (end - start) / (pathPoints / moving.length / 4);
      /** @type {Vec | null} */
      let last = null;
      for (let k = 0; k < motion.times.length; k += stride) {
        const t = motion.times[Math.floor(k)];
        const next = motion.times[Math.min(motion.times.length - 1, Math.floor(k + stride))];
        const cuts = Math.max(1, Math.min(200, Math.ceil((next - t) / fine)));
        for (let i = 0; i < cuts; ++i) {
          const at = this.trajectory.pose(body, t + ((next - t) * i) / cuts).position;
          if (last) pieces.push({ from: last, to: at, width: 1.4, colour, alpha: 0.6 });
          last = at;
        }
      }
    }
    this.stage.setLines(this.paths, pieces);
  }

  /** Events of the last `hold` seconds of the motion. @param {number} time @param {number} hold @returns {Recent[]} */
  recent(time, hold) {
    const { events } = this.trajectory.motion;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    const out = [];
    for (let k = low - 1; k >= 0 && out.length < mostRecent && time - events[k].time <= hold; --k)
      out.push({ event: events[k], age: hold > 0 ? (time - events[k].time) / hold : 0 });
    return out;
  }

  /**
   * @param {number} time @param {{paths: boolean, hold: number, follow: number}} options
   * @param {number} width @param {number} height in CSS pixels @param {number} ratio
   */
  draw(time, options, width, height, ratio) {
    const { trajectory, camera, stage } = this;
    const { motion } = trajectory;
    const dark = darkNow();
    if (options.follow >= 0) camera.target = trajectory.pose(options.follow, time).position;
    const matrix = camera.matrix(width / height);
    const bodies = [];
    const floors = [];
    for (let i = 0; i < motion.bodies.length; ++i) {
      const body = motion.bodies[i];
      const pose = trajectory.pose(i, time);
      const made = this.solids[i];
      if (made) {
        const colour = channelsOf(
          body.mover >= 0 && !body.fixed ? bodyColour(body.mover, dark) : dark ? '#8b929c' : '#a5abb3',
        );
        bodies.push({
          ...made,
          model: placed(pose.position, pose.orientation),
          colour,
          pattern: made.round && body.mover >= 0 ? 1 : 0,
        });
      }
      for (const shape of body.shapes) if (shape.kind === 'plane') floors.push(this.floor(planeOf(shape, pose)));
    }
    if (floors.length === 0)
      floors.push({
        ...this.floor({ n: this.up, point: times(this.floorHeight, this.up), orientation: uprightTo(this.up) }),
        ghost: true,
      });
    const level = Math.log10(Math.max(1e-12, 0.035 * camera.distance));
    const cell = 10 ** Math.floor(level);
    const recent = this.recent(time, options.hold);
    const marks = this.marks(recent, camera.pixel(height));
    if (options.paths) this.setPaths(dark);
    stage.draw(
      {
        camera: matrix,
        eye: camera.eye,
        up: this.up,
        focus: camera.target,
        reach: Math.min(1.5 * this.size + norm(minus(camera.target, camera.home)), 1.2 * camera.distance),
        cell,
        blend: level - Math.floor(level),
        bodies,
        floors,
        lines: options.paths ? [this.paths] : [],
        marks,
        markLines: this.markLines,
        colours: dark
          ? { paper: channelsOf('#1c1f25'), floor: channelsOf('#2a2e36'), line: channelsOf('#4a515c') }
          : { paper: channelsOf('#f4f5f6'), floor: channelsOf('#e6e8ea'), line: channelsOf('#b9bec5') },
      },
      Math.round(width * ratio),
      Math.round(height * ratio),
      ratio,
    );
    return { matrix, recent, cell };
  }

  /**
   * A floor lies under all of the motion, a wall stands beside it.
   * @param {{n: Vec, point: Vec, orientation: Quat}} plane
   */
  floor({ n, point, orientation }) {
    const { camera, size } = this;
    const level = dot(n, this.up) > 0.9;
    const about = level ? camera.target : camera.home;
    const inPlane = turnedBack(orientation, minus(about, point));
    const behind = dot(n, minus(camera.eye, point)) < 0;
    const half = level ? Math.max(5 * size, 2.6 * camera.distance) : 2.4 * size;
    return {
      n,
      middle: /** @type {[number, number]} */ ([inPlane[0], inPlane[1]]),
      half,
      model: placed(point, orientation),
      ghost: behind,
    };
  }

  /**
   * A point at the contact, a ring across the normal, and P on body b; lengths are proportional to |P|.
   * @param {Recent[]} recent @param {number} pixel
   */
  marks(recent, pixel) {
    const colour = channelsOf(darkNow() ? '#ffb02e' : '#e04f00');
    const marks = [];
    const rings = [];
    for (const { event, age } of recent) {
      const alpha = 1 - age * age;
      marks.push({
        solid: this.ball,
        model: placed(event.point, [1, 0, 0, 0], [3.5 * pixel, 3.5 * pixel, 3.5 * pixel]),
        colour,
        alpha,
      });
      const x = across(event.n);
      const y = cross(event.n, x);
      const radius = pixel * (9 + 16 * age);
      const turns = 40;
      const at = (/** @type {number} */ i) =>
        plus(
          event.point,
          plus(
            times(radius * Math.cos((2 * Math.PI * i) / turns), x),
            times(radius * Math.sin((2 * Math.PI * i) / turns), y),
          ),
        );
      for (let i = 0; i < turns; ++i)
        rings.push({ from: at(i), to: at(i + 1), width: 1.8, colour, alpha: 0.8 * alpha });
      const length = this.largest > 0 ? (130 * pixel * norm(event.P)) / this.largest : 0;
      if (length < pixel) continue;
      const way = unit(event.P);
      const turn = uprightTo(way);
      const head = Math.min(16 * pixel, 0.5 * length);
      const thick = Math.min(2.6 * pixel, 0.16 * head + pixel);
      const shaft = length - head;
      marks.push({
        solid: this.shaft,
        model: placed(plus(event.point, times(0.5 * shaft, way)), turn, [thick, thick, shaft]),
        colour,
        alpha,
      });
      marks.push({
        solid: this.tip,
        model: placed(plus(event.point, times(shaft, way)), turn, [0.36 * head, 0.36 * head, head]),
        colour,
        alpha,
      });
    }
    this.stage.setLines(this.markLines, rings);
    return marks;
  }

  /**
   * Letters over the picture: axes of the world, the grid, the impulses and, if wanted, the names of bodies.
   * @param {HTMLCanvasElement} canvas @param {number} time @param {boolean} names
   * @param {{matrix: Float32Array, recent: Recent[], cell: number}} drawn
   */
  letters(canvas, time, names, { matrix, recent, cell }) {
    const { pen, width, height } = penOf(canvas);
    const dark = darkNow();
    const halo = dark ? '#1c1f25' : '#f4f5f6';
    const write = (
      /** @type {string} */ text,
      /** @type {number} */ x,
      /** @type {number} */ y,
      /** @type {string} */ colour,
    ) => {
      pen.lineWidth = 3;
      pen.strokeStyle = halo;
      pen.strokeText(text, x, y);
      pen.fillStyle = colour;
      pen.fillText(text, x, y);
    };
    const [ox, oy, length] = [46, height - 44, 26];
    pen.lineCap = 'round';
    pen.font = `600 12px ${typeface}`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    const colours = dark ? ['#ff8f85', '#6fd49a', '#5cb8ff'] : ['#b3261e', '#1c7a45', '#0067a3'];
    const axes = this.camera.axes();
    for (const i of [0, 1, 2].sort((a, b) => axes[a][2] - axes[b][2])) {
      const [name, colour] = ['xyz'[i], colours[i]];
      const [dx, dy] = [length * axes[i][0], -length * axes[i][1]];
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(ox, oy);
      pen.lineTo(ox + dx, oy + dy);
      pen.stroke();
      write(name, ox + 1.4 * dx, oy + 1.4 * dy, colour);
    }
    pen.font = `11px ${typeface}`;
    pen.textAlign = 'right';
    const muted = getComputedStyle(canvas).getPropertyValue('--muted').trim();
    write(`grid ${Number((10 * cell).toPrecision(1))} m`, width - 12, height - 12, muted);
    if (names) {
      const ink = getComputedStyle(canvas).getPropertyValue('--ink').trim();
      pen.textAlign = 'center';
      this.solids.forEach((solid, i) => {
        const at = solid ? Camera.onScreen(matrix, this.trajectory.pose(i, time).position, width, height) : null;
        if (at) write(this.trajectory.motion.bodies[i].name, at[0], at[1], ink);
      });
    }
    pen.textAlign = 'left';
    pen.font = `600 12px ${typeface}`;
    recent.slice(0, 6).forEach(({ event, age }) => {
      if (age > 0.6) return;
      const length = this.largest > 0 ? (130 * this.camera.pixel(height) * norm(event.P)) / this.largest : 0;
      const at = Camera.onScreen(matrix, plus(event.point, times(length, unit(event.P))), width, height);
      if (!at) return;
      const text = norm(event.P) > 0 ? `|P| = ${numberText(norm(event.P), 3)} N s` : event.kind;
      write(
        text,
        Math.min(at[0] + 12, width - pen.measureText(text).width - 6),
        Math.max(12, at[1]),
        dark ? '#ffb02e' : '#b83d00',
      );
    });
  }
}

/** @param {string} kind @param {number} radius @param {Vec} size @returns {import('./document.js').Shape} */
function plainShape(kind, radius, size) {
  return { kind, size, radius, position: [0, 0, 0], orientation: [1, 0, 0, 0], vertices: [], faces: [] };
}

/** A cone of radius and height 1 that points along z. @returns {Mesh} */
function cone() {
  /** @type {Mesh} */
  const mesh = { points: [], normals: [], edges: [], round: false };
  const turns = 24;
  const at = (/** @type {number} */ j) => [Math.cos((2 * Math.PI * j) / turns), Math.sin((2 * Math.PI * j) / turns)];
  for (let j = 0; j < turns; ++j) {
    const [[a, b], [c, d]] = [at(j), at(j + 1)];
    mesh.points.push(a, b, 0, c, d, 0, 0, 0, 1, a, b, 0, c, d, 0, 0, 0, 0);
    mesh.normals.push(a, b, 1, c, d, 1, a + c, b + d, 1, 0, 0, -1, 0, 0, -1, 0, 0, -1);
  }
  return mesh;
}

/** A rotation that brings z to a unit vector. @param {Vec} way @returns {Quat} */
function uprightTo(way) {
  if (way[2] < -0.999999) return [0, 1, 0, 0];
  const q = /** @type {Quat} */ ([1 + way[2], -way[1], way[0], 0]);
  const length = Math.hypot(...q);
  return product(/** @type {Quat} */ (q.map((x) => x / length)), [1, 0, 0, 0]);
}
