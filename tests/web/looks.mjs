/** Light and dark, wide and narrow, and what it costs to load. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, screenshot, sentBytes, settled, withPage } from './browser.mjs';

const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const brightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0) / 3;

test('the theme follows the system and can be changed', async () => {
  await withPage({}, async (page) => {
    assert.ok(brightness(await paper(page)) > 200);
    await page.locator('#space canvas').first().waitFor();
    await settled(page);
    await screenshot(page, 'light');
    await page.locator('#theme').click();
    await settled(page);
    assert.ok(brightness(await paper(page)) < 60);
    await page.reload();
    await settled(page);
    assert.ok(brightness(await paper(page)) < 60, 'the choice lasts');
  });
  await withPage({ dark: true }, async (page) => {
    assert.ok(brightness(await paper(page)) < 60);
    assert.equal(await page.evaluate(() => window.ricochet.frame().dark), true);
    await page.locator('#space canvas').first().waitFor();
    await settled(page);
    await screenshot(page, 'dark');
  });
});

test('nothing sticks out on phones and tablets', () =>
  withPage({ width: 390, height: 844 }, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    for (const [width, height] of [[390, 844], [360, 640], [768, 1024], [1024, 768]]) {
      await page.setViewportSize({ width, height });
      await settled(page);
      const wide = () => page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      const [content, screen] = await wide();
      assert.ok(content <= screen, `${content} in ${screen}`);
      await screenshot(page, `narrow-${width}`);
      if (!(await page.locator('#panel-toggle').isVisible())) continue;
      await page.locator('#panel-toggle').click();
      await field(page, 'mu').fill('0.5');
      await settled(page);
      assert.ok((await wide())[0] <= screen);
      // Pictures and panel share the screen, and nothing else scrolls.
      const [page_, bottom] = await page.evaluate(() => [document.documentElement.scrollHeight, document.querySelector('#panel').getBoundingClientRect().bottom]);
      assert.deepEqual([page_, Math.round(bottom)], [height, height]);
      const reading = page.locator('.scrub-reading');
      assert.ok(await reading.evaluate((box) => box.scrollWidth <= box.clientWidth), 'what the scrubber says is seen whole');
      await screenshot(page, `narrow-${width}-controls`);
      await page.locator('#panel-toggle').click();
    }
  }));

test('every part of the page can be reached from the head at 1366', () =>
  withPage({ width: 1366, height: 768 }, async (page) => {
    const cut = await page.locator('#places').evaluate((nav) => [...nav.children].filter((link) => link.getBoundingClientRect().right > nav.getBoundingClientRect().right - 20).map((link) => link.textContent));
    assert.deepEqual(cut, []);
    assert.equal(await page.locator('#places a').count(), 9);
  }));

test('all that is loaded is less than 2 MB on the wire', (t) =>
  withPage({}, async (page) => {
    for (const id of ['space', 'section', 'energy', 'after']) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      await page.locator(`#${id} .host > *`).first().waitFor();
    }
    const files = sentBytes(page);
    const total = files.reduce((sum, [, bytes]) => sum + bytes, 0);
    for (const [name, bytes] of files) t.diagnostic(`${name}: ${(bytes / 1e3).toFixed(0)} kB`);
    t.diagnostic(`all: ${(total / 1e6).toFixed(2)} MB`);
    assert.ok(total > 100_000 && total < 2_000_000, `${total} bytes`);
  }));

const pictures = 240;

test('times, for the record', (t) =>
  withPage({}, async (page) => {
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    t.diagnostic(`first paint after ${paint?.toFixed(0)} ms`);
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    await page.waitForTimeout(500); // browsers are still compiling
    // Another coefficient of friction for every picture that the screen shows, as in the quickest drag.
    const gaps = await page.evaluate(async (pictures) => {
      window.ricochet.timings.length = 0;
      const input = document.querySelector('input[data-parameter="mu"]');
      const next = () => new Promise(requestAnimationFrame);
      const times = [await next()];
      for (let i = 1; i <= pictures; ++i) {
        input.value = String(0.5 + 0.4 * Math.sin(i / 20));
        input.dispatchEvent(new Event('input', { bubbles: true }));
        times.push(await next());
      }
      return times.slice(1).map((time, i) => time - times[i]);
    }, pictures);
    await settled(page);
    const { laws, geometry, drawing, count } = await page.evaluate(() => {
      const { timings } = window.ricochet;
      const middle = (key) => timings.map((timing) => timing[key]).sort((a, b) => a - b)[Math.floor(timings.length / 2)];
      return { laws: middle('laws'), geometry: middle('geometry'), drawing: middle('drawing'), count: timings.length };
    });
    assert.ok(count >= pictures, 'it was computed anew for every picture');
    const ms = (time) => `${time.toFixed(1)} ms`;
    const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length;
    const most = gaps.sort((a, b) => a - b)[Math.floor(0.9 * gaps.length)];
    t.diagnostic(`all laws recomputed in ${ms(laws)}, geometry ${ms(geometry)}, drawing ${ms(drawing)} (medians of ${count})`);
    t.diagnostic(`${(1000 / mean).toFixed(0)} pictures a second, nine in ten within ${ms(most)}`);
  }));
