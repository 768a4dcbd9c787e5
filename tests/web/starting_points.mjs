/** Every starting point draws something in every view. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { coloursOf, screenshot, settled, tableOf, withPage } from './browser.mjs';

const wanted = ['generic', 'diagonal', 'grazing', 'infinite-friction', 'pendulum', 'kane', 'superball', 'two-spheres', 'rod'];

test('the special situations of the papers are among the starting points', () =>
  withPage({}, async (page) => {
    const names = await page.evaluate(() => window.ricochet.engine.scenes.map((scene) => scene.name));
    for (const name of wanted) assert.ok(names.includes(name), `${name} is missing`);
  }));

test('every starting point fills the table, the space and the section', () =>
  withPage({}, async (page) => {
    const names = await page.evaluate(() => window.ricochet.engine.scenes.map((scene) => scene.name));
    await page.locator('#space canvas').first().waitFor();
    await page.locator('#section svg').first().waitFor();
    for (const name of names) {
      await page.locator('#scenes').selectOption(name);
      await settled(page);
      // What is shown is that very scene: its title, and the impulses of its own text.
      const off = await page.evaluate((wanted) => {
        const { engine, frame, state } = window.ricochet;
        const scene = engine.scenes.find((one) => one.name === wanted);
        if (state().title !== scene.title) return `the title is ${state().title}`;
        const theirs = engine.collide(scene.text).answers;
        const ours = frame().outcome.answers;
        for (const [i, answer] of theirs.entries())
          for (const [k, x] of (answer.P ?? []).entries())
            if (!(Math.abs(x - ours[i].P?.[k]) <= 1e-12 * Math.hypot(...answer.P))) return `${answer.law}: ${ours[i].P}, not ${answer.P}`;
        return '';
      }, name);
      assert.equal(off, '', name);
      const rows = Object.values(await tableOf(page));
      const answered = rows.filter((row) => !row.refusal);
      assert.ok(answered.length >= 3, `${name}: ${answered.length} laws answer`);
      for (const row of answered) assert.ok(Number.isFinite(row.P_n) && Number.isFinite(row.energy), `${name}: a number is missing`);
      const seen = await coloursOf(page, page.locator('#space .host'));
      assert.ok(seen.count > 50 && seen.commonest < 0.995, `${name}: impulse space is blank (${JSON.stringify(seen)})`);
      const paths = await page.locator('#section svg path').count();
      assert.ok(paths >= 3, `${name}: the section has ${paths} curves`);
      await screenshot(page, `start-${name}`);
    }
  }));

test('views below the table draw what hit what, velocities, energies and the compliant contact', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('rod');
    await settled(page);
    for (const id of ['velocity', 'energy', 'process', 'forces', 'before', 'after']) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await page.locator(`#${id} svg`).first().waitFor();
      await settled(page);
      const paths = await page.locator(`#${id} svg path`).count();
      assert.ok(paths >= 2, `${id} has ${paths} curves`);
      const seen = await coloursOf(page, page.locator(`#${id} .host`));
      assert.ok(seen.count > 10, `${id} is blank`);
    }
    await page.evaluate(() => window.scrollTo(0, 0));
    await settled(page);
    await screenshot(page, 'whole', { fullPage: true });
  }));

test('what a law can reach is drawn for every law that has something to sweep', (t) =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('planar');
    await page.getByRole('button', { name: 'all', exact: true }).click();
    await page.locator('#space canvas').first().waitFor();
    await settled(page);
    const look = async () => (await page.locator('#space canvas').first().screenshot()).toString('base64');
    const none = await look();
    const laws = await page.evaluate(() => window.ricochet.engine.laws.map(({ name }) => name));
    const drawn = [];
    for (const law of laws) {
      const toggle = page.getByRole('checkbox', { name: `what ${law} can reach`, exact: true });
      await toggle.check();
      await settled(page);
      if ((await look()) !== none) drawn.push(law);
      await toggle.uncheck();
      await settled(page);
    }
    t.diagnostic(`reach is seen of ${drawn.join(', ')}`);
    for (const law of ['frictionless', 'chatterjee-ruina', 'routh', 'whittaker', 'smith']) assert.ok(drawn.includes(law), law);
    for (const law of ['chatterjee-ruina', 'routh']) await page.getByRole('checkbox', { name: `what ${law} can reach`, exact: true }).check();
    await settled(page);
    await screenshot(page, 'reach');
  }));
