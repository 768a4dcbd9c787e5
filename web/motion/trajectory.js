/**
 * Poses between samples. Positions are cubic Hermite polynomials; orientations turn with the angular velocity of the earlier
 * sample, and a slerp of what then is missing brings them to the later one. Events are samples, so that nothing is
 * interpolated across one. A sample at an impact has the velocities after it, which say nothing about the interval before:
 * there the position is the parabola through both ends with the earlier velocity.
 */

import { conjugate, product, rotationBy, rotationVector, times, turned } from './linear.js';

/** @typedef {import('./document.js').Motion} Motion */
/** @typedef {import('./linear.js').Vec} Vec */
/** @typedef {import('./linear.js').Quat} Quat */
/** @typedef {{position: Vec, orientation: Quat}} Pose */

export class Trajectory {
  /** @param {Motion} motion */
  constructor(motion) {
    this.motion = motion;
    this.start = motion.times[0];
    this.end = motion.times[motion.times.length - 1];
    this.impactAt = new Uint8Array(motion.times.length);
    for (const event of motion.events) if (event.kind === 'impact') this.impactAt[event.sample] = 1;
    this.last = 0;
  }

  /** The last sample that is not after this time. @param {number} time */
  before(time) {
    const list = this.motion.times;
    const near = this.last;
    if (list[near] <= time && (near + 1 === list.length || time < list[near + 1])) return near;
    let [low, high] = [0, list.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle] <= time) low = middle;
      else high = middle - 1;
    }
    this.last = low;
    return low;
  }

  /** @param {number} body @param {number} time @returns {Pose} */
  pose(body, time) {
    const { motion } = this;
    const { mover, pose } = motion.bodies[body];
    if (mover < 0) return { position: [pose[0], pose[1], pose[2]], orientation: [pose[3], pose[4], pose[5], pose[6]] };
    const k = this.before(time);
    const { poses, velocities, movers } = motion;
    const a = 7 * (k * movers + mover);
    const p0 = /** @type {Vec} */ ([poses[a], poses[a + 1], poses[a + 2]]);
    const q0 = /** @type {Quat} */ ([poses[a + 3], poses[a + 4], poses[a + 5], poses[a + 6]]);
    if (k + 1 >= motion.times.length || time <= motion.times[k]) return { position: p0, orientation: q0 };

    const h = motion.times[k + 1] - motion.times[k];
    const s = (time - motion.times[k]) / h;
    const b = a + 7 * movers;
    const p1 = /** @type {Vec} */ ([poses[b], poses[b + 1], poses[b + 2]]);
    const q1 = /** @type {Quat} */ ([poses[b + 3], poses[b + 4], poses[b + 5], poses[b + 6]]);
    if (!velocities) {
      const missing = rotationVector(product(q1, conjugate(q0)));
      return {
        position: [p0[0] + s * (p1[0] - p0[0]), p0[1] + s * (p1[1] - p0[1]), p0[2] + s * (p1[2] - p0[2])],
        orientation: product(rotationBy(times(s, missing)), q0),
      };
    }
    const c = 6 * (k * movers + mover);
    const d = c + 6 * movers;
    const struck = this.impactAt[k + 1] === 1;
    const position = /** @type {Vec} */ ([0, 0, 0]);
    for (let i = 0; i < 3; ++i) {
      const v0 = h * velocities[c + i];
      const rise = p1[i] - p0[i];
      const v1 = struck ? 2 * rise - v0 : h * velocities[d + i];
      position[i] = p0[i] + s * (v0 + s * (3 * rise - 2 * v0 - v1 + s * (v0 + v1 - 2 * rise)));
    }
    const spin = /** @type {Vec} */ ([h * velocities[c + 3], h * velocities[c + 4], h * velocities[c + 5]]);
    const missing = rotationVector(product(q1, conjugate(product(rotationBy(spin), q0))));
    return { position, orientation: product(rotationBy(times(s, missing)), product(rotationBy(times(s, spin)), q0)) };
  }

  /** A point of body axes, in the world. @param {Pose} pose @param {ArrayLike<number>} point @returns {Vec} */
  static world(pose, point) {
    const moved = turned(pose.orientation, point);
    return [pose.position[0] + moved[0], pose.position[1] + moved[1], pose.position[2] + moved[2]];
  }
}
