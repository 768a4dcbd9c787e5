/** Reads a motion document (docs/motion-document.md) and checks it. */

/** @typedef {import('./linear.js').Vec} Vec */
/** @typedef {import('./linear.js').Quat} Quat */
/**
 * @typedef {{kind: string, size: Vec, radius: number, position: Vec, orientation: Quat, vertices: Vec[], faces: number[][]}} Shape
 */
/**
 * `mover` is the place among the bodies that move, −1 for the others.
 * @typedef {{name: string, fixed: boolean, mover: number, mass: number, pose: number[], shapes: Shape[]}} Body
 */
/**
 * `sample` is the index of the sample at its time.
 * @typedef {{time: number, kind: string, body_a: number, body_b: number, point: Vec, n: Vec, P: Vec, energy_change: number, sample: number}} MotionEvent
 */
/**
 * @typedef {{kinetic: Float64Array, potential: Float64Array, lost_to_impact: Float64Array, lost_to_friction: Float64Array}} Energy
 */
/**
 * @typedef {object} Motion
 * @property {string} title
 * @property {Vec} gravity
 * @property {Body[]} bodies
 * @property {number} movers
 * @property {Float64Array} times
 * @property {Float64Array} poses 7 numbers for each moving body of each sample
 * @property {Float64Array | null} velocities 6 numbers
 * @property {MotionEvent[]} events
 * @property {Energy | null} energy
 */

/** Names what is wrong: "events[2].time: 0.4: must be the time of a sample". */
export class MotionError extends Error {}

export const shapeKinds = ['sphere', 'box', 'capsule', 'cylinder', 'ellipsoid', 'plane', 'hull', 'surface'];

/** @param {string} path @param {unknown} value @param {string} allowed @returns {never} */
function refuse(path, value, allowed) {
  const text = value === undefined ? 'is missing' : (JSON.stringify(value) ?? String(value)).slice(0, 60);
  throw new MotionError(`${path}: ${text}: ${allowed}`);
}

/** @param {any} object @param {string} path @returns {any} */
function objectAt(object, path) {
  if (object === null || typeof object !== 'object' || Array.isArray(object)) refuse(path, object, 'must be an object');
  return object;
}

/** @param {any} value @param {string} path @returns {any[]} */
function listAt(value, path) {
  if (!Array.isArray(value)) refuse(path, value, 'must be a list');
  return value;
}

/** @param {any} value @param {string} path */
function finiteAt(value, path) {
  if (!Number.isFinite(value)) refuse(path, value, 'must be a number');
  return /** @type {number} */ (value);
}

/** @param {any} value @param {string} path @param {number} count @param {number[]} [absent] */
function numbersAt(value, path, count, absent) {
  if (value === undefined && absent) return absent;
  if (!Array.isArray(value) || value.length !== count || !value.every(Number.isFinite))
    refuse(path, value, `must be ${count} numbers`);
  return /** @type {number[]} */ (value);
}

/** A long list; checked number by number. @param {any} value @param {string} path @param {number} count */
function arrayAt(value, path, count) {
  const list = listAt(value, path);
  if (list.length !== count) refuse(`${path}.length`, list.length, `must be ${count}`);
  const out = new Float64Array(count);
  for (let i = 0; i < count; ++i) {
    const x = list[i];
    if (typeof x !== 'number') refuse(`${path}[${i}]`, x, 'must be a number');
    out[i] = x;
  }
  return out;
}

/** @param {any} given @param {string} path @returns {Shape} */
function readShape(given, path) {
  const shape = objectAt(given, path);
  if (!shapeKinds.includes(shape.kind)) refuse(`${path}.kind`, shape.kind, `must be one of ${shapeKinds.join(', ')}`);
  const sized = ['box', 'capsule', 'cylinder', 'ellipsoid'].includes(shape.kind);
  const radius = shape.radius === undefined && shape.kind !== 'sphere' ? 0 : finiteAt(shape.radius, `${path}.radius`);
  const meshed = shape.kind === 'hull' || shape.kind === 'surface';
  const vertices = meshed ? listAt(shape.vertices, `${path}.vertices`) : [];
  const faces = meshed ? listAt(shape.faces ?? [], `${path}.faces`) : [];
  faces.forEach((face, i) => {
    const fits =
      Array.isArray(face) &&
      face.length >= 3 &&
      face.every((k) => Number.isInteger(k) && k >= 0 && k < vertices.length);
    if (!fits) refuse(`${path}.faces[${i}]`, face, 'must be three or more indices of vertices');
  });
  return {
    kind: shape.kind,
    size: /** @type {Vec} */ (numbersAt(shape.size, `${path}.size`, 3, sized ? undefined : [0, 0, 0])),
    radius,
    position: /** @type {Vec} */ (numbersAt(shape.position, `${path}.position`, 3, [0, 0, 0])),
    orientation: /** @type {Quat} */ (numbersAt(shape.orientation, `${path}.orientation`, 4, [1, 0, 0, 0])),
    vertices: vertices.map((v, i) => /** @type {Vec} */ (numbersAt(v, `${path}.vertices[${i}]`, 3))),
    faces,
  };
}

/** The sample at this very time, −1 where there is none. @param {Float64Array} list @param {number} time */
function sampleAt(list, time) {
  let [low, high] = [0, list.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (list[middle] === time) return middle;
    if (list[middle] < time) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** @param {any} given @param {string} path @param {number} bodies @param {Float64Array} list @returns {MotionEvent} */
function readEvent(given, path, bodies, list) {
  const event = objectAt(given, path);
  const sample = sampleAt(list, event.time);
  if (sample < 0) refuse(`${path}.time`, event.time, 'must be the time of a sample');
  if (typeof event.kind !== 'string') refuse(`${path}.kind`, event.kind, 'must be a word');
  for (const key of ['body_a', 'body_b'])
    if (!Number.isInteger(event[key]) || event[key] < 0 || event[key] >= bodies)
      refuse(`${path}.${key}`, event[key], 'must be the index of a body');
  const vector = (/** @type {string} */ key) => /** @type {Vec} */ (numbersAt(event[key], `${path}.${key}`, 3));
  return {
    time: event.time,
    kind: event.kind,
    body_a: event.body_a,
    body_b: event.body_b,
    point: vector('point'),
    n: vector('n'),
    P: vector('P'),
    energy_change: finiteAt(event.energy_change, `${path}.energy_change`),
    sample,
  };
}

/** @param {string} text @returns {Motion} */
export function readMotion(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (problem) {
    throw new MotionError(`not JSON: ${problem instanceof Error ? problem.message : String(problem)}`);
  }
  objectAt(given, 'document');
  if (given.ricochet !== 'motion') refuse('ricochet', given.ricochet, 'must be "motion"');
  if (given.version !== 1) refuse('version', given.version, 'must be 1');

  const list = listAt(given.times, 'times');
  const samples = arrayAt(list, 'times', list.length);
  if (samples.length === 0) refuse('times', list, 'must hold at least one time');
  for (let i = 1; i < samples.length; ++i)
    if (!(samples[i] > samples[i - 1])) refuse(`times[${i}]`, samples[i], 'must be later than the one before');

  let movers = 0;
  const bodies = listAt(given.bodies, 'bodies').map((one, i) => {
    const path = `bodies[${i}]`;
    const body = objectAt(one, path);
    return /** @type {Body} */ ({
      name: typeof body.name === 'string' && body.name !== '' ? body.name : `body ${i + 1}`,
      fixed: body.fixed === true,
      mover: (body.moves ?? body.fixed !== true) ? movers++ : -1,
      mass: body.mass === undefined ? NaN : finiteAt(body.mass, `${path}.mass`),
      pose: numbersAt(body.pose, `${path}.pose`, 7, [0, 0, 0, 1, 0, 0, 0]),
      shapes: listAt(body.shapes ?? [], `${path}.shapes`).map((shape, k) => readShape(shape, `${path}.shapes[${k}]`)),
    });
  });
  const poses = arrayAt(given.poses, 'poses', 7 * movers * samples.length);
  const velocities =
    given.velocities === undefined ? null : arrayAt(given.velocities, 'velocities', 6 * movers * samples.length);
  const events = listAt(given.events ?? [], 'events').map((event, i) =>
    readEvent(event, `events[${i}]`, bodies.length, samples),
  );
  events.sort((a, b) => a.time - b.time);
  const ledger = given.energy === undefined ? null : objectAt(given.energy, 'energy');
  const column = (/** @type {string} */ key) => arrayAt(ledger[key], `energy.${key}`, samples.length);
  return {
    title: typeof given.title === 'string' ? given.title : '',
    gravity: /** @type {Vec} */ (numbersAt(given.gravity, 'gravity', 3, [0, 0, 0])),
    bodies,
    movers,
    times: samples,
    poses,
    velocities,
    events,
    energy: ledger && {
      kinetic: column('kinetic'),
      potential: column('potential'),
      lost_to_impact: column('lost_to_impact'),
      lost_to_friction: column('lost_to_friction'),
    },
  };
}
