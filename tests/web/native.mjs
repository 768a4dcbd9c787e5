/** The native program, where RICOCHET names one: what the page shows is held against what it prints. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const program = process.env.RICOCHET;
export const without = program ? false : 'RICOCHET does not name the native program';

export function nativeAnswers(text) {
  const run = spawnSync(program, ['collide', '-', '--law', 'all', '--format', 'json'], { input: text, encoding: 'utf8' });
  assert.notEqual(run.stdout, '', `${program}: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

/** Serves NAME by `ricochet explore` while `work(address)` runs, then interrupts it; it must end with 0. */
export async function explore(name, work) {
  const server = spawn(program, ['explore', name, '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  server.stderr.on('data', (text) => (said += text));
  const ended = once(server, 'exit').then(([status]) => status);
  try {
    const line = once(createInterface({ input: server.stdout }), 'line');
    const [address] = await Promise.race([line, ended.then((status) => assert.fail(`ended with ${status}: ${said}`))]);
    return await work(address);
  } finally {
    server.kill('SIGINT');
    assert.equal(await ended, 0, said);
  }
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const less = (a, s, b) => a.map((x, i) => x - s * b[i]);

/** The columns P_n, P_t, V_n and V_t of the table that the program prints for people, by law. */
export function nativeTable(text) {
  const { stdout } = spawnSync(program, ['collide', '-', '--law', 'all'], { input: text, encoding: 'utf8' });
  const rows = {};
  for (const line of stdout.split('\n')) {
    const [law, ...cells] = line.trim().split(/\s+/);
    const numbers = cells.slice(0, 4).map((cell) => Number(cell.replace('−', '-')));
    if (numbers.length === 4 && numbers.every(Number.isFinite)) rows[law] = { P_n: numbers[0], P_t: numbers[1], V_n: numbers[2], V_t: numbers[3] };
  }
  return rows;
}

/** The numbers of the page's table, worked out from the program's own output. */
export function tableOfAnswers({ contact, answers }) {
  const { n, V } = contact;
  const tangential = less(V, dot(V, n), n);
  const speed = Math.hypot(...tangential);
  assert.ok(speed > 0, 'the tests compare components and need a slip');
  const t = tangential.map((x) => -x / speed);
  const b = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]];
  const rows = {};
  for (const answer of answers) {
    if (answer.error) {
      rows[answer.law] = { refusal: `no answer: ${answer.error.message}` };
      continue;
    }
    rows[answer.law] = {
      P_n: dot(answer.P, n),
      P_t: Math.hypot(...less(answer.P, dot(answer.P, n), n)),
      P_along_t: dot(answer.P, t),
      P_along_b: dot(answer.P, b),
      V_n: dot(answer.V, n),
      V_t: Math.hypot(...less(answer.V, dot(answer.V, n), n)),
      energy: answer.energy_change,
      W_n: answer.normal_work,
      W_t: answer.friction_work,
    };
  }
  return rows;
}

const kindOf = { P_n: 'P', P_t: 'P', P_along_t: 'P', P_along_b: 'P', V_n: 'V', V_t: 'V', energy: 'E', W_n: 'E', W_t: 'E' };

/** Equal to 1e-12 of the largest impulse, speed or energy of that law's row. */
export function assertSameNumbers(shown, expected) {
  assert.deepEqual(Object.keys(shown).sort(), Object.keys(expected).sort());
  for (const [law, row] of Object.entries(expected)) {
    if (row.refusal) {
      assert.ok(shown[law].refusal, `${law} has an answer on the page and none natively`);
      continue;
    }
    for (const [key, value] of Object.entries(row)) {
      const scale = Math.max(...Object.keys(row).filter((other) => kindOf[other] === kindOf[key]).map((other) => Math.abs(row[other])));
      const apart = Math.abs(shown[law][key] - value);
      assert.ok(apart <= 1e-12 * scale, `${law} ${key}: ${shown[law][key]} on the page, ${value} natively`);
    }
  }
}
