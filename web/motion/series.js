/** What the plots show over time: energies, and gaps or heights. */

import { dot, minus, norm, plus, turned } from './linear.js';
import { planeOf, reach } from './shapes.js';

/** @typedef {import('./document.js').Motion} Motion */
/** @typedef {import('./trajectory.js').Trajectory} Trajectory */
/**
 * Increasing times, twice where a value jumps.
 * @typedef {{name: string, colour: string, times: ArrayLike<number>, values: ArrayLike<number>}} Series
 */

/** Between sparse samples curves are followed at this many points of what is shown. */
const fineness = 1200;
const mostBalls = 40;

/**
 * The samples from `from` to `to`, and points between those that lie far apart.
 * @param {Trajectory} trajectory @param {number} from @param {number} to
 */
export function fineTimes(trajectory, from, to) {
  const list = trajectory.motion.times;
  const most = (to - from) / fineness;
  const out = [from];
  for (let k = trajectory.before(from); k + 1 < list.length && list[k] < to; ++k) {
    const [a, b] = [Math.max(from, list[k]), Math.min(to, list[k + 1])];
    const pieces = Math.max(1, Math.ceil((b - a) / most));
    for (let i = 1; i <= pieces; ++i) out.push(i === pieces ? b : a + ((b - a) * i) / pieces);
  }
  return Float64Array.from(out);
}

/**
 * The ledger at its samples; what impacts take away goes in a step at their time, from what was just before. Where samples
 * are sparse and gravity is known, potential energy follows the bodies, and kinetic energy has the rest.
 * @param {Trajectory} trajectory @param {Record<string, string>} colours @returns {Series[]}
 */
export function energySeries(trajectory, colours) {
  const { motion } = trajectory;
  const { energy, events } = motion;
  if (!energy) return [];
  const lost = new Float64Array(motion.times.length);
  for (const event of events) if (event.kind === 'impact') lost[event.sample] -= event.energy_change;
  const heavy = motion.bodies.map((_, i) => i).filter((i) => motion.bodies[i].mover >= 0 && !motion.bodies[i].fixed);
  const known =
    norm(motion.gravity) > 0 && heavy.every((i) => motion.bodies[i].mass > 0) && heavy.length * fineness < 3e5;
  const potential = (/** @type {number} */ t) =>
    -heavy.reduce((sum, i) => sum + motion.bodies[i].mass * dot(motion.gravity, trajectory.pose(i, t).position), 0);
  const step = (trajectory.end - trajectory.start) / fineness;

  /** @type {Record<'times' | 'kinetic' | 'potential' | 'impact' | 'friction', number[]>} */
  const out = { times: [], kinetic: [], potential: [], impact: [], friction: [] };
  const add = (
    /** @type {number} */ t,
    /** @type {number} */ k,
    /** @type {number} */ p,
    /** @type {number} */ i,
    /** @type {number} */ f,
  ) => {
    out.times.push(t);
    out.kinetic.push(k);
    out.potential.push(p);
    out.impact.push(i);
    out.friction.push(f);
  };
  for (let k = 0; k < motion.times.length; ++k) {
    const [t, K, U, I, F] = [
      motion.times[k],
      energy.kinetic[k],
      energy.potential[k],
      energy.lost_to_impact[k],
      energy.lost_to_friction[k],
    ];
    const h = k > 0 ? t - motion.times[k - 1] : 0;
    if (known && h > 1.5 * step) {
      const pieces = Math.ceil(h / step);
      const total = energy.kinetic[k - 1] + energy.potential[k - 1];
      const rise = K + lost[k] + U - total;
      const [friction, slid] = [energy.lost_to_friction[k - 1], F - energy.lost_to_friction[k - 1]];
      for (let i = 1; i < pieces; ++i) {
        const s = i / pieces;
        const here = potential(t - h + s * h);
        add(t - h + s * h, total + s * rise - here, here, energy.lost_to_impact[k - 1], friction + s * slid);
      }
    }
    if (lost[k] !== 0 && k > 0) add(t, K + lost[k], U, I - lost[k], F);
    add(t, K, U, I, F);
  }
  const total = out.kinetic.map((x, i) => x + out.potential[i]);
  const made = [
    { name: 'kinetic', colour: colours.kinetic, values: out.kinetic },
    { name: 'potential', colour: colours.potential, values: out.potential },
    { name: 'kinetic + potential', colour: colours.total, values: total },
    { name: 'lost to impact', colour: colours.impact, values: out.impact },
    { name: 'lost to friction', colour: colours.friction, values: out.friction },
  ];
  return made.map((one) => ({ ...one, times: out.times }));
}

/**
 * What the lower plot can show of a body.
 * @typedef {{name: string, unit: string, of: (body: number, time: number) => number}} Quantity
 */

/**
 * Gaps to every plane and between few balls, exact; the height of the lowest point where there is neither; the height
 * of centres.
 * @param {Trajectory} trajectory @param {import('./linear.js').Vec} up @returns {Quantity[]}
 */
export function quantities(trajectory, up) {
  const { bodies } = trajectory.motion;
  const solid = (/** @type {number} */ body) => bodies[body].shapes.filter(({ kind }) => kind !== 'plane');
  /** @type {(body: number, time: number, n: import('./linear.js').Vec) => number} */
  const lowest = (body, time, n) => {
    const pose = trajectory.pose(body, time);
    const down = /** @type {import('./linear.js').Vec} */ ([-n[0], -n[1], -n[2]]);
    const shapes = solid(body);
    if (shapes.length === 0) return dot(n, pose.position);
    return -shapes.reduce((most, shape) => Math.max(most, reach(shape, pose, down)), -Infinity);
  };
  /** @type {Quantity[]} */
  const out = [];
  bodies.forEach((owner, other) => {
    const planes = owner.shapes.filter(({ kind }) => kind === 'plane');
    planes.forEach((shape, i) => {
      const still = owner.mover < 0 ? planeOf(shape, trajectory.pose(other, trajectory.start)) : null;
      out.push({
        name: `gap to ${owner.name}${planes.length > 1 ? ` ${i + 1}` : ''}`,
        unit: 'm',
        of: (body, time) => {
          const { n, point } = still ?? planeOf(shape, trajectory.pose(other, time));
          return body === other ? NaN : lowest(body, time, n) - dot(n, point);
        },
      });
    });
  });
  const balls = bodies
    .map((_, i) => i)
    .filter((i) => bodies[i].shapes.length === 1 && bodies[i].shapes[0].kind === 'sphere');
  if (balls.length > 1 && balls.length <= mostBalls) {
    const centre = (/** @type {number} */ i, /** @type {number} */ time) => {
      const { position, orientation } = trajectory.pose(i, time);
      return plus(position, turned(orientation, bodies[i].shapes[0].position));
    };
    out.push({
      name: 'gap to the nearest ball',
      unit: 'm',
      of: (body, time) => {
        if (!balls.includes(body)) return NaN;
        const at = centre(body, time);
        const gaps = balls.map(
          (i) => norm(minus(centre(i, time), at)) - bodies[i].shapes[0].radius - bodies[body].shapes[0].radius,
        );
        return balls.reduce((least, i, k) => (i === body ? least : Math.min(least, gaps[k])), Infinity);
      },
    });
  }
  if (out.length === 0)
    out.push({ name: 'height of the lowest point', unit: 'm', of: (body, time) => lowest(body, time, up) });
  out.push({
    name: 'height of the centre',
    unit: 'm',
    of: (body, time) => dot(up, trajectory.pose(body, time).position),
  });
  return out;
}
