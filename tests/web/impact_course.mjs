/** The impact as a process: one scrubber for every pane. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { field, root, settled, until, withPage } from './browser.mjs';

const choose = async (page, scene) => {
  await page.locator('#scenes').selectOption(scene);
  await settled(page);
};
const slider = (page) => page.getByRole('slider', { name: 'course of the impact' });
const cursor = (page) => page.evaluate(() => window.ricochet.cursor());
const marks = (page) => page.locator('.scrub-marks button').evaluateAll((all) => all.map(({ title }) => title));
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

test('the course obeys V = V⁻ + W P, its works sum to the change of energy, and it ends at the answer', () =>
  withPage({}, async (page) => {
    const found = await page.evaluate(() => {
      const { engine } = window.ricochet;
      return engine.scenes.flatMap(({ name, text }) => {
        const { contact, answers } = engine.collide(text);
        return answers.filter((one) => !one.error).map((answer) => ({ where: `${name} ${answer.law}`, contact, answer, course: engine.course(text, answer.law) }));
      });
    });
    assert.ok(found.length > 100);
    for (const { where, contact, answer, course } of found) {
      const { W, V, n } = contact;
      const size = Math.hypot(...V) + Math.hypot(...answer.V);
      const energy = Math.hypot(...answer.P) * size;
      assert.ok(course.steps.length > 1, where);
      for (const step of course.steps) {
        const wanted = V.map((v, i) => v + dot(W[i], step.P));
        wanted.forEach((v, i) => assert.ok(Math.abs(v - step.V[i]) <= 1e-6 * size, `${where}: V at ${step.at}`));
        const change = dot(step.P, V) + 0.5 * dot(step.P, W.map((row) => dot(row, step.P)));
        assert.ok(Math.abs(step.normal_work + step.friction_work - change) <= 1e-5 * energy, `${where}: work at ${step.at}`);
      }
      const end = course.steps.at(-1);
      answer.P.forEach((p, i) => assert.ok(Math.abs(p - end.P[i]) <= 1e-6 * Math.hypot(...answer.P), `${where}: ends at ${end.P}`));
      for (let i = 1; i < course.steps.length; ++i) assert.ok(course.steps[i].at >= course.steps[i - 1].at - 1e-12 * energy, `${where}: goes back`);
      assert.equal(course.events[0].step, 0, where);
      assert.equal(course.events.at(-1).step, course.steps.length - 1, where);
      for (const event of course.events)
        if (event.name === 'compression-ends') {
          const V_n = dot(course.steps[event.step].V, n);
          assert.ok(Math.abs(V_n) <= 0.05 * size, `${where}: V_n is ${V_n} where compression ends`);
        }
    }
  }));

test('scrubbing moves the point in every pane at once, and the bodies show what is during', () =>
  withPage({}, async (page) => {
    await choose(page, 'rod');
    for (const id of ['velocity', 'energy', 'before', 'after']) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await page.locator(`#${id} svg`).first().waitFor();
    }
    const seek = async (share) => {
      await slider(page).evaluate((input, value) => {
        input.value = String(value);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }, share);
      await settled(page);
    };
    const places = async (id) => {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await settled(page);
      return page.locator(`#${id} .cursor circle`).evaluateAll((all) => all.map((one) => [Number(one.getAttribute('cx')), Number(one.getAttribute('cy'))]));
    };
    const bodies = async () => {
      await page.locator('#after').scrollIntoViewIfNeeded();
      await settled(page);
      return page.locator('#after svg path.line').evaluateAll((all) => all.map((path) => path.getAttribute('d')).join());
    };
    await seek(0);
    const first = { section: await places('section'), velocity: await places('velocity'), energy: await places('energy'), bodies: await bodies() };
    assert.equal(await page.locator('#after-title').textContent(), 'During');
    assert.equal(first.section.length, 1);
    assert.equal(first.energy.length, 3);
    // At first touch the bodies are those of before.
    const before = await page.locator('#before svg path.line').evaluateAll((all) => all.map((path) => path.getAttribute('d')).join());
    assert.equal(first.bodies, before);
    await seek(0.5);
    for (const id of ['section', 'velocity', 'energy']) assert.notDeepEqual(await places(id), first[id], id);
    assert.notEqual(await bodies(), first.bodies);
    const { P, V } = await cursor(page);
    const half = await page.evaluate(() => {
      const { P } = window.ricochet.frame().outcome.answers.find(({ law }) => law === window.ricochet.state().focus);
      return P;
    });
    const { n } = await page.evaluate(() => window.ricochet.frame().axes);
    assert.ok(Math.abs(dot(P, n) - 0.5 * dot(half, n)) < 1e-9 * Math.hypot(...half), 'half of the normal impulse');
    assert.ok(V.every(Number.isFinite));
    await seek(1);
    const whole = await bodies();
    await slider(page).focus();
    await page.keyboard.press('Escape');
    await settled(page);
    assert.equal(await cursor(page), null);
    assert.equal(await page.locator('#after-title').textContent(), 'After');
    assert.equal(await bodies(), whole);
    assert.equal((await places('section')).length, 0);
  }));

test('the spin that is drawn during the impact is that of the angular momentum', () =>
  withPage({}, async (page) => {
    await choose(page, 'rod');
    await page.locator('#after').scrollIntoViewIfNeeded();
    await page.locator('#after svg').first().waitFor();
    // An arc about the centre, of an angle that grows with the spin.
    const arc = () =>
      page.locator('#after svg > g[clip-path]:not(.ghost) path.line').evaluateAll((all) =>
        all.filter((path) => getComputedStyle(path).stroke === 'rgb(0, 158, 115)').reduce((sum, path) => sum + path.getTotalLength(), 0));
    const { bodies, point } = await page.evaluate(() => window.ricochet.state().form);
    const { angular_velocity, position, inertia } = bodies[1];
    const r = point.map((x, i) => x - position[i]);
    const found = [];
    await slider(page).focus();
    await page.keyboard.press('Home');
    for (const steps of [0, 30, 40, 30]) {
      for (let i = 0; i < steps; ++i) await page.keyboard.press('ArrowRight');
      await settled(page);
      const held = await page.evaluate(() => ['.scrubber', '#after .host'].map((part) => document.querySelector(part).getBoundingClientRect()).map(({ top, bottom }) => top >= 0 && bottom <= innerHeight));
      assert.deepEqual(held, [true, true], 'scrubber and bodies are in sight together');
      const { P } = await cursor(page);
      const spin = angular_velocity[1] + (r[2] * P[0] - r[0] * P[2]) / inertia[1][1];
      found.push([await arc(), Math.abs(spin)]);
    }
    const [longest, fastest] = found.reduce((most, one) => (one[1] > most[1] ? one : most));
    assert.ok(longest > 20, `${longest}`);
    for (const [length, spin] of found) assert.ok(Math.abs(length / longest - spin / fastest) < 0.01, `${length} of ${longest}, ${spin} of ${fastest}`);
    assert.ok(new Set(found.map(([length]) => length.toFixed(1))).size === found.length);
  }));

test('keys, buttons and marks go from event to event, and playing ends at the end', () =>
  withPage({}, async (page) => {
    await choose(page, 'grazing');
    await until(page, () => document.querySelectorAll('.scrub-marks button').length >= 4);
    assert.deepEqual(await marks(page), ['start', 'slip stops', 'compression ends', 'end']);
    await slider(page).focus();
    await page.keyboard.press('Home');
    const shares = [];
    for (let i = 0; i < 3; ++i) {
      await page.keyboard.press('Shift+ArrowRight');
      shares.push((await cursor(page)).share);
    }
    assert.ok(0 < shares[0] && shares[0] < shares[1] && shares[1] < 1 && shares[2] === 1, `${shares}`);
    await page.getByRole('button', { name: 'previous event' }).click();
    assert.equal((await cursor(page)).share, shares[1]);
    assert.match(await page.locator('.scrub-reading').textContent(), /restitution|compression/);
    await page.locator('.scrub-marks button', { hasText: 'slip stops' }).click();
    const stop = await cursor(page);
    const { n } = await page.evaluate(() => window.ricochet.frame().axes);
    const slip = stop.V.map((v, i) => v - dot(stop.V, n) * n[i]);
    assert.ok(Math.hypot(...slip) < 1e-6, 'the slip has stopped there');
    await slider(page).focus();
    await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await cursor(page)).share - stop.share - 0.01) < 1e-9);
    await page.keyboard.press(' ');
    await until(page, () => window.ricochet.cursor().share === 1, 9000);
    assert.equal(await page.getByRole('button', { name: 'play the impact' }).count(), 1);
    // Space plays also where nothing has the focus, as after a click on the page.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'pause', exact: true }).waitFor();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'play the impact' }).waitFor();
    const stopped = (await cursor(page)).share;
    assert.ok(stopped < 1, `${stopped}`);
  }));

test('what the scrubber and a definition say is set with indices', () =>
  withPage({}, async (page) => {
    await choose(page, 'grazing');
    assert.equal(await page.locator('.scrub-reading sub').textContent(), 'n');
    assert.match(await page.locator('.scrub-track input').getAttribute('aria-valuetext'), /P_n \d/);
    await page.locator('th[data-term="V_n"]').hover();
    const formula = page.locator('#definition:not([hidden]) .formula');
    await formula.waitFor();
    assert.equal(await formula.innerHTML(), 'V<sub>n</sub>⁺ = n·V⁺');
  }));

test('the compliant contact is scrubbed over time, and the cursor follows what is changed', () =>
  withPage({}, async (page) => {
    await choose(page, 'planar');
    await page.locator('tr[data-law="spring-sledge"]').click();
    await settled(page);
    await slider(page).focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 30; ++i) await page.keyboard.press('ArrowRight');
    const first = await cursor(page);
    assert.equal(first.over, 'time');
    assert.match(await page.locator('.scrub-reading').textContent(), /compression|restitution/);
    assert.match(await page.locator('.scrub-reading').textContent(), /, t \d/);
    await page.locator('#forces').scrollIntoViewIfNeeded();
    await page.locator('#forces .cursor line').waitFor({ state: 'attached' });
    await field(page, 'mu').fill('0.05');
    await settled(page);
    const later = await cursor(page);
    assert.ok(Math.abs(later.share - first.share) < 1e-12);
    assert.notDeepEqual(later.P, first.P);
  }));

test('every event of every law has a definition, on hover and on focus', () =>
  withPage({}, async (page) => {
    const names = await page.evaluate(() => {
      const { engine } = window.ricochet;
      const all = engine.scenes.flatMap(({ text }) =>
        engine.laws.flatMap(({ name }) => engine.course(text, name).events?.map((event) => event.name.replaceAll('-', ' ')) ?? []));
      return [...new Set(all)].filter((name) => name !== 'start' && name !== 'end');
    });
    assert.ok(names.includes('compression ends') && names.includes('sticks') && names.includes('slip stops'), `${names}`);
    for (const name of names) assert.ok(glossary.includes(`\n| ${name} | `), name);
    await choose(page, 'grazing');
    await until(page, () => document.querySelectorAll('.scrub-marks button').length >= 4);
    const mark = page.locator('.scrub-marks button', { hasText: 'slip stops' });
    const definition = page.locator('#definition:not([hidden])');
    await mark.hover();
    await definition.waitFor();
    assert.match(await definition.textContent(), /^The contact sticks from here on/);
    await page.keyboard.press('Escape');
    await slider(page).focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('Tab');
    await definition.waitFor();
    assert.match(await definition.textContent(), /^The bodies have stopped approaching/);
  }));

test('between the events the reading says what the marks say', () =>
  withPage({}, async (page) => {
    await choose(page, 'two-spheres');
    await page.locator('tr[data-law="spring-sledge"]').click();
    await settled(page);
    const changes = page.locator('.scrub-marks button', { hasText: /^(sticks|slips)$/ });
    await changes.first().waitFor();
    for (let i = 0; i < (await changes.count()); ++i) {
      const name = await changes.nth(i).textContent();
      await changes.nth(i).click();
      await slider(page).focus();
      assert.match(await page.locator('.scrub-reading').textContent(), new RegExp(`sledge ${name},`));
      await page.keyboard.press('ArrowLeft');
      assert.match(await page.locator('.scrub-reading').textContent(), new RegExp(`sledge ${name === 'sticks' ? 'slips' : 'sticks'},`));
    }
  }));
