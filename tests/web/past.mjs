/** Undo and redo, the browser's back, the first view again, and comparing with what is pinned. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, settled, until, withPage } from './browser.mjs';

const text = (page) => page.evaluate(() => window.ricochet.text());
/** Until the address holds what is shown: a collision at rest. */
const rested = async (page) => {
  await settled(page);
  await until(page, () => location.href === window.ricochet.address());
};
const set = async (page, name, value) => {
  await field(page, name).fill(value);
  await rested(page);
};
const becomes = async (page, wanted) => {
  for (let i = 0; i < 1000 && (await text(page)) !== wanted; ++i) await page.waitForTimeout(20);
  assert.equal(await text(page), wanted);
  await rested(page);
};

test('undo and redo by keys and buttons, and the browser goes back through collisions', () =>
  withPage({}, async (page) => {
    await rested(page);
    assert.ok(await page.locator('#undo').isDisabled());
    const texts = [await text(page)];
    for (const [name, value] of [['mu', '0.21'], ['e', '0.33']]) {
      await set(page, name, value);
      texts.push(await text(page));
    }
    await page.locator('#scenes').selectOption('rod');
    await rested(page);
    texts.push(await text(page));
    await page.keyboard.press('Control+z');
    await becomes(page, texts[2]);
    await page.locator('#undo').click();
    await becomes(page, texts[1]);
    await page.goBack();
    await becomes(page, texts[0]);
    assert.equal(await page.locator('#scenes').inputValue(), 'default', 'the starting point is known again');
    await until(page, () => document.querySelector('#undo').disabled);
    await page.keyboard.press('Control+z');
    await settled(page);
    assert.equal(await text(page), texts[0], 'nothing lies before, and the page stays');
    await page.keyboard.press('Control+Shift+z');
    await becomes(page, texts[1]);
    await page.locator('#redo').click();
    await becomes(page, texts[2]);
    await set(page, 'mu', '0.5');
    assert.ok(await page.locator('#redo').isDisabled(), 'a change ends what could be redone');
  }));

test('a drag is one step back, and a text that cannot be read goes first', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await rested(page);
    const first = await text(page);
    const box = await field(page, 'mu').boundingBox();
    await page.mouse.move(box.x + 20, box.y + 10);
    await page.mouse.down();
    for (let i = 1; i <= 30; ++i) await page.mouse.move(box.x + 20 - i, box.y + 10);
    await page.mouse.up();
    await rested(page);
    assert.notEqual(await text(page), first);
    await field(page, 'e').fill('abc');
    await page.keyboard.press('Control+z');
    await until(page, () => !document.body.classList.contains('stale'));
    await page.keyboard.press('Control+z');
    await becomes(page, first);
  }));

test('every pane has a button for the first view', () =>
  withPage({}, async (page) => {
    await page.locator('#section svg').first().waitFor();
    const look = () => page.locator('#section svg text').evaluateAll((all) => all.map((one) => one.textContent).join());
    const first = await look();
    await page.locator('#section svg').focus();
    for (let i = 0; i < 5; ++i) await page.keyboard.press('+');
    await settled(page);
    assert.notEqual(await look(), first);
    await page.getByRole('button', { name: 'reset the view of Section' }).click();
    await settled(page);
    assert.equal(await look(), first);
    const panes = await page.locator('.pane').count();
    assert.equal(await page.locator('.pane button.reset').count(), panes);
  }));

test('what is pinned stays as a ghost in the pictures and beside the numbers', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const old = await page.locator('tr[data-law="routh"] td[data-key="P_n"] > span').textContent();
    const words = page.locator('tr[data-law="smith"] td:is(.mode, .certificate)');
    const oldWords = await words.locator('> span').allTextContents();
    await page.locator('#pin').click();
    await settled(page);
    assert.match(await page.locator('#pinned').textContent(), /Nothing differs yet/);
    await field(page, 'mu').fill('0.1');
    await settled(page);
    assert.match(await page.locator('#pinned').textContent(), /mu 0\.5 → 0\.1/);
    const cell = page.locator('tr[data-law="routh"] td[data-key="P_n"]');
    assert.equal(await cell.locator('.pinned').textContent(), old);
    assert.notEqual(await cell.locator('> span').textContent(), old);
    assert.deepEqual(await words.locator('.pinned').allTextContents(), oldWords);
    // Two columns where there is room, and else one below the other.
    const places = async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      return cell.evaluate((box) => [...box.children].map((one) => one.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
    };
    const [now, then] = await places(1920);
    assert.ok(now.right <= then.left + 1 && Math.abs(now.top - then.top) < 6, JSON.stringify([now, then]));
    assert.equal(await page.locator('#outcomes').evaluate((box) => box.scrollWidth - box.clientWidth), 0);
    const [above, below] = await places(1366);
    assert.ok(below.top > above.top + 5);
    // The cone and the answers of then are where they would be with the old mu, and those of now elsewhere.
    const ghostPlaces = () => page.locator('#section').evaluate((pane) => [...pane.querySelectorAll('.ghost path.line')].map((path) => path.getAttribute('d')));
    const ghosts = await ghostPlaces();
    assert.ok(ghosts.length >= 3);
    const present = await page.locator('#section svg > g[clip-path]:not(.ghost) > path.line').evaluateAll((all) => all.map((path) => path.getAttribute('d')));
    assert.ok(ghosts.some((d) => !present.includes(d)));
    await page.locator('#pin').click();
    await settled(page);
    assert.deepEqual(await ghostPlaces(), []);
    assert.equal(await page.locator('.outcomes .pinned:visible').count(), 0);
  }));
