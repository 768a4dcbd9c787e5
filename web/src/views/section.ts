/** Lines of restitution on the section P_b = 0: coordinates P_t, P_n (docs/notation.md). */

import type { Vec2, Vec3 } from '../documents';
import { dot } from './vectors';
import type { Frame } from './view';

/** V_n⁺ = V_n + (n·W) P, with n·W by its parts along t and n. */
function normalSpeed(frame: Frame): { V_n: number; along: number; up: number } | null {
  if (!frame.axes) return null;
  const { n, t } = frame.axes;
  const { W, V } = frame.outcome.contact;
  const row: Vec3 = [dot(W[0], n), dot(W[1], n), dot(W[2], n)];
  return { V_n: dot(V, n), along: dot(row, t), up: dot(row, n) };
}

/** e = V_n⁺ / −V_n at a point; NaN where there are no axes. */
export function restitutionAt(frame: Frame, p: Vec2): number {
  const speed = normalSpeed(frame);
  return speed ? (speed.V_n + speed.up * p[1] + speed.along * p[0]) / -speed.V_n : NaN;
}

/** Two points far apart on the line of e; `size` is what can be seen. */
export function restitutionLine(frame: Frame, e: number, size: number): [Vec2, Vec2] | null {
  const speed = normalSpeed(frame);
  if (!speed) return null;
  const { V_n, along, up } = speed;
  const scale = (2 * size) / Math.hypot(along, up);
  const middle = (-(1 + e) * V_n) / up;
  return [
    [-up * scale, middle + along * scale],
    [up * scale, middle - along * scale],
  ];
}
