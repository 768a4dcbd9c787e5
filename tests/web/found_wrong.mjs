/** What was once found wrong on the page, one test for each. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { field, follow, settled, tableOf, until, withPage } from './browser.mjs';

const choose = async (page, scene) => {
  await page.locator('#scenes').selectOption(scene);
  await settled(page);
};
const texts = (page, pane) => page.locator(`#${pane} svg text`).evaluateAll((all) => all.map((text) => text.textContent));
const lower = ['velocity', 'energy', 'process', 'forces', 'before', 'after'];
/** Every pane is drawn once it has been near. */
const seeAll = async (page) => {
  for (const id of lower) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await page.locator(`#${id} svg`).first().waitFor({ state: 'attached' });
    await settled(page);
  }
};

test('with no law ticked the section draws none', () =>
  withPage({}, async (page) => {
    await page.locator('#section svg').first().waitFor();
    const laws = await page.evaluate(() => window.ricochet.engine.laws.map(({ name }) => name));
    const named = async () => (await texts(page, 'section')).filter((text) => laws.some((law) => text.startsWith(law)));
    assert.ok((await named()).length >= 5);
    for (const law of await page.evaluate(() => window.ricochet.state().laws))
      await page.getByRole('checkbox', { name: `draw ${law}`, exact: true }).uncheck();
    await settled(page);
    assert.deepEqual(await named(), []);
    assert.ok((await texts(page, 'section')).some((text) => text.includes('friction cone')), 'the construction stays');
  }));

test('a zoom does not outlive the collision that it was made for', () =>
  withPage({}, async (page) => {
    await choose(page, 'central');
    const wanted = await texts(page, 'section');
    await choose(page, 'generic');
    await page.locator('#section svg').focus();
    for (let i = 0; i < 8; ++i) await page.keyboard.press('+');
    await settled(page);
    await choose(page, 'central');
    assert.deepEqual(await texts(page, 'section'), wanted);
  }));

test('what is read off while dragging is the value that is dragged, and no ring stays behind', () =>
  withPage({}, async (page) => {
    await choose(page, 'planar');
    const at = await page.locator('#section path.hit').evaluateAll((paths) => {
      for (const path of paths) {
        const frame = path.ownerSVGElement.getBoundingClientRect();
        for (const share of [0.2, 0.1, 0.05, 0.3, 0.02, 0.4]) {
          const { x, y } = path.getPointAtLength(share * path.getTotalLength()).matrixTransform(path.getScreenCTM());
          const inside = x > frame.left + 90 && x < frame.right - 20 && y > frame.top + 30 && y < frame.bottom - 120;
          if (inside && document.elementFromPoint(x, y) === path && path.style.cursor === 'ew-resize') return { x, y };
        }
      }
      return null;
    });
    assert.ok(at, 'the cone can be taken hold of');
    await page.mouse.move(at.x, at.y);
    await page.locator('#section .view-tip:not([hidden])').waitFor();
    await page.mouse.down();
    for (let i = 1; i <= 4; ++i) await page.mouse.move(at.x + 6 * i, at.y);
    await settled(page);
    const mu = await page.evaluate(() => window.ricochet.state().settings.mu);
    assert.equal(await page.locator('#section .view-tip').textContent(), `μ = ${mu}`);
    assert.equal(await page.locator('#section .found').getAttribute('visibility'), 'hidden');
    await page.mouse.up();
    assert.equal(await page.locator('#section .view-tip').isVisible(), false);
  }));

test('a number that cannot be read dims the pictures and keeps exports from writing the old one', () =>
  withPage({}, async (page) => {
    await choose(page, 'generic');
    await field(page, 'mu').fill('abc');
    await until(page, () => document.body.classList.contains('stale'));
    let written = false;
    page.on('download', () => (written = true));
    await page.locator('#export summary').click();
    await page.locator('[data-export="toml"]').click();
    await page.locator('#messages', { hasText: 'mu: abc: must be a number' }).waitFor();
    assert.equal(written, false);
    await field(page, 'mu').focus();
    await page.keyboard.press('Escape');
    await until(page, () => !document.body.classList.contains('stale'));
  }));

test('a fault of M, which follows from bodies, marks no field of the hidden form', () =>
  withPage({}, async (page) => {
    await choose(page, 'rod');
    await page.getByRole('spinbutton', { name: 'mass of B' }).fill('1e150');
    await settled(page);
    const marked = await page.locator('#panel .doubtful, #panel .invalid').evaluateAll((all) => all.filter((input) => input.offsetParent === null).length);
    assert.equal(marked, 0);
    if (await page.evaluate(() => document.body.classList.contains('stale')))
      assert.ok(await page.locator('#panel .message:visible').count(), 'and it is said in sight');
  }));

test('a collision given by its matrix is drawn as a contact alone, and realised bodies reach it', () =>
  withPage({}, async (page) => {
    await choose(page, 'generic');
    await seeAll(page);
    assert.ok((await texts(page, 'before')).includes('given by its matrix: the bodies are not known'));
    await page.locator('#realize').click();
    await settled(page);
    await page.locator('#before').scrollIntoViewIfNeeded();
    await settled(page);
    assert.ok(!(await texts(page, 'before')).some((text) => text.startsWith('given by')));
    // An arm from each centre (a cross) to the point of contact (a disc).
    const ends = await page.locator('#before svg').evaluate((svg) => {
      const arms = [...svg.querySelectorAll('path.line[stroke-dasharray="4 3"]')].map((path) => path.getAttribute('d'));
      const points = [...svg.querySelectorAll('path[transform]')].map((dot) => dot.getAttribute('transform').match(/-?[\d.]+/g).map(Number));
      return { arms: arms.map((d) => d.match(/-?[\d.]+/g).map(Number)), contact: points.at(-1) };
    });
    assert.ok(ends.arms.length >= 1);
    for (const [, , x, y] of ends.arms) assert.ok(Math.hypot(x - ends.contact[0], y - ends.contact[1]) < 1, 'the arm ends at the contact');
  }));

test('what the starting points say of laws is what the laws answer', () =>
  withPage({}, async (page) => {
    const about = () => page.locator('#panel .about').textContent();
    const lists = (text) => [...text.matchAll(/\(([a-z-]+(?:, [a-z-]+)+)\)/g)].map(([, list]) => list.split(', '));
    await choose(page, 'grazing');
    const [rebound, stay] = lists(await about());
    const grazing = await tableOf(page);
    for (const law of rebound) assert.ok(grazing[law].V_n > 0.1, law);
    for (const law of stay) assert.ok(grazing[law].V_n < 1e-8, law);
    await choose(page, 'superball');
    const [reverse] = lists(await about());
    const turns = await page.evaluate((names) => {
      const { engine, frame } = window.ricochet;
      const along = (V) => V[0];
      return names.map((name) => [
        engine.laws.find((law) => law.name === name).parameters.some((one) => one.name === 'e_t'),
        along(frame().outcome.answers.find(({ law }) => law === name).V) * along(frame().outcome.contact.V) < 0,
      ]);
    }, reverse);
    assert.deepEqual(turns, [[true, true], [true, true]]);
    assert.ok(Math.abs((await tableOf(page)).routh.V_t) < 1e-9);
    // The summit of the ellipsoid, of which the text speaks, is in the picture.
    await choose(page, 'central');
    assert.match(await about(), /summit of the ellipsoid/);
    const inside = await page.locator('#section svg').evaluate((svg) => {
      const frame = svg.querySelector('clipPath rect').getBBox();
      const curves = [...svg.querySelectorAll('g[clip-path] path.line')].filter((path) => path.getAttribute('d').endsWith('Z'));
      return curves.some((path) => path.getBBox().y >= frame.y && path.getBBox().height > 0.5 * frame.height);
    });
    assert.ok(inside);
  }));

const scaled = (mass, speed) =>
  `#M=${2 * mass},${0.3 * mass},0,${0.3 * mass},${1.5 * mass},0,0,0,${mass}&V=${-speed},${-1.4 * speed},0&n=1,0,0&e=0.5&mu=0.4`;

test('no text of a picture is cut off, whatever the sizes', () =>
  withPage({}, async (page) => {
    const cut = () =>
      page.locator('.pane svg').evaluateAll((all) =>
        all.flatMap((svg) => {
          const box = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')]
            .map((text) => [text.textContent, text.getBoundingClientRect()])
            .filter(([, one]) => one.left < box.left - 1 || one.right > box.right + 1 || one.top < box.top - 1 || one.bottom > box.bottom + 1)
            .map(([text]) => `${svg.getAttribute('aria-label')?.slice(0, 20)}: ${text}`);
        }),
      );
    await seeAll(page);
    for (const scene of ['pendulum', 'kane', 'grazing', 'infinite-friction', 'default']) {
      await choose(page, scene);
      await seeAll(page);
      assert.deepEqual(await cut(), [], scene);
    }
    for (const [mass, speed] of [[1e-9, 1e-7], [1e9, 1e5], [1e-3, 1e12]]) {
      await follow(page, scaled(mass, speed));
      await seeAll(page);
      assert.deepEqual(await cut(), [], `${mass} kg, ${speed} m/s`);
    }
  }));

test('the cone stays within the picture of impulse space', () =>
  withPage({}, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    for (const scene of ['infinite-friction', 'grazing']) {
      await choose(page, scene);
      await page.waitForTimeout(400);
      const edges = await page.evaluate(async (encoded) => {
        const bytes = Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
        pen.drawImage(bitmap, 0, 0);
        const column = (x) => {
          const { data } = pen.getImageData(x, 4, 1, bitmap.height - 8);
          let spread = 0;
          for (let i = 4; i < data.length; i += 4) for (let k = 0; k < 3; ++k) spread = Math.max(spread, Math.abs(data[i + k] - data[k]));
          return spread;
        };
        return [column(3), column(bitmap.width - 4)];
      }, (await page.locator('#space canvas').first().screenshot()).toString('base64'));
      assert.ok(Math.max(...edges) < 12, `${scene}: ${edges}`);
    }
  }));

test('the table is seen whole at 1366 x 768, and the impact process has more than its legend', () =>
  withPage({ width: 1366, height: 768 }, async (page) => {
    const fits = () => page.locator('#outcomes').evaluate((box) => box.scrollWidth - box.clientWidth);
    for (const scene of ['default', 'grazing', 'pendulum']) {
      await choose(page, scene);
      assert.equal(await fits(), 0, scene);
    }
    await seeAll(page);
    const share = await page.locator('#process svg').evaluate((svg) => svg.querySelector('clipPath rect').getBBox().height / svg.clientHeight);
    assert.ok(share > 0.5, `${share}`);
  }));

test('numbers of 1e150 and 1e-150 draw nothing wrong', () =>
  // The console must stay silent.
  withPage({}, async (page) => {
    await seeAll(page);
    for (const [mass, speed] of [[1e150, 1], [1e-150, 1], [1, 1e150], [1, 1e-150], [1e150, 1e150]]) {
      await follow(page, scaled(mass, speed));
      await seeAll(page);
    }
  }));

test('an empty pane is saved with a size and the reason', () =>
  withPage({}, async (page) => {
    await seeAll(page);
    assert.ok(await page.locator('#process .view-message').isVisible());
    const menu = page.locator('#process details.menu');
    await menu.locator('summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-export="process-svg"]').click()]);
    const svg = readFileSync(await download.path(), 'utf8');
    assert.match(svg, /<svg[^>]* width="[1-9]\d+"[^>]* height="[1-9]\d+"/);
    assert.match(svg, /planar/);
  }));

test('no law is said to stick while it slips', () =>
  withPage({}, async (page) => {
    for (const scene of ['superball', 'generic', 'grazing']) {
      await choose(page, scene);
      for (const [law, row] of Object.entries(await tableOf(page)))
        if (!row.refusal && row.V_t > 1e-6) assert.notEqual(row.mode, 'stick', `${scene} ${law}`);
    }
    await choose(page, 'superball');
    assert.equal((await tableOf(page))['chatterjee-ruina'].mode, 'unclipped');
  }));

test('after an export by keyboard the focus is where it was', () =>
  withPage({}, async (page) => {
    await page.locator('#export summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    assert.equal(await page.evaluate(() => document.activeElement.closest('#export') !== null && document.activeElement.tagName), 'SUMMARY');
  }));

test('values that are only suggested have enough contrast, light and dark', async () => {
  for (const dark of [false, true])
    await withPage({ dark }, async (page) => {
      await page.locator('details.more > summary').click();
      const contrasts = await page.evaluate(() => {
        const light = (colour) => {
          const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = (node) => {
          for (let at = node; at; at = at.parentElement) {
            const { backgroundColor } = getComputedStyle(at);
            if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
          }
        };
        const pair = (ink, paper) => {
          const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
          return (a + 0.05) / (b + 0.05);
        };
        const suggested = [...document.querySelectorAll('#panel input[placeholder]')].map((input) => pair(getComputedStyle(input, '::placeholder').color, ground(input)));
        const absent = [...document.querySelectorAll('#panel .absent input')].map((input) => pair(getComputedStyle(input).color, ground(input)));
        const clear = [...document.querySelectorAll('#panel .absent')].every((group) => getComputedStyle(group).opacity === '1');
        return { all: [...suggested, ...absent], clear };
      });
      assert.ok(contrasts.clear);
      assert.ok(contrasts.all.length > 3 && Math.min(...contrasts.all) >= 4.5, `${Math.min(...contrasts.all)}`);
    });
});

test('laws that coincide are seen around each other and named together', () =>
  withPage({}, async (page) => {
    await choose(page, 'central');
    const [x, y, sizes] = await page.locator('#section svg').evaluate((svg) => {
      const dots = [...svg.querySelectorAll('path[transform]')].map((dot) => ({ at: dot.getAttribute('transform'), wide: dot.getBBox().width }));
      const groups = Map.groupBy ? Map.groupBy(dots, ({ at }) => at) : null;
      const largest = [...groups.values()].sort((a, b) => b.length - a.length)[0];
      const [px, py] = largest[0].at.match(/-?[\d.]+/g).map(Number);
      const box = svg.getBoundingClientRect();
      return [box.left + px, box.top + py, largest.map(({ wide }) => wide)];
    });
    assert.ok(sizes.length >= 4 && new Set(sizes.map((s) => s.toFixed(1))).size === sizes.length, `${sizes}`);
    await page.mouse.move(x, y);
    const tip = page.locator('#section .view-tip:not([hidden])');
    await tip.waitFor();
    for (const law of ['chatterjee-ruina', 'routh', 'smith', 'spring-sledge']) assert.match(await tip.textContent(), new RegExp(law));
  }));
