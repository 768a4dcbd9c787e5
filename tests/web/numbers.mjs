/** Changing a number changes the table to what the native program prints for the page's own TOML. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, settled, tableOf, withPage } from './browser.mjs';
import { assertSameNumbers, nativeAnswers, nativeTable, tableOfAnswers, without } from './native.mjs';

async function assertAsNative(page) {
  const text = await page.evaluate(() => window.ricochet.text());
  assertSameNumbers(await tableOf(page), tableOfAnswers(nativeAnswers(text)));
}

async function drag(page, locator, way) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  await page.mouse.move(box.x + 20, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) await page.mouse.move(box.x + 20 + (way * i) / 10, box.y + box.height / 2);
  await page.mouse.up();
  await settled(page);
}

test('dragging mu, e and an entry of M, and typing inf, give what the native program prints', { skip: without }, () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    await assertAsNative(page);
    const mass = page.getByRole('spinbutton', { name: 'matrix xy', exact: true });
    for (const [locator, way] of [[field(page, 'mu'), -60], [field(page, 'e'), 45], [mass, -30]]) {
      const before = [await locator.inputValue(), await tableOf(page)];
      await drag(page, locator, way);
      assert.notEqual(await locator.inputValue(), before[0]);
      assert.notDeepEqual(await tableOf(page), before[1]);
      await assertAsNative(page);
    }
    await field(page, 'mu').fill('inf');
    await settled(page);
    assert.match(await page.evaluate(() => window.ricochet.text()), /^mu = inf$/m);
    await assertAsNative(page);
    // The mirror image of the entry went with it.
    assert.equal(await page.getByRole('spinbutton', { name: 'matrix yx', exact: true }).inputValue(), await mass.inputValue());
  }));

test('columns that the table shares with the command line have the same numbers under the same names', { skip: without }, () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('bar');
    await settled(page);
    const shown = await tableOf(page);
    const printed = nativeTable(await page.evaluate(() => window.ricochet.text()));
    assert.ok(Object.keys(printed).length >= 5, `${Object.keys(printed).length} rows are printed`);
    for (const [law, row] of Object.entries(printed))
      for (const [key, value] of Object.entries(row))
        assert.ok(Math.abs(shown[law][key] - value) <= 1e-4 * (1 + Math.abs(value)), `${law} ${key}: ${shown[law][key]} on the page, ${value} printed`);
    // P_t is a length; the component along t has a sign.
    assert.ok(Object.values(shown).some((row) => row.P_along_t < 0 && row.P_t > 0));
  }));

test('shaping a body moves M, and the numbers are those of the native program', { skip: without }, () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('rod');
    await settled(page);
    const M = () => page.evaluate(() => window.ricochet.frame().outcome.contact.M);
    const before = await M();
    await drag(page, page.getByRole('spinbutton', { name: 'mass of B' }), 40);
    assert.notDeepEqual(await M(), before);
    await page.getByRole('spinbutton', { name: 'turn of B about y' }).fill('-50');
    await page.getByRole('spinbutton', { name: 'angular velocity of B y' }).fill('2.5');
    await settled(page);
    await assertAsNative(page);
  }));

test('realising M makes two bodies that have it, and every law answers as before', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const contact = () => page.evaluate(() => window.ricochet.frame().outcome.contact);
    const [before, answers] = [await contact(), await tableOf(page)];
    await page.locator('#realize').click();
    await settled(page);
    assert.ok(await page.locator('#mode-bodies').isChecked());
    const after = await contact();
    const worst = (a, b) => Math.max(...a.flat().map((x, i) => Math.abs(x - b.flat()[i])));
    assert.ok(worst(before.M, after.M) < 1e-12, `M differs by ${worst(before.M, after.M)}`);
    assert.ok(worst(before.V, after.V) < 1e-12);
    const realized = await tableOf(page);
    for (const [law, row] of Object.entries(answers))
      if (!row.refusal) assert.ok(Math.abs(row.P_n - realized[law].P_n) < 1e-9, `${law} answers otherwise`);
    // And back: the same M, as a contact.
    await page.locator('label:has(#mode-contact)').click();
    await settled(page);
    assert.deepEqual((await contact()).M, after.M);
  }));

/** Takes hold of every line that can be dragged, and says which numbers of the state went with one of them. */
async function changedByDrags(page, view, scene) {
  const changed = new Set();
  const hits = page.locator(`#${view} path.hit`);
  await page.locator(`#${view}`).scrollIntoViewIfNeeded();
  await page.locator(`#${view} svg`).first().waitFor();
  await settled(page);
  for (let i = 0; i < (await hits.count()); ++i) {
    await page.locator('#scenes').selectOption(scene);
    await settled(page);
    await page.locator(`#${view}`).scrollIntoViewIfNeeded();
    const numbers = () =>
      page.evaluate(() => {
        const { settings, form } = window.ricochet.state();
        return { mu: settings.mu, e: settings.e, V: form.V.join() };
      });
    const before = await numbers();
    const at = await hits.nth(i).evaluate((path) => {
      const frame = path.ownerSVGElement.getBoundingClientRect();
      for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.1, 0.05, 0.8, 0.9, 0]) {
        const spot = path.getPointAtLength(share * path.getTotalLength()).matrixTransform(path.getScreenCTM());
        const inside = spot.x > frame.left + 60 && spot.x < frame.right - 20 && spot.y > frame.top + 20 && spot.y < frame.bottom - 50;
        if (inside && document.elementFromPoint(spot.x, spot.y) === path) return { x: spot.x, y: spot.y };
      }
      return null;
    });
    if (!at) continue;
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    for (let k = 1; k <= 5; ++k) await page.mouse.move(at.x + 4 * k, at.y - 5 * k);
    await page.mouse.up();
    await settled(page);
    const after = await numbers();
    for (const key of Object.keys(after)) if (after[key] !== before[key]) changed.add(key);
  }
  return [...changed].sort();
}

test('lines of the section can be dragged for mu and e, and the velocity for V', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('planar');
    await settled(page);
    assert.deepEqual(await changedByDrags(page, 'section', 'planar'), ['e', 'mu']);
    assert.deepEqual(await changedByDrags(page, 'velocity', 'planar'), ['V']);
  }));
