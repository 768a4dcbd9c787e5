/**
 * The parts of the motion viewer that need no browser: reading, interpolation, gaps and energies against closed forms.
 */

import assert from 'node:assert/strict';
import test from 'node:test';
import { readMotion } from '../../web/motion/document.js';
import { energySeries, quantities } from '../../web/motion/series.js';
import { Trajectory } from '../../web/motion/trajectory.js';
import { bouncingBall, everyShape } from './motion_documents.mjs';

const read = (document) => new Trajectory(readMotion(JSON.stringify(document)));
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} instead of ${b}`);

test('between impacts the ball is where its closed form says, with samples at impacts alone', () => {
  const { document, position } = bouncingBall({ between: 0 });
  const trajectory = read(document);
  assert.equal(document.times.length, 13);
  for (let i = 0; i <= 1000; ++i) {
    const time = (trajectory.end * i) / 1000;
    const at = trajectory.pose(1, time).position;
    position(time).forEach((x, k) => near(at[k], x, 1e-12, `coordinate ${k} at ${time}`));
  }
});

test('a body that turns several times between two samples turns that often, and ends where it should', () => {
  const spin = 40; // 18 rad in the longest flight
  const { document } = bouncingBall({ spin, between: 0 });
  const trajectory = read(document);
  for (let i = 0; i <= 500; ++i) {
    const time = (trajectory.end * i) / 500;
    const [w, x, y, z] = trajectory.pose(1, time).orientation;
    const [c, s] = [Math.cos((spin * time) / 2), Math.sin((spin * time) / 2)];
    near(Math.abs(w * c + y * s), 1, 1e-12, `orientation at ${time}`);
    near(Math.hypot(x, z), 0, 1e-12, `axis at ${time}`);
  }
});

test('without velocities positions are straight and orientations the shorter arc', () => {
  const document = {
    ricochet: 'motion', version: 1, title: '', bodies: [{ name: 'a', shapes: [] }], times: [0, 2],
    poses: [0, 0, 0, 1, 0, 0, 0, 4, 2, -2, -Math.SQRT1_2, 0, 0, -Math.SQRT1_2],
  }; // prettier-ignore
  const { position, orientation } = read(document).pose(0, 1);
  assert.deepEqual(position, [2, 1, -1]);
  near(orientation[0], Math.cos(Math.PI / 8), 1e-15, 'w');
  near(orientation[3], Math.sin(Math.PI / 8), 1e-15, 'z');
});

test('the gap to the floor is the height of the lowest point, for every kind of shape', () => {
  const { document, position } = bouncingBall();
  const ball = read(document);
  const gap = quantities(ball, [0, 0, 1]).find(({ name }) => name === 'gap to floor');
  for (const time of [0, 0.1, 0.7, 1.5, 3]) near(gap.of(1, time), position(time)[2] - 0.1, 1e-12, `gap at ${time}`);

  // Of the other shapes: at the start, where their axes are those of the world and their centres at 0.6.
  const shapes = read(everyShape());
  const half = [0.2, 0.1, 0.16, 0.3, 0.08, 0.1, 0.12, 0.1, 0.3];
  const height = quantities(shapes, [0, 0, 1]).find(({ name }) => name === 'gap to floor');
  half.forEach((h, i) => near(height.of(3 + i, 0), 0.6 - h, 1e-12, shapes.motion.bodies[3 + i].name));
  // The wall looks along +x from x = −1.2; the first ball is 0.2 from it, less its radius.
  const wall = quantities(shapes, [0, 0, 1]).find(({ name }) => name === 'gap to wall');
  near(wall.of(3, 0), 0, 1e-12, 'gap to the wall');
  near(wall.of(4, 0), 0.9 - 0.25, 1e-12, 'gap of the box to the wall');
});

test('the gap of balls is that of their surfaces', () => {
  const ball = (name, radius) => ({ name, shapes: [{ kind: 'sphere', radius }] });
  const document = {
    ricochet: 'motion', version: 1, title: '', bodies: [ball('a', 0.1), ball('b', 0.2), ball('c', 0.3)], times: [0],
    poses: [0, 0, 0, 1, 0, 0, 0, 3, 4, 0, 1, 0, 0, 0, 0, 0, 9, 1, 0, 0, 0],
  }; // prettier-ignore
  const gap = quantities(read(document), [0, 0, 1]).find(({ name }) => name === 'gap to the nearest ball');
  near(gap.of(0, 0), 5 - 0.3, 1e-15, 'a to b');
  near(gap.of(2, 0), 9 - 0.4, 1e-15, 'c to a');
});

test('kinetic, potential and lost energy add up at every point of their curves, also between sparse samples', () => {
  const { document } = bouncingBall({ between: 0 });
  const trajectory = read(document);
  const [kinetic, potential, total, impact, friction] = energySeries(trajectory, {});
  assert.ok(kinetic.times.length > 1000, 'the curves are followed between samples');
  const start = kinetic.values[0] + potential.values[0];
  for (let k = 0; k < kinetic.times.length; ++k) {
    near(
      kinetic.values[k] + potential.values[k] + impact.values[k] + friction.values[k],
      start,
      1e-12,
      `sum at ${kinetic.times[k]}`,
    );
    near(total.values[k], kinetic.values[k] + potential.values[k], 1e-15, 'total');
  }
  // Kinetic energy of the closed form in the middle of the first flight: m (g t)²/2 and what does not change.
  const middle = 0.5 * document.events[0].time;
  const k = kinetic.times.findIndex((time) => time >= middle);
  near(kinetic.values[k] - kinetic.values[0], 0.25 * (9.81 * kinetic.times[k]) ** 2, 1e-11, 'kinetic energy in flight');
  // A step at the impact: two points at its time, apart by what it took.
  const at = kinetic.times.indexOf(document.events[0].time);
  assert.equal(kinetic.times[at + 1], kinetic.times[at]);
  near(kinetic.values[at + 1] - kinetic.values[at], document.events[0].energy_change, 1e-12, 'step');
});

test('what is wrong with a document is named', () => {
  const wrong = (change, message) => {
    const { document } = bouncingBall({ bounces: 2 });
    change(document);
    assert.throws(() => readMotion(JSON.stringify(document)), message);
  };
  wrong((d) => (d.version = 2), /^MotionError|version: 2: must be 1/);
  wrong((d) => (d.times[2] = d.times[1]), /times\[2\]: .* must be later than the one before/);
  wrong((d) => d.poses.pop(), /poses\.length: 48: must be 49/);
  wrong((d) => (d.poses[5] = 'x'), /poses\[5\]: "x": must be a number/);
  wrong((d) => (d.velocities[3] = null), /velocities\[3\]: null: must be a number/);
  wrong((d) => (d.events[1].time += 1e-9), /events\[1\]\.time: .* must be the time of a sample/);
  wrong((d) => (d.events[0].body_b = 2), /events\[0\]\.body_b: 2: must be the index of a body/);
  wrong((d) => (d.events[0].P = [1, 2]), /events\[0\]\.P: \[1,2\]: must be 3 numbers/);
  wrong(
    (d) => (d.bodies[1].shapes[0].kind = 'ball'),
    /bodies\[1\]\.shapes\[0\]\.kind: "ball": must be one of sphere, /,
  );
  wrong((d) => delete d.energy.potential, /energy\.potential: is missing: must be a list/);
  wrong((d) => (d.times = []), /times: \[\]: must hold at least one time/);
  assert.throws(() => readMotion('{"ricochet":"motion",'), /not JSON/);
});
