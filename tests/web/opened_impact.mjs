/** Impacts of a motion that the page has simulated, opened in impulse space, with one time cursor for both. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { root, screenshot, settled, tableOf, until, withPage } from './browser.mjs';

const text = (name) => readFileSync(join(root, `scenes/motion/${name}.toml`), 'utf8');
const simulated = async (page) => {
  await until(page, () => window.scenePage?.busy === false, 60_000);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};
const withScene = (name, options, work) =>
  withPage({ hash: `#scene=${encodeURIComponent(text(name))}&until=3`, ready: simulated, ...options }, work);
const opened = async (page) => {
  await until(page, () => !document.querySelector('#crumb').hidden && window.ricochet?.frame() != null);
  await settled(page);
};
const open = async (page, event) => {
  await page.locator(`.motion-row[data-event="${event}"] .motion-open`).click();
  await opened(page);
};
const eventOf = (page, index) => page.evaluate((i) => window.motionViewer.motion.events[i], index);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const near = (a, b, tolerance = 1e-9) => assert.ok(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)), `${a}, expected ${b}`);

test('an impact of a bouncing ball opens with the velocity that it fell to, and its law gives the impulse of the event', (t) =>
  withScene('bouncing-ball', {}, async (page) => {
    const event = await eventOf(page, 0);
    const scene = await page.evaluate(() => location.hash);
    await open(page, 0);
    const { contact, answers } = await page.evaluate(() => window.ricochet.frame().outcome);
    // Free fall from rest for so long.
    near(dot(contact.V, contact.n), -9.81 * event.time);
    const { focus } = await page.evaluate(() => window.ricochet.state());
    const { P } = answers.find(({ law }) => law === focus);
    P.forEach((x, k) => near(x, event.P[k]));
    near((await tableOf(page))[focus].energy, event.energy_change);
    assert.match(await page.locator('#crumb').textContent(), /event 1/);
    t.diagnostic(`V_n ${dot(contact.V, contact.n)} m/s after ${event.time} s`);
    await page.goBack();
    await until(page, () => document.body.classList.contains('with-motion'));
    assert.equal(await page.evaluate(() => location.hash), scene);
    assert.ok(await page.locator('.motion-bar').isVisible());
    // The next one, by the keyboard.
    await page.locator('.motion-table').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('o');
    await opened(page);
    assert.match(await page.locator('#crumb').textContent(), /event 2/);
    const second = await page.evaluate(() => window.ricochet.frame().outcome.contact);
    assert.ok(Math.abs(dot(second.V, second.n)) < Math.abs(dot(contact.V, contact.n)));
  }));

test('an impact of jointed bodies opens with the W in which the joints hold', () =>
  withScene('double-pendulum', {}, async (page) => {
    const index = await page.evaluate(() => window.motionViewer.motion.events.findIndex(({ kind }) => kind === 'impact'));
    assert.ok(index >= 0);
    const event = await eventOf(page, index);
    await page.evaluate((i) => window.motionViewer.jump(i), index);
    await page.locator('.motion-table').focus();
    await page.keyboard.press('o');
    await opened(page);
    const { focus } = await page.evaluate(() => window.ricochet.state());
    const { P } = (await page.evaluate(() => window.ricochet.frame().outcome.answers)).find(({ law }) => law === focus);
    P.forEach((x, k) => near(x, event.P[k], 1e-8));
  }));

test('one cursor moves the motion and the impact', () =>
  withScene('bouncing-ball', {}, async (page) => {
    const [first, second, third] = [await eventOf(page, 0), await eventOf(page, 1), await eventOf(page, 2)];
    await open(page, 1);
    assert.ok(await page.locator('#flight .motion-stage').isVisible());
    const seek = async (share) => {
      await page.locator('.scrub-track input').evaluate((input, to) => {
        input.value = String(to);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }, share);
      await settled(page);
      return page.evaluate(() => ({ time: window.motionViewer.time, share: window.ricochet.cursor().share }));
    };
    // The flight before, the impact, during which time stands still, and the flight after.
    const before = await seek(0.125);
    near(before.time, (first.time + second.time) / 2);
    assert.equal(before.share, 0);
    const during = await seek(0.5);
    assert.equal(during.time, second.time);
    near(during.share, 0.5);
    assert.match(await page.locator('.scrub-reading').textContent(), new RegExp(`^t ${second.time.toFixed(4)} s, `));
    const after = await seek(0.875);
    near(after.time, (second.time + third.time) / 2);
    assert.equal(after.share, 1);
    assert.match(await page.locator('.scrub-reading').textContent(), /after it/);
    // Keys in the picture of the motion move both.
    await page.locator('#flight .motion-letters').focus();
    await page.keyboard.press('Home');
    near(await page.evaluate(() => window.motionViewer.time), first.time);
    assert.equal(await page.evaluate(() => window.ricochet.cursor().share), 0);
    // The motion keeps the cursor when it is shown again, and a later visit has no flight.
    await seek(0.125);
    await page.locator('#crumb-back').click();
    await until(page, () => document.body.classList.contains('with-motion'));
    near(await page.evaluate(() => window.motionViewer.time), (first.time + second.time) / 2);
    assert.ok(await page.locator('#motion-page .motion-stage').isVisible());
  }));

test('on a phone an impact is opened by a finger', () =>
  withScene('bouncing-ball', { width: 390, height: 844 }, async (page) => {
    const button = page.locator('.motion-row[data-event="2"] .motion-open');
    await button.scrollIntoViewIfNeeded();
    const { width, height } = await button.boundingBox();
    assert.ok(width >= 38 && height >= 38, `${width} × ${height}`);
    await button.click();
    await opened(page);
    assert.match(await page.locator('#crumb').textContent(), /event 3/);
  }));

for (const [width, height] of [[1920, 1080], [1366, 768], [768, 1024], [390, 844]])
  for (const dark of [false, true])
    test(`an opened impact at ${width} × ${height}, ${dark ? 'dark' : 'light'}`, () =>
      withScene('superball-corridor', { width, height, dark }, async (page) => {
        const index = await page.evaluate(() => window.motionViewer.motion.events.findIndex(({ kind }) => kind === 'impact'));
        await page.evaluate((i) => window.motionViewer.jump(i), index);
        await page.locator('.motion-table').focus();
        await page.keyboard.press('o');
        await opened(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels in ${width}`);
        await screenshot(page, `opened-impact-${width}${dark ? '-dark' : ''}`);
      }));
