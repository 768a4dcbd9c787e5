/** Everything can be done without a mouse. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, settled, tableOf, withPage } from './browser.mjs';

test('arrow keys change a number, with Shift ten times as much, with Alt a tenth', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const mu = field(page, 'mu');
    await mu.focus();
    const press = async (keys) => {
      await page.keyboard.press(keys);
      await settled(page);
      return Number(await mu.inputValue());
    };
    const before = await tableOf(page);
    assert.equal(await press('ArrowUp'), 0.51);
    assert.notEqual((await tableOf(page)).routh.P_t, before.routh.P_t);
    assert.equal(await press('ArrowDown'), 0.5);
    assert.equal(await press('Shift+ArrowDown'), 0.4);
    assert.equal(await press('Alt+ArrowUp'), 0.401);
  }));

test('Tab goes through the panel to the views and the table, and what has the focus is seen', () =>
  withPage({}, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    const order = [];
    await page.evaluate(() => document.body.focus());
    for (let i = 0; i < 300; ++i) {
      await page.keyboard.press('Tab');
      const place = await page.evaluate(() => {
        const at = document.activeElement;
        if (!at || at === document.body) return null;
        const style = getComputedStyle(at);
        const hidden = at.matches('.unseen, .modes input'); // their label is marked in their place
        const marked = hidden || style.outlineStyle !== 'none' || style.boxShadow !== 'none';
        const part = at.closest('header.top, #panel, #space, #section, #outcomes, #others')?.id ?? '';
        return { part: part === '' ? (at.closest('header.top') ? 'top' : 'other') : part, marked, what: at.outerHTML.slice(0, 90) };
      });
      if (!place) break;
      assert.ok(place.marked, `the focus is not seen on ${place.what}`);
      if (order.at(-1) !== place.part) order.push(place.part);
      if (place.part === 'outcomes') break;
    }
    assert.deepEqual(order.filter((part) => part !== 'other'), ['top', 'panel', 'space', 'section', 'outcomes']);
  }));

test('Enter on a row makes its law the focus, arrows go from row to row', () =>
  withPage({}, async (page) => {
    await page.locator('tr[data-law="chatterjee-ruina"]').focus();
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal(await page.evaluate(() => window.ricochet.state().focus), 'chatterjee-ruina');
    assert.equal(await page.locator('tr[aria-current="true"]').getAttribute('data-law'), 'chatterjee-ruina');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal(await page.evaluate(() => window.ricochet.frame().focus), 'frictionless');
  }));

test('arrow keys turn impulse space, and Home brings it back', () =>
  withPage({}, async (page) => {
    const stage = page.locator('#space [tabindex="0"]').first();
    await stage.waitFor();
    await settled(page);
    // While it moves it is drawn coarser where there is no graphics card, and finer a little later.
    const look = async () => {
      for (let before = '', tries = 0; ; ++tries) {
        assert.ok(tries < 40, 'the picture comes to rest');
        await settled(page);
        const now = (await page.locator('#space canvas').first().screenshot()).toString('base64');
        if (now === before) return now;
        before = now;
        await page.waitForTimeout(500);
      }
    };
    await stage.focus();
    await page.keyboard.press('Home');
    const home = await look();
    for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowLeft');
    assert.ok((await look()) !== home, 'the picture has changed');
    await page.keyboard.press('Home');
    assert.ok((await look()) === home, 'the picture is the one from before');
  }));
