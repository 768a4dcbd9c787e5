/** Shapes as triangles, and how far they reach. */

import { cross, dot, minus, norm, plus, product, times, turned, turnedBack, unit } from './linear.js';

/** @typedef {import('./linear.js').Vec} Vec */
/** @typedef {import('./linear.js').Quat} Quat */
/** @typedef {import('./document.js').Shape} Shape */
/**
 * `edges` are pairs of points.
 * @typedef {{points: number[], normals: number[], edges: number[], round: boolean}} Mesh
 */

/** @param {Mesh} mesh @param {Vec[]} p @param {Vec[]} n */
function addTriangle(mesh, p, n) {
  for (let i = 0; i < 3; ++i) {
    mesh.points.push(...p[i]);
    mesh.normals.push(...n[i]);
  }
}

/**
 * A surface over a sheet of rows and columns: at(row, column) gives a point and its normal.
 * @param {Mesh} mesh @param {number} rows @param {number} columns
 * @param {(i: number, j: number) => [Vec, Vec]} at
 */
function addSheet(mesh, rows, columns, at) {
  for (let i = 0; i < rows; ++i)
    for (let j = 0; j < columns; ++j) {
      const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
      addTriangle(mesh, [a[0], b[0], c[0]], [a[1], b[1], c[1]]);
      addTriangle(mesh, [a[0], c[0], d[0]], [a[1], c[1], d[1]]);
    }
}

/** @type {(i: number, j: number, rows: number, columns: number) => Vec} */
function onSphere(i, j, rows, columns) {
  const [polar, turn] = [(Math.PI * i) / rows, (2 * Math.PI * j) / columns];
  return [Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)];
}

/**
 * An ellipsoid and a ball that is swept over it.
 * @param {Mesh} mesh @param {Vec} axes @param {number} radius @param {number} columns @param {Vec} [centre]
 */
function addEllipsoid(mesh, axes, radius, columns, centre = [0, 0, 0]) {
  const rows = columns / 2;
  addSheet(mesh, rows, columns, (i, j) => {
    const u = onSphere(i, j, rows, columns);
    const n = unit([u[0] / (axes[0] || 1e-9), u[1] / (axes[1] || 1e-9), u[2] / (axes[2] || 1e-9)]);
    const way = Math.max(...axes) > 0 ? n : u;
    return [
      plus(centre, [
        axes[0] * u[0] + radius * way[0],
        axes[1] * u[1] + radius * way[1],
        axes[2] * u[2] + radius * way[2],
      ]),
      way,
    ];
  });
}

/**
 * A surface of revolution about z: points [r, z] of the outline from above to below, each with its normal.
 * @param {Mesh} mesh @param {number[][]} outline @param {number} segments
 */
function addTurned(mesh, outline, segments) {
  addSheet(mesh, outline.length - 1, segments, (i, j) => {
    const [r, z, nr, nz] = outline[i];
    const [c, s] = [Math.cos((2 * Math.PI * j) / segments), Math.sin((2 * Math.PI * j) / segments)];
    return [
      [r * c, r * s, z],
      [nr * c, nr * s, nz],
    ];
  });
}

/**
 * A cylinder with a ball swept over it: r = 0 gives a capsule.
 * @param {Mesh} mesh @param {number} r @param {number} half @param {number} ball @param {number} segments
 */
function addCylinder(mesh, r, half, ball, segments) {
  const outline = [];
  const quarter = segments / 4;
  for (const [side, from] of [
    [1, 0],
    [-1, Math.PI / 2],
  ])
    // prettier-ignore
    for (let i = 0; i <= (ball > 0 ? quarter : 1); ++i) {
      const polar = from + (Math.PI / 2) * (ball > 0 ? i / quarter : i);
      const [s, c] = [Math.sin(polar), Math.cos(polar)];
      outline.push([r + ball * s, side * half + ball * c, s, c]);
    }
  if (r > 0) {
    outline.unshift([0, half + ball, 0, 1]);
    outline.push([0, -half - ball, 0, -1]);
  }
  addTurned(mesh, outline, segments);
  if (ball > 0) return;
  for (const z of [half, -half])
    for (let j = 0; j < segments; ++j)
      for (const k of [j, j + 1])
        mesh.edges.push(r * Math.cos((2 * Math.PI * k) / segments), r * Math.sin((2 * Math.PI * k) / segments), z);
}

/**
 * The faces of a hull that is given by its vertices alone: neighbouring directions find the vertices of a face.
 * @param {Vec[]} vertices @returns {number[][]}
 */
function facesOf(vertices) {
  const [rows, columns] = [64, 128];
  const found = new Map();
  const farthest = (/** @type {number} */ i, /** @type {number} */ j) => {
    const a = onSphere(i, j, rows, columns);
    let best = 0;
    for (let k = 1; k < vertices.length; ++k) if (dot(vertices[k], a) > dot(vertices[best], a)) best = k;
    return best;
  };
  for (let i = 0; i < rows; ++i)
    for (let j = 0; j < columns; ++j) {
      const [a, b, c, d] = [farthest(i, j), farthest(i + 1, j), farthest(i + 1, j + 1), farthest(i, j + 1)];
      for (const face of [
        [a, b, c],
        [a, c, d],
        [a, b, d],
        [b, c, d],
      ])
        // prettier-ignore
        if (new Set(face).size === 3) found.set([...face].sort((x, y) => x - y).join(), face);
    }
  return [...found.values()];
}

/**
 * The faces of a hull are turned outwards, those of a surface have their vertices against the clock seen from outside.
 * @param {Mesh} mesh @param {Vec[]} vertices @param {number[][]} given @param {number} ball @param {boolean} convex
 */
function addHull(mesh, vertices, given, ball, convex) {
  const faces = given.length > 0 ? given : facesOf(vertices);
  const middle = times(1 / Math.max(vertices.length, 1), vertices.reduce(plus, [0, 0, 0]));
  /** @type {Map<string, Vec[]>} */
  const normalsOf = new Map();
  for (const face of faces) {
    const [a, b, c] = face.map((k) => vertices[k]);
    let n = unit(cross(minus(b, a), minus(c, a)));
    if (norm(n) < 0.5) continue;
    if (convex && dot(n, minus(a, middle)) < 0) n = times(-1, n);
    const out = face.map((k) => plus(vertices[k], times(ball, n)));
    for (let i = 1; i + 1 < out.length; ++i) addTriangle(mesh, [out[0], out[i], out[i + 1]], [n, n, n]);
    face.forEach((k, i) => {
      const other = face[(i + 1) % face.length];
      const key = k < other ? `${k},${other}` : `${other},${k}`;
      normalsOf.set(key, [...(normalsOf.get(key) ?? []), n]);
    });
  }
  const flat = Math.cos(0.1);
  for (const [key, normals] of normalsOf) {
    const [a, b] = key.split(',').map((k) => vertices[Number(k)]);
    if (normals.length < 2 || dot(normals[0], normals[1]) > flat) continue;
    if (ball === 0) {
      mesh.edges.push(...a, ...b);
      continue;
    }
    addSheet(mesh, 6, 1, (i, j) => {
      const n = unit(plus(times(1 - i / 6, normals[0]), times(i / 6, normals[1])));
      return [plus(j === 0 ? a : b, times(ball, n)), n];
    });
  }
  if (ball > 0) for (const v of vertices) addEllipsoid(mesh, [0, 0, 0], ball, 16, v);
}

/** The corners of a box, three bits for three signs, and its faces. @param {Vec} half @returns {[Vec[], number[][]]} */
function boxHull(half) {
  const vertices = Array.from(
    { length: 8 },
    (_, k) => /** @type {Vec} */ (half.map((h, i) => (k & (1 << i) ? h : -h))),
  );
  return [vertices, [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]]]; // prettier-ignore
}

/**
 * In body axes. What has no thickness gets `thin`, so that it can be seen. A plane has no triangles. Round shapes have so many
 * pieces around, a multiple of four.
 * @param {Shape} shape @param {number} thin @param {number} [pieces] @returns {Mesh}
 */
export function meshOf(shape, thin, pieces = 48) {
  /** @type {Mesh} */
  const mesh = {
    points: [],
    normals: [],
    edges: [],
    round: ['sphere', 'ellipsoid', 'capsule', 'cylinder'].includes(shape.kind),
  };
  const { size, radius } = shape;
  if (shape.kind === 'sphere') addEllipsoid(mesh, [0, 0, 0], radius || thin, pieces);
  if (shape.kind === 'ellipsoid') addEllipsoid(mesh, size, radius, pieces);
  if (shape.kind === 'capsule') addCylinder(mesh, 0, size[2], radius || thin, pieces);
  if (shape.kind === 'cylinder') addCylinder(mesh, size[0], size[2], radius, pieces);
  if (shape.kind === 'box') addHull(mesh, ...boxHull(size), radius, true);
  if (shape.kind === 'hull' || shape.kind === 'surface')
    addHull(mesh, shape.vertices, shape.faces, radius, shape.kind === 'hull');
  for (const [list, shift] of /** @type {[number[], Vec][]} */ ([
    [mesh.points, shape.position],
    [mesh.edges, shape.position],
    [mesh.normals, [0, 0, 0]],
  ]))
    for (let i = 0; i < list.length; i += 3) {
      const p = plus(turned(shape.orientation, [list[i], list[i + 1], list[i + 2]]), shift);
      list[i] = p[0];
      list[i + 1] = p[1];
      list[i + 2] = p[2];
    }
  return mesh;
}

/** max a·x over the core, in the shape's axes. @param {Shape} shape @param {Vec} a */
function coreReach({ kind, size, vertices }, a) {
  if (kind === 'box') return Math.abs(a[0]) * size[0] + Math.abs(a[1]) * size[1] + Math.abs(a[2]) * size[2];
  if (kind === 'capsule') return Math.abs(a[2]) * size[2];
  if (kind === 'cylinder') return Math.hypot(a[0], a[1]) * size[0] + Math.abs(a[2]) * size[2];
  if (kind === 'ellipsoid') return Math.hypot(a[0] * size[0], a[1] * size[1], a[2] * size[2]);
  if (kind === 'hull' || kind === 'surface') return vertices.reduce((most, v) => Math.max(most, dot(a, v)), -Infinity);
  return 0;
}

/**
 * max n·x over the shape of a body with this pose; n is a unit vector of the world.
 * @param {Shape} shape @param {import('./trajectory.js').Pose} pose @param {Vec} n
 */
export function reach(shape, pose, n) {
  const inBody = turnedBack(pose.orientation, n);
  const own = dot(n, pose.position) + dot(inBody, shape.position) + shape.radius;
  return own + coreReach(shape, turnedBack(shape.orientation, inBody));
}

/** Radius of a ball about the body's centre that holds the shape. @param {Shape} shape */
export function ballRadius({ kind, size, radius, position, vertices }) {
  const core =
    kind === 'hull' || kind === 'surface'
      ? vertices.reduce((most, v) => Math.max(most, norm(v)), 0)
      : kind === 'cylinder'
        ? Math.hypot(size[0], size[2])
        : norm(size);
  return norm(position) + radius + (kind === 'ellipsoid' ? Math.max(...size) : core);
}

/**
 * The plane of a shape in the world: outward normal, a point, and how its axes lie.
 * @param {Shape} shape @param {import('./trajectory.js').Pose} pose
 */
export function planeOf(shape, pose) {
  const orientation = product(pose.orientation, shape.orientation);
  const n = turned(orientation, [0, 0, 1]);
  const point = plus(pose.position, plus(turned(pose.orientation, shape.position), times(shape.radius, n)));
  return { n, point, orientation };
}
