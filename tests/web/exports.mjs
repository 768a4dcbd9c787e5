/** What the page hands out can be opened and says what the page says. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { settled, tableOf, withPage } from './browser.mjs';
import { assertSameNumbers, nativeAnswers, tableOfAnswers, without } from './native.mjs';

/** Opens the menu that holds the entry, takes it, and gives name and bytes of the file. */
async function exported(page, id) {
  const button = page.locator(`[data-export="${id}"]`);
  const menu = page.locator('details.menu', { has: button });
  await menu.scrollIntoViewIfNeeded();
  await menu.locator('summary').click();
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

// Read in a page of its own: the explorer's content security policy would object to the style attributes of a figure.
const svgProblem = async (page, text) => {
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate((source) => {
      const read = new DOMParser().parseFromString(source, 'image/svg+xml');
      if (read.querySelector('parsererror')) return read.querySelector('parsererror').textContent;
      if (read.documentElement.localName !== 'svg') return 'the root is no svg';
      return read.querySelectorAll('path, line, polyline, circle').length < 3 ? 'hardly anything is drawn' : '';
    }, text);
  } finally {
    await blank.close();
  }
};

const pictureSize = (page, bytes) =>
  page.evaluate(async (data) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(data)], { type: 'image/png' }));
    return [bitmap.width, bitmap.height];
  }, [...bytes]);

test('figures open: as seen, for print, and as pictures', () =>
  withPage({}, async (page) => {
    await page.locator('#section svg').first().waitFor();
    await page.locator('#space canvas').first().waitFor();
    for (const id of ['section-svg', 'section-figure', 'space-figure', 'energy-svg', 'after-figure']) {
      const { name, bytes } = await exported(page, id);
      assert.match(name, /^plank-lands-on-a-corner-.*\.svg$/);
      assert.equal(await svgProblem(page, bytes.toString('utf8')), '', id);
    }
    for (const id of ['space-png', 'section-png']) {
      const { name, bytes } = await exported(page, id);
      assert.match(name, /\.png$/);
      const [width, height] = await pictureSize(page, bytes);
      assert.ok(width >= 200 && height >= 150, `${id} is ${width} x ${height}`);
    }
  }));

test('JSON and CSV hold the table', () =>
  withPage({}, async (page) => {
    const shown = await tableOf(page);
    const json = JSON.parse((await exported(page, 'json')).bytes.toString('utf8'));
    assertSameNumbers(shown, tableOfAnswers(json));
    const lines = (await exported(page, 'csv')).bytes.toString('utf8').trimEnd().split('\n');
    const head = lines[0].split(',');
    assert.equal(lines.length, 1 + Object.keys(shown).length);
    for (const line of lines.slice(1)) {
      const cells = line.split(',');
      const row = shown[cells[0]];
      if (row.refusal) assert.match(line, /must|missing|needs|no /);
      else assert.equal(Number(cells[head.indexOf('P_n')]), row.P_n);
    }
  }));

/** Every number of a document that is zero, with its place. */
function zeros(document, where = '') {
  if (document === 0) return [[where, Object.is(document, -0)]];
  if (document === null || typeof document !== 'object') return [];
  return Object.entries(document).flatMap(([key, value]) => zeros(value, `${where}.${key}`));
}

test('JSON keeps the sign of zero', { skip: without }, () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('two-spheres');
    await settled(page);
    const native = zeros(nativeAnswers(await page.evaluate(() => window.ricochet.text())));
    const ours = (await exported(page, 'json')).bytes.toString('utf8');
    assert.ok(native.some(([, negative]) => negative), 'the collision has a negative zero');
    assert.match(ours, /-0\.0\b/);
    assert.deepEqual(zeros(JSON.parse(ours)), native);
  }));

test('TOML goes through the native program with the same numbers', { skip: without }, () =>
  withPage({}, async (page) => {
    for (const scene of ['generic', 'kane', 'default']) {
      await page.locator('#scenes').selectOption(scene);
      await settled(page);
      const { name, bytes } = await exported(page, 'toml');
      assert.match(name, /\.toml$/);
      assertSameNumbers(await tableOf(page), tableOfAnswers(nativeAnswers(bytes.toString('utf8'))));
    }
  }));

test('the link that is copied is the address', () =>
  withPage({}, async (page) => {
    await page.locator('#export summary').click();
    await page.locator('[data-export="link"]').click();
    await page.locator('#messages', { hasText: 'clipboard' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    // What a short link brings back is in sharing.mjs.
    assert.match(copied, /#z=/);
    assert.match(await page.evaluate(() => location.hash), /#title=plank/);
  }));

const { RICOCHET_ROOT: sources, RICOCHET_BUILD: build } = process.env;
const library = build && join(build, 'libricochet_core.a');
const cannotCompile = !sources || !library || !existsSync(library) ? 'RICOCHET_ROOT and RICOCHET_BUILD do not name the library' : false;

test('the C++ programs compile and print the numbers of the table', { skip: cannotCompile }, () =>
  withPage({}, async (page) => {
    const folder = mkdtempSync(join(tmpdir(), 'ricochet-program-'));
    try {
      // One source file for three programs: most of the time goes into the headers.
      const programs = [];
      for (const scene of ['default', 'kane', 'infinite-friction']) {
        await page.locator('#scenes').selectOption(scene);
        await page.getByRole('button', { name: 'all', exact: true }).click();
        await settled(page);
        const source = (await exported(page, 'cpp')).bytes.toString('utf8');
        assert.match(source, /^int main\(\) \{$/m);
        programs.push([scene, source, await tableOf(page), await page.evaluate(() => window.ricochet.frame().outcome)]);
      }
      const file = join(folder, 'programs.cpp');
      const renamed = programs.map(([, source], i) =>
        source.replace('int main() {', `int main_${i}() {`).replace(/\n\}\n$/, '\n  return 0;\n}\n'),
      );
      writeFileSync(file, `${renamed.join('\n')}\nint main() { return main_0() + main_1() + main_2(); }\n`);
      const compiled = spawnSync(
        'g++',
        ['-std=c++20', '-I', join(sources, 'include'), '-isystem', '/usr/include/eigen3', file, '-o', join(folder, 'programs'), library, '-lfmt'],
        { encoding: 'utf8' },
      );
      assert.equal(compiled.status, 0, compiled.stderr);
      const run = spawnSync(join(folder, 'programs'), { encoding: 'utf8' });
      assert.equal(run.status, 0, run.stdout);
      const lines = run.stdout.trimEnd().split('\n');
      for (const [scene, , table, outcome] of programs) {
        assert.equal(lines.shift(), outcome.title);
        for (const answer of outcome.answers) {
          const line = lines.shift();
          assert.ok(line.startsWith(answer.law), `${scene}: ${line}`);
          if (answer.error) {
            assert.match(line, /no answer/);
            continue;
          }
          const number = '([-+0-9.e]+)';
          const found = new RegExp(`P = \\(${number}, ${number}, ${number}\\).*energy ${number} J, permissible (\\d)`).exec(line);
          assert.ok(found, line);
          const scale = Math.hypot(...answer.P);
          answer.P.forEach((x, i) => assert.ok(Math.abs(x - Number(found[i + 1])) <= 1e-12 * scale, `${scene} ${answer.law}: ${line}`));
          const energy = table[answer.law].energy;
          const works = Math.abs(table[answer.law].W_n) + Math.abs(table[answer.law].W_t);
          assert.ok(Math.abs(energy - Number(found[4])) <= 1e-12 * works, `${scene} ${answer.law}: ${line}`);
          assert.equal(found[5] === '1', answer.permissible);
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }));
