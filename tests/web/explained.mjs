/** Letters, landmarks, columns and laws explain themselves, from docs/. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { field, root, settled, until, withPage } from './browser.mjs';

/** The rows of docs/glossary.md that the page shows. */
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const section = glossary.slice(glossary.indexOf('\n## On the page'), glossary.indexOf('\n## Mechanisms'));
const rows = new Map(
  section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (on the page|---)/.test(line))
    .map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()))
    .map(([key, ...rest]) => [key, rest]),
);
const definition = (page) => page.locator('#definition:not([hidden])');

test('every letter with a definition has one in the glossary, on hover and on focus', () =>
  withPage({}, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    const keys = await page.locator('[data-term]').evaluateAll((all) => all.map((one) => one.dataset.term));
    const wanted = ['e', 'mu', 'e_t', 'kappa', 'n', 'P_n', 'P_t', 'P_along_t', 'P_along_b', 'V_n', 'V_t', 'energy', 'W_n', 'W_t', 'mode', 'certificate', 'guarantees', 'energy kept', 'friction cone', 'maximum compression', 'sticking', 'permissible'];
    for (const key of wanted) assert.ok(keys.includes(key) && rows.has(key), key);
    await page.locator('th[data-term="W_n"]').hover();
    await definition(page).waitFor();
    const said = (await definition(page).textContent()).replace(/\s+/g, ' ');
    assert.ok(said.startsWith(rows.get('W_n')[0]), said);
    assert.ok(said.includes('(C2)'), said);
    await page.keyboard.press('Escape');
    assert.equal(await definition(page).count(), 0);
    await page.locator('th[data-term="energy"]').focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await definition(page).waitFor();
    assert.ok((await definition(page).textContent()).startsWith('Change of kinetic energy'));
    assert.equal(await page.locator('th[data-term="energy"]').getAttribute('aria-describedby'), 'definition');
  }));

test('letters of the captions explain themselves', () =>
  withPage({}, async (page) => {
    const letters = await page.locator('.caption [data-term]').evaluateAll((all) => all.map(({ dataset, textContent }) => [textContent, dataset.term]));
    for (const [text, key] of [['PI', 'P_I'], ['PII', 'P_II'], ['P', 'P'], ['μ', 'mu'], ['e', 'e'], ['V⁻', 'V'], ['κ', 'kappa']])
      assert.ok(letters.some(([shown, term]) => shown === text && term === key && rows.has(key)), `${text} of ${letters}`);
    // All that is said to be a letter of the page can be reached by the keyboard.
    const unreached = await page.locator('#panel [data-term], .caption [data-term], th[data-term]').evaluateAll((all) =>
      all.filter((one) => one.tabIndex < 0 && !one.querySelector('input') && !one.closest('.modes')).map((one) => one.dataset.term));
    assert.deepEqual(unreached, []);
    await page.locator('#realize').waitFor({ state: 'attached' });
    assert.match(await page.locator('#realize').getAttribute('title'), /CR98b: .*Realizability of arbitrary local mass matrices/);
  }));

test('landmarks of the section are explained by pointer and by keyboard', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    await page.locator('#section svg').focus();
    const said = new Set();
    for (let i = 0; i < 16; ++i) {
      await page.keyboard.press('ArrowRight');
      said.add(await page.locator('#section .view-tip').textContent());
    }
    const all = [...said].join('\n');
    for (const key of ['O', 'P_I', 'F', 'A', 'B', 'centre']) assert.ok(all.includes(rows.get(key)[0].replaceAll('*', '')), `${key} in ${all}`);
  }));

test('every letter, also of a parameter or at an axis, explains itself, and a tap is enough', () =>
  withPage({ touch: true }, async (page) => {
    for (const scene of ['rod', 'generic']) {
      await page.locator('#scenes').selectOption(scene);
      await settled(page);
      for (const id of ['velocity', 'energy', 'forces']) {
        await page.locator(`#${id}`).scrollIntoViewIfNeeded();
        await page.locator(`#${id} svg text`).first().waitFor({ state: 'attached' });
        await settled(page);
      }
      const said = await page.evaluate(() => {
        const tap = (node) => node.dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true, pointerType: 'touch' }));
        const box = document.querySelector('#definition');
        return [...document.querySelectorAll('[data-term]:not(label, select, .modes i)')].map((node) => {
          box.hidden = true;
          tap(node);
          return [node.dataset.term, box.hidden ? '' : box.textContent];
        });
      });
      const keys = new Set(said.map(([key]) => key));
      const wanted = ['mu_s', 'psi_1', 'tau', 'restitution', 'V', 'normal impulse', 'slip', 'normal speed', 'work so far', 'E_n', 'F_t', 'time'];
      for (const key of [...wanted, ...(scene === 'rod' ? ['v', 'ω'] : [])]) assert.ok(keys.has(key), key);
      for (const [key, text] of said) assert.ok(text.length > 15, `${key}: ${text}`);
      const slip = said.find(([key]) => key === 'slip')[1];
      assert.ok(slip.startsWith(rows.get('slip')[0]), slip);
    }
    // A citation in the text of a starting point leads to its title.
    await page.locator('#scenes').selectOption('grazing');
    await settled(page);
    await page.locator('#panel .about [data-cite="CR98"]').first().tap();
    await definition(page).waitFor();
    assert.match(await definition(page).textContent(), /A new algebraic rigid-body collision law/);
  }));

test('what is said of a landmark is seen whole, whatever the size of the pane', async () => {
  for (const [width, height] of [[1366, 768], [390, 844]])
    await withPage({ width, height, hash: '#M=2,0.7,0.2,0.7,1.5,-0.3,0.2,-0.3,1.1&V=-1,-1.4,0.3&n=1,0,0&e=0.5&mu=0.5' }, async (page) => {
      await page.locator('#section svg').focus();
      const longest = [];
      for (let i = 0; i < 26; ++i) {
        await page.keyboard.press('ArrowRight');
        const [text, inside] = await page.evaluate(() => {
          const tip = document.querySelector('#section .view-tip');
          const [box, pane] = [tip.getBoundingClientRect(), document.querySelector('#section .view').getBoundingClientRect()];
          return [tip.textContent, box.left >= pane.left - 1 && box.right <= pane.right + 1 && box.top >= pane.top - 1 && box.bottom <= pane.bottom + 1];
        });
        assert.ok(inside, `${width}: ${text}`);
        longest.push(text.length);
      }
      assert.ok(Math.max(...longest) > 120);
    });
});

test('a finger reads a landmark, and two fingers on a line drag nothing', () =>
  withPage({ touch: true, width: 390, height: 844 }, async (page) => {
    await page.evaluate(() => document.querySelector('#section').scrollIntoView());
    await settled(page);
    const at = await page.locator('#section svg').evaluate((svg) => {
      const { left, top } = svg.getBoundingClientRect();
      const label = [...svg.querySelectorAll('text')].find((text) => text.textContent === 'B').getBoundingClientRect();
      const [x, y] = [label.left + label.width / 2 - left, label.top + label.height / 2 - top];
      const dots = [...svg.querySelectorAll('path[transform]')].map((dot) => dot.getAttribute('transform').match(/-?[\d.]+/g).map(Number));
      const [px, py] = dots.sort((a, b) => Math.hypot(a[0] - x, a[1] - y) - Math.hypot(b[0] - x, b[1] - y))[0];
      return [left + px, top + py];
    });
    await page.touchscreen.tap(...at);
    await page.locator('#section .view-tip:not([hidden])').waitFor();
    assert.ok((await page.locator('#section .view-tip').textContent()).includes(rows.get('B')[0]));
    const line = await page.locator('#section path.hit').evaluateAll((paths) => {
      for (const path of paths)
        for (const share of [0.3, 0.5, 0.7]) {
          const { x, y } = path.getPointAtLength(share * path.getTotalLength()).matrixTransform(path.getScreenCTM());
          if (document.elementFromPoint(x, y) === path) return [x, y];
        }
    });
    const before = await page.evaluate(() => window.ricochet.text());
    const fingers = await page.context().newCDPSession(page);
    const touches = (off) => [{ x: line[0] - off, y: line[1], id: 0 }, { x: line[0] + off, y: line[1], id: 1 }];
    await fingers.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: touches(8) });
    for (let i = 1; i <= 8; ++i) await fingers.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: touches(8 + 6 * i) });
    await fingers.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await settled(page);
    assert.equal(await page.evaluate(() => window.ricochet.text()), before);
  }));

test('laws name their sources by title and lead to their equations', () =>
  withPage({}, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    await settled(page);
    await page.locator('tr[data-law="routh"] th').hover();
    await definition(page).waitFor();
    assert.match(await definition(page).textContent(), /A new algebraic rigid-body collision law based on impulse space considerations/);
    const laws = await page.evaluate(() => window.ricochet.engine.laws.map(({ name }) => name));
    for (const law of laws) {
      const address = await page.locator(`.laws a[aria-label="equations of ${law}"]`).evaluate((link) => link.href);
      const answer = await page.request.get(address);
      assert.equal(answer.status(), 200, law);
      const text = await answer.text();
      assert.match(text, /<h1>/);
      assert.doesNotMatch(text, /\$\$|\\frac|\\mu/, `${law}: mathematics is set`);
    }
  }));

test('e says what it compares under the focus law, and parameters which laws use them', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    const use = (name) => page.locator('.parameter', { has: field(page, name) }).locator('.use').textContent();
    await page.locator('tr[data-law="routh"]').click();
    await settled(page);
    assert.match(await use('e'), /routh: .*compares impulses \(restitution = poisson\)/);
    assert.match(await use('e_t'), /not used by routh; by .*chatterjee-ruina/);
    await page.locator('details.more > summary').click();
    await page.locator('select[aria-label^="restitution:"]').selectOption('stronge');
    await settled(page);
    assert.match(await use('e'), /compares works \(restitution = stronge\)/);
    await page.locator('tr[data-law="chatterjee-ruina"]').click();
    await settled(page);
    assert.match(await use('e'), /rebound speed over approach speed/);
    assert.match(await use('e_t'), /chatterjee-ruina: tangential restitution/);
    await page.locator('tr[data-law="pfeiffer-glocker"]').click();
    await settled(page);
    assert.match(await use('e'), /impulse of restitution/, 'e stands in for e_k');
  }));

test('how to turn and zoom is said in every pane', () =>
  withPage({}, async (page) => {
    for (const text of await page.locator('.pane .how').allTextContents()) assert.match(text, /Drag.*zoom/);
    assert.equal(await page.locator('.pane .how').count(), await page.locator('.pane').count());
  }));

test('a tour of five steps is offered once', () =>
  withPage({}, async (page) => {
    await page.getByRole('button', { name: 'Take the tour' }).click();
    const card = page.getByRole('dialog', { name: 'tour of the page' });
    for (let i = 1; i <= 5; ++i) {
      assert.ok((await card.textContent()).startsWith(`${i} of 5.`));
      assert.equal(await page.locator('.toured').count(), 1);
      const inside = await page.evaluate(() => {
        const { left, top, right, bottom } = document.querySelector('#tour').getBoundingClientRect();
        return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      });
      assert.ok(inside, `step ${i} is on the screen`);
      await card.locator('.next').click();
    }
    assert.equal(await card.isVisible(), false);
    await page.reload();
    await settled(page);
    assert.equal(await page.locator('#tour-offer').isVisible(), false);
    await page.locator('#tour-start').click();
    await until(page, () => !document.querySelector('#tour').hidden);
  }));
