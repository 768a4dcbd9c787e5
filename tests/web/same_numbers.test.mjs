// The laws in WebAssembly against the native program, law by law, on random collisions.
// Environment: RICOCHET (native program), RICOCHET_WASM (folder of explorer.mjs).

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { RICOCHET, RICOCHET_WASM } = process.env;
const collisions = 1000;

/** Small, seeded, the same everywhere. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomCollision(random, index, e_t) {
  const between = (low, high) => low + (high - low) * random();
  const unit = () => {
    for (;;) {
      const v = [between(-1, 1), between(-1, 1), between(-1, 1)];
      const size = Math.hypot(...v);
      if (size > 0.1 && size <= 1) return v.map((x) => x / size);
    }
  };
  // A third of them planar in the x-y plane, where the planar laws answer too; of these some are diagonal.
  const planar = index % 3 === 0;
  const diagonal = index % 9 === 0;
  const n = planar ? [0, 1, 0] : unit();
  const A = [0, 1, 2].map(() => [between(-1, 1), between(-1, 1), between(-1, 1)]);
  const M = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => {
      const coupled = !planar || (!diagonal && i < 2 && j < 2);
      const full = A[i][0] * A[j][0] + A[i][1] * A[j][1] + A[i][2] * A[j][2];
      return i === j ? full + 0.2 : coupled ? full : 0;
    }),
  );
  const V = planar ? [between(-1.5, 1.5), -between(0.05, 2), 0] : unit().map((x) => 2 * x);
  const towards = n[0] * V[0] + n[1] * V[1] + n[2] * V[2];
  const approaching = towards < 0 ? V : V.map((x, i) => x - 2 * towards * n[i]);
  return {
    M,
    V: approaching,
    n,
    e: between(0, 1),
    mu: index % 17 === 0 ? 0 : between(0, 1.2),
    e_t: between(...e_t),
    mu_2: between(-0.2, 0.2),
    mu_3: between(-0.2, 0.2),
    psi_1: between(0, 1.5),
    psi_2: between(0, 3),
    rho: between(0, 1),
    sigma: between(0, 1),
    wish: [between(-1, 1), between(-1, 1), between(-1, 1)],
    kappa: between(0.3, 3),
  };
}

const norm = (v) => Math.hypot(...v);
const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

test('WebAssembly gives the native numbers', { skip: RICOCHET && RICOCHET_WASM ? false : 'RICOCHET and RICOCHET_WASM are not set' }, async () => {
  const { default: load } = await import(pathToFileURL(join(RICOCHET_WASM, 'explorer.mjs')));
  const module = await load({ wasmBinary: readFileSync(join(RICOCHET_WASM, 'explorer.wasm')) });
  const worst = new Map();
  const answered = new Map();
  const random = generator(20);
  compare('all', collisions, [0, 1]);
  // Below zero e_t is for one law alone, and all laws together refuse it.
  compare('chatterjee-ruina', collisions / 4, [-1, 0]);
  const laws = JSON.parse(module.laws()).map((law) => law.name);
  for (const law of laws) assert.ok((answered.get(law) ?? 0) > 50, `${law} answered ${answered.get(law) ?? 0} times`);
  for (const law of laws)
    console.log(`${law.padEnd(18)} ${String(answered.get(law)).padStart(5)} answers, worst ${worst.get(law).toExponential(1)}`);

  function compare(law, count, e_t) {
    const lines = Array.from({ length: count }, (_, i) => JSON.stringify(randomCollision(random, i, e_t)));
    const native = spawnSync(RICOCHET, ['collide', '-', '--law', law, '--format', 'json'], {
      input: lines.join('\n') + '\n',
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    const documents = JSON.parse(native.stdout);
    assert.equal(documents.length, count);
    for (const [i, line] of lines.entries()) compareLine(JSON.parse(module.collide(line)), documents[i], law, i + 1);
  }

  function compareLine(here, document, law, number) {
    assert.ok(document.answers, `line ${number}: ${document.error?.message}`);
    if (law === 'all') assert.deepEqual(here.answers.map((a) => a.law), document.answers.map((a) => a.law));
    for (const theirs of document.answers) {
      const ours = here.answers.find((a) => a.law === theirs.law);
      const where = `${theirs.law} on line ${number}`;
      assert.equal(ours.error?.path, theirs.error?.path, where);
      if (theirs.error) continue;
      assert.equal(ours.mode, theirs.mode, where);
      assert.equal(ours.permissible, theirs.permissible, where);
      assert.deepEqual(ours.violated, theirs.violated, where);
      const speed = norm(document.contact.V) + norm(theirs.V);
      const energy = Math.abs(theirs.normal_work) + Math.abs(theirs.friction_work) + norm(theirs.P) * speed;
      const off = Math.max(
        apart(ours.P, theirs.P) / norm(theirs.P),
        apart(ours.V, theirs.V) / speed,
        Math.abs(ours.energy_change - theirs.energy_change) / energy,
        Math.abs(ours.normal_work - theirs.normal_work) / energy,
        Math.abs(ours.friction_work - theirs.friction_work) / energy,
      );
      assert.ok(off <= 1e-12, `${where}: ${off} apart`);
      worst.set(theirs.law, Math.max(worst.get(theirs.law) ?? 0, off));
      answered.set(theirs.law, (answered.get(theirs.law) ?? 0) + 1);
    }
  }
});
