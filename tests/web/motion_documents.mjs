/** Motion documents from closed forms (docs/motion-document.md), made without the library. */

const g = 9.81;

/**
 * A ball of radius r that falls from height h, keeps e of its speed at every impact, moves on and spins. Samples are at the
 * impacts, and `between` of them in every flight.
 */
export function bouncingBall({
  h = 1,
  e = 0.8,
  r = 0.1,
  mass = 0.5,
  forward = 0.4,
  spin = 6,
  bounces = 12,
  between = 2,
} = {}) {
  const flights = [];
  let [start, height, speed] = [0, h, 0];
  for (let k = 0; k < bounces; ++k) {
    const arrival = Math.sqrt(speed * speed + 2 * g * height);
    const end = start + (speed + arrival) / g;
    flights.push({ start, height, speed, arrival, end });
    [start, height, speed] = [end, 0, e * arrival];
  }
  const turning = 0.5 * 0.4 * mass * r * r * spin * spin;
  /** Position at any time, from the flight it is in. */
  const position = (time) => {
    const flight = flights.find(({ end }) => time < end) ?? { start, height: 0, speed };
    const s = time - flight.start;
    return [forward * time, 0, r + flight.height + flight.speed * s - (g * s * s) / 2];
  };
  const document = {
    ricochet: 'motion',
    version: 1,
    title: 'ball that bounces',
    gravity: [0, 0, -g],
    bodies: [
      { name: 'floor', fixed: true, shapes: [{ kind: 'plane' }] },
      { name: 'ball', fixed: false, mass, shapes: [{ kind: 'sphere', radius: r }] },
    ],
    events: [],
    times: [],
    poses: [],
    velocities: [],
    energy: { kinetic: [], potential: [], lost_to_impact: [], lost_to_friction: [] },
  };
  let lost = 0;
  const sample = (time, from) => {
    const s = time - from.start;
    const [x, y, z] = [forward * time, 0, r + from.height + from.speed * s - (g * s * s) / 2];
    const v = from.speed - g * s;
    document.times.push(time);
    document.poses.push(x, y, z, Math.cos((spin * time) / 2), 0, Math.sin((spin * time) / 2), 0);
    document.velocities.push(forward, 0, v, 0, spin, 0);
    document.energy.kinetic.push(0.5 * mass * (v * v + forward * forward) + turning);
    document.energy.potential.push(mass * g * z);
    document.energy.lost_to_impact.push(lost);
    document.energy.lost_to_friction.push(0);
  };
  sample(0, flights[0]);
  flights.forEach((flight, k) => {
    for (let i = 1; i <= between; ++i) sample(flight.start + ((flight.end - flight.start) * i) / (between + 1), flight);
    const energy_change = -0.5 * mass * (1 - e * e) * flight.arrival ** 2;
    lost -= energy_change;
    const time = flight.end;
    document.events.push({
      time,
      kind: 'impact',
      body_a: 0,
      body_b: 1,
      point: [forward * time, 0, 0],
      n: [0, 0, 1],
      P: [0, 0, mass * (1 + e) * flight.arrival],
      energy_change,
    });
    sample(time, flights[k + 1] ?? { start: time, height: 0, speed: e * flight.arrival });
  });
  return { document, position, flights };
}

/** One body of every kind of shape, thrown at a floor with a wall: free flight, without events. */
export function everyShape() {
  const shapes = [
    { kind: 'sphere', radius: 0.2 },
    { kind: 'box', size: [0.25, 0.15, 0.1] },
    { kind: 'box', size: [0.15, 0.1, 0.1], radius: 0.06 },
    { kind: 'capsule', size: [0, 0, 0.2], radius: 0.1 },
    { kind: 'cylinder', size: [0.2, 0.2, 0.08] },
    { kind: 'ellipsoid', size: [0.3, 0.15, 0.1] },
    {
      kind: 'hull',
      vertices: [[0.25, 0, -0.12], [-0.12, 0.21, -0.12], [-0.12, -0.21, -0.12], [0, 0, 0.25]],
      faces: [[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    },
    { kind: 'hull', vertices: [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0.2 * (k & 1), 0.1 * (k & 2), 0.05 * (k & 4)].map((x) => x - 0.1)) },
    { kind: 'capsule', size: [0, 0, 0.3] },
  ]; // prettier-ignore
  const bodies = [
    { name: 'floor', fixed: true, shapes: [{ kind: 'plane' }] },
    { name: 'wall', fixed: true, pose: [-1.2, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 0], shapes: [{ kind: 'plane' }] },
    { name: 'block', fixed: true, pose: [0, 1.6, 0.25, 1, 0, 0, 0], shapes: [{ kind: 'box', size: [1.5, 0.2, 0.25] }] },
    ...shapes.map((shape, i) => ({ name: `${shape.kind} ${i + 1}`, fixed: false, mass: 1, shapes: [shape] })),
  ];
  const document = {
    ricochet: 'motion',
    version: 1,
    title: 'every shape',
    gravity: [0, 0, -g],
    bodies,
    events: [],
    times: [],
    poses: [],
    velocities: [],
  };
  for (let k = 0; k <= 60; ++k) {
    const t = k / 100;
    document.times.push(t);
    shapes.forEach((_, i) => {
      const [x, y] = [0.7 * (i % 5) - 1, 0.8 * Math.floor(i / 5) - 0.6];
      document.poses.push(
        x,
        y,
        0.6 + 3 * t - 0.5 * g * t * t,
        Math.cos(t),
        Math.sin(t) * Math.SQRT1_2,
        Math.sin(t) * Math.SQRT1_2,
        0,
      );
      document.velocities.push(0, 0, 3 - g * t, 2 * Math.SQRT1_2, 2 * Math.SQRT1_2, 0);
    });
  }
  return document;
}
