/** Vectors are [x, y, z], quaternions [w, x, y, z], 4×4 matrices 16 numbers by columns, as WebGL has them. */

/** @typedef {[number, number, number]} Vec */
/** @typedef {[number, number, number, number]} Quat */

/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => Vec} */
export const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => Vec} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** @type {(s: number, a: ArrayLike<number>) => Vec} */
export const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => number} */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => Vec} */
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
/** @type {(a: ArrayLike<number>) => number} */
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
/** @type {(a: ArrayLike<number>) => Vec} */
export const unit = (a) => times(1 / (norm(a) || 1), a);

/** A unit vector across a unit vector. @type {(n: ArrayLike<number>) => Vec} */
export const across = (n) => unit(cross(n, Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));

/** @type {(a: Quat, b: Quat) => Quat} */
export const product = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];
/** @type {(q: Quat) => Quat} */
export const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];

/** The rotation by |r| about r. @type {(r: Vec) => Quat} */
export function rotationBy(r) {
  const angle = norm(r);
  const s = angle < 1e-8 ? 0.5 : Math.sin(angle / 2) / angle;
  return [Math.cos(angle / 2), s * r[0], s * r[1], s * r[2]];
}

/** The shorter rotation vector of a unit quaternion. @type {(q: Quat) => Vec} */
export function rotationVector(q) {
  const sign = q[0] < 0 ? -1 : 1;
  const s = Math.hypot(q[1], q[2], q[3]);
  const scale = s < 1e-12 ? 2 : (2 * Math.atan2(s, sign * q[0])) / s;
  return [sign * scale * q[1], sign * scale * q[2], sign * scale * q[3]];
}

/** @type {(q: ArrayLike<number>, v: ArrayLike<number>) => Vec} */
export function turned(q, v) {
  const w = q[0];
  const x = q[1];
  const y = q[2];
  const z = q[3];
  const a = 2 * (y * v[2] - z * v[1]);
  const b = 2 * (z * v[0] - x * v[2]);
  const c = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a];
}
/** @type {(q: ArrayLike<number>, v: ArrayLike<number>) => Vec} */
export const turnedBack = (q, v) => turned([q[0], -q[1], -q[2], -q[3]], v);

/**
 * Turns by q, then moves by p; sizes along the axes first.
 * @type {(p: ArrayLike<number>, q: ArrayLike<number>, size?: Vec) => Float32Array}
 */
export function placed(p, q, size = /** @type {Vec} */ ([1, 1, 1])) {
  const x = turned(q, [size[0], 0, 0]);
  const y = turned(q, [0, size[1], 0]);
  const z = turned(q, [0, 0, size[2]]);
  return new Float32Array([...x, 0, ...y, 0, ...z, 0, p[0], p[1], p[2], 1]);
}

/** @type {(a: Float32Array, b: Float32Array) => Float32Array} */
export function multiplied(a, b) {
  const out = new Float32Array(16);
  for (let j = 0; j < 4; ++j)
    for (let i = 0; i < 4; ++i) for (let k = 0; k < 4; ++k) out[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return out;
}

/** @type {(angle: number, aspect: number, near: number, far: number) => Float32Array} */
export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  const d = 1 / (near - far);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * d, -1, 0, 0, 2 * far * near * d, 0]);
}

/** A box of half width r about the axis, from −depth to depth. @type {(r: number, depth: number) => Float32Array} */
export const orthographic = (r, depth) =>
  new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1]);

/** World to camera. @type {(eye: Vec, target: Vec, up: Vec) => Float32Array} */
export function lookingAt(eye, target, up) {
  const z = unit(minus(eye, target));
  const x = unit(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]); // prettier-ignore
}
