/** The visible part of impulse space: a box, and its bounding sphere, which is mapped to the unit sphere. */

import type { AxesDocument, InspectDocument, LawAnswer, RegionDocument, Vec3 } from '../documents';
import { across, dot, plus, scaled } from './vectors';

/** Axes of the page: right along t, up along n, towards the reader against b. */
export const turnedBy =
  ({ n, t, b }: AxesDocument) =>
  (v: Vec3): Vec3 => [dot(t, v), dot(n, v), -dot(b, v)];

export class Sight {
  readonly radius: number;
  /** Half of the box, in units of the radius. */
  readonly box: Vec3;

  constructor(
    readonly centre: Vec3,
    readonly half: Vec3,
  ) {
    this.radius = Math.hypot(...half);
    this.box = scaled(half, 1 / this.radius);
  }

  /** From the page's axes to where it is drawn. */
  placed(v: Vec3): Vec3 {
    return scaled(plus(v, -1, this.centre), 1 / this.radius);
  }

  holds(p: Vec3, air = 1.03): boolean {
    return p.every((value, i) => Math.abs(value) <= air * this.box[i as 0 | 1 | 2]);
  }

  /** Points outside the box become holes. */
  cut(points: Vec3[]): (Vec3 | null)[] {
    return points.map((p) => (this.holds(p) ? p : null));
  }

  /** The part of a line that lies in the box; null when there is none. */
  straight(at: Vec3, along: Vec3): [Vec3, Vec3] | null {
    let from = -Infinity;
    let to = Infinity;
    for (const i of [0, 1, 2] as const) {
      if (Math.abs(along[i]) < 1e-12) {
        if (Math.abs(at[i]) > this.box[i]) return null;
        continue;
      }
      const s = (-this.box[i] - at[i]) / along[i];
      const t = (this.box[i] - at[i]) / along[i];
      from = Math.max(from, Math.min(s, t));
      to = Math.min(to, Math.max(s, t));
    }
    return from < to ? [plus(at, from, along), plus(at, to, along)] : null;
  }

  /** Where the plane n·x = d cuts the box. */
  polygon(n: Vec3, d: number): Vec3[] {
    const out: Vec3[] = [];
    for (const i of [0, 1, 2] as const) {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3] as [0 | 1 | 2, 0 | 1 | 2];
      if (Math.abs(n[i]) < 1e-12) continue;
      for (const [sj, sk] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        const p: Vec3 = [0, 0, 0];
        p[j] = sj * this.box[j];
        p[k] = sk * this.box[k];
        p[i] = (d - n[j] * p[j] - n[k] * p[k]) / n[i];
        if (Math.abs(p[i]) <= this.box[i]) out.push(p);
      }
    }
    const [u, v] = across(n);
    const middle = scaled(
      out.reduce<Vec3>((sum, p) => plus(sum, 1, p), [0, 0, 0]),
      1 / Math.max(1, out.length),
    );
    const angle = (p: Vec3) => Math.atan2(dot(plus(p, -1, middle), v), dot(plus(p, -1, middle), u));
    return out.sort((a, b) => angle(a) - angle(b));
  }

  /** Whether a different object is in view, and not only one changed by a drag. */
  farFrom(other: Sight): boolean {
    const ratio = this.radius / other.radius;
    const shift = Math.hypot(...plus(this.centre, -1, other.centre)) / other.radius;
    return ratio > 1.7 || ratio < 0.55 || shift > 0.6;
  }
}

/** The whole ellipsoid, unless it is much larger than its contents. */
export function sightFor(
  turned: (v: Vec3) => Vec3,
  answers: LawAnswer[],
  inspect: InspectDocument | null,
  region: RegionDocument | null,
): Sight {
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
  if (region?.bounded)
    for (let i = 0; i < region.points.length; i += 3)
      include(turned([region.points[i]!, region.points[i + 1]!, region.points[i + 2]!]));
  // An answer far from the permissible region does not determine the scale.
  const core = Math.hypot(...plus(high, -1, low));
  for (const answer of answers)
    for (const P of [answer.P, ...(answer.path ?? []).map((point) => point.P)])
      if (P && (core === 0 || Math.hypot(...P) < 1.6 * core)) include(turned(P));
  const half = (): Vec3 => scaled(plus(high, -1, low), 0.5);
  const size = Math.hypot(...half());
  let whole = false;
  if (inspect) {
    const extent: Vec3 = [0, 0, 0];
    for (const axis of inspect.ellipsoid.half_axes) {
      const d = turned(axis.direction);
      const length = typeof axis.length === 'number' ? axis.length : Infinity;
      for (const i of [0, 1, 2] as const) extent[i] = Math.hypot(extent[i], d[i] === 0 ? 0 : length * d[i]);
    }
    whole = Math.hypot(...extent) <= 5 * size;
    if (whole) {
      const centre = turned(inspect.ellipsoid.centre);
      include(plus(centre, 1, extent));
      include(plus(centre, -1, extent));
    }
  }
  const box = half();
  // An empty view has unit size.
  const largest = Math.max(...box) || 1;
  // A margin, and a minimum thickness of the box.
  for (const i of [0, 1, 2] as const) box[i] = Math.max((whole ? 1.06 : 1.5) * box[i], 0.55 * largest);
  return new Sight(scaled(plus(low, 1, high), 0.5), box);
}
