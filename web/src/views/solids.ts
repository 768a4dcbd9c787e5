/** Shapes of unit size, put into place by matrices, and circles of lines around them. */

import { BufferAttribute, BufferGeometry } from 'three';
import type { Vec3 } from '../documents';
import { plus } from './vectors';

const circleSteps = 80;

/** centre + u cos a + v sin a */
export function ring(centre: Vec3, u: Vec3, v: Vec3): Vec3[] {
  return Array.from({ length: circleSteps }, (_, i) => {
    const a = (2 * Math.PI * i) / circleSteps;
    return plus(plus(centre, Math.cos(a), u), Math.sin(a), v);
  });
}

/** From the origin to the unit circle at height 1. */
export function coneGeometry(): BufferGeometry {
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

/** The unit circle at height 0, filled. */
export function discGeometry(): BufferGeometry {
  const geometry = coneGeometry();
  const places = geometry.attributes.position!;
  for (let i = 0; i < places.count; ++i) places.setY(i, 0);
  return geometry;
}

/** Two squares across the second axis, at ±1. */
export function slabGeometry(): BufferGeometry {
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
