/** The motion viewer in a real browser: on the page, and in the file that the library writes. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { beside, coloursOf, root, screenshot, until, withPage } from './browser.mjs';
import { bouncingBall, everyShape } from './motion_documents.mjs';

const { document: ball, position } = bouncingBall();

const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const shown = async (page) => {
  await until(page, () => window.motionViewer !== undefined);
  await drawn(page);
};
const withMotion = (document, options, work) => {
  beside('motion.json', JSON.stringify(document));
  return withPage({ hash: '#motion=motion.json', ready: shown, ...options }, work);
};
const timeOf = (page) => page.evaluate(() => window.motionViewer.time);
const seek = async (page, time) => {
  await page.evaluate((t) => window.motionViewer.seek(t), time);
  await drawn(page);
};
/** The three-dimensional picture, without what lies over it. */
const look = async (page) => {
  await until(page, () => window.motionViewer.fineLater === null); // it is drawn more finely when it has come to rest
  await drawn(page);
  return page.evaluate(() => document.querySelector('.motion-picture').toDataURL().split(',')[1]);
};

/** What the reader can do, wherever the viewer is. */
async function everything(page, tolerance) {
  for (const time of [0, 0.1, 0.3, 0.9, 1.6, 2.345, 3.2]) {
    await seek(page, time);
    const at = await page.evaluate(() => window.motionViewer.position(1));
    position(time).forEach((x, k) => assert.ok(Math.abs(at[k] - x) <= tolerance, `at ${time}: ${at}`));
    assert.ok((await page.locator('.motion-clock').textContent()).startsWith(time.toFixed(4)));
  }

  // Every event has a row; a click on one goes there.
  const table = page.locator('.motion-table');
  assert.equal(await table.getAttribute('aria-rowcount'), String(ball.events.length));
  const rows = new Set();
  for (let i = 0; i < 20; ++i) {
    for (const n of await page
      .locator('.motion-rows .motion-row')
      .evaluateAll((all) => all.map((row) => row.dataset.event)))
      rows.add(n);
    await table.evaluate((one) => (one.scrollTop += 0.5 * one.clientHeight));
    await drawn(page);
  }
  assert.equal(rows.size, ball.events.length);
  await table.evaluate((one) => (one.scrollTop = 0));
  await drawn(page);
  await page.locator('.motion-row[data-event="2"]').click();
  await drawn(page);
  assert.equal(await timeOf(page), ball.events[2].time);
  assert.equal(await page.locator('.motion-row[aria-current]').getAttribute('data-event'), '2');
  await page.getByRole('button', { name: 'next event' }).click();
  assert.equal(await timeOf(page), ball.events[3].time);
  await page.keyboard.press('Shift+ArrowLeft');
  assert.equal(await timeOf(page), ball.events[2].time);
  await page.keyboard.press('ArrowLeft');
  assert.ok(
    Math.abs((await timeOf(page)) - (ball.events[2].time - 1 / 60)) < 1e-12,
    'an arrow key goes one picture back',
  );

  // Time runs, at the chosen speed, until it is stopped or ends.
  await seek(page, 0);
  await page.locator('.motion-speed').selectOption('0.5');
  await page.locator('.motion-letters').focus();
  await page.keyboard.press('Space');
  // Thirty pictures: how long they took by the page's clock, each at most the 200 ms that the viewer catches up.
  const [shown, passed] = await page.evaluate(
    (pictures) =>
      new Promise((done) => {
        let last, from;
        let sum = 0;
        let count = 0;
        const tick = (now) => {
          if (last === undefined) from = window.motionViewer.time;
          else sum += Math.min(200, now - last);
          last = now;
          if (++count <= pictures) requestAnimationFrame(tick);
          else done([window.motionViewer.time - from, sum / 1000]);
        };
        requestAnimationFrame(tick);
      }),
    30,
  );
  const rate = shown / passed;
  await page.keyboard.press('Space');
  assert.ok(rate > 0.3 && rate < 0.7, `half as fast as the clock: ${rate}`);
  const stopped = await timeOf(page);
  await page.waitForTimeout(150);
  assert.equal(await timeOf(page), stopped, 'it stands still');
  await page.keyboard.press('End');
  await page.locator('.motion-speed').selectOption('10');
  await page.getByRole('button', { name: 'play' }).click();
  await until(page, () => !window.motionViewer.playing);
  assert.equal(await timeOf(page), ball.times.at(-1), 'from the end it starts again, and ends there');
  await page.locator('.motion-speed').selectOption('1');

  // A click on a plot is a time.
  const plot = page.locator('.motion-cursor').first();
  const frame = await page.evaluate(() => window.motionViewer.energy.frame);
  await plot.click({ position: { x: frame.x + 0.25 * frame.width, y: frame.y + 10 } });
  assert.ok(Math.abs((await timeOf(page)) - 0.25 * ball.times.at(-1)) < 0.01);
  // The wheel zooms into time about the pointer, a double click shows all of it.
  const span = () => page.evaluate(() => window.motionViewer.span.to - window.motionViewer.span.from);
  await page.mouse.wheel(0, -600);
  await drawn(page);
  assert.ok(Math.abs((await span()) - ball.times.at(-1) * Math.exp(-0.9)) < 1e-9);
  await plot.dblclick({ position: { x: frame.x + 10, y: frame.y + 10 } });
  assert.equal(await span(), ball.times.at(-1));
}

test('the page plays a motion: cursor, events, speed and plots', () =>
  withMotion(ball, {}, async (page) => {
    await everything(page, 1e-12);
    assert.match(await page.title(), /ball that bounces/);
  }));

const maker = process.env.RICOCHET_BUILD
  ? join(process.env.RICOCHET_BUILD, 'bin/bouncing_ball_page')
  : join(root, 'build/test/bin/bouncing_ball_page');
test(
  'the file that the library writes plays it too, without a network',
  { skip: existsSync(maker) ? false : 'bouncing_ball_page is not built' },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ricochet-motion-'));
    try {
      execFileSync(maker, [folder]);
      const address = pathToFileURL(join(folder, 'motion.html')).href;
      await withPage({ address, ready: shown }, async (page) => {
        // Ten digits are written.
        await everything(page, 1e-9);
        assert.equal(
          await page.locator('h1').textContent(),
          'ball that bounces </script>',
          'a title cannot end the script',
        );
        await page.locator('.motion-row[data-event="0"]').click();
        await screenshot(page, 'motion-file');
        const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await dark();
        await page.locator('#theme').click();
        assert.notEqual(await dark(), light);
      });
      // The same in a frame of a report.
      const report = pathToFileURL(join(folder, 'report.html')).href;
      const framed = (page) => page.frameLocator('iframe').locator('.motion-clock').waitFor();
      await withPage({ address: report, ready: framed }, async (page) => {
        const frame = page.frames()[1];
        await frame.evaluate(() => window.motionViewer.jump(1));
        assert.equal(await frame.evaluate(() => window.motionViewer.time), ball.events[1].time);
        const { count } = await coloursOf(page, page.frameLocator('iframe').locator('.motion-stage'));
        assert.ok(count > 200, `${count} colours`);
        await screenshot(page, 'motion-report');
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

for (const dark of [false, true])
  test(`the picture shows the bodies, the impulse and the shadow, ${dark ? 'dark' : 'light'}`, () =>
    withMotion(ball, { dark }, async (page) => {
      await seek(page, 0.2);
      const flying = await look(page);
      const { count, commonest } = await coloursOf(page, page.locator('.motion-stage'));
      assert.ok(count > 200 && commonest < 0.9, `${count} colours, ${commonest}`);
      await page.evaluate(() => window.motionViewer.jump(0));
      const landed = await look(page);
      assert.ok(landed !== flying, 'the ball has moved');
      await screenshot(page, `motion-${dark ? 'dark' : 'light'}`);
      // The impulse's orange occurs at the impact only.
      const orange = (picture) =>
        page.evaluate(async (encoded) => {
          const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0))]));
          const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
          pen.drawImage(bitmap, 0, 0);
          const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
          let found = 0;
          for (let i = 0; i < data.length; i += 4)
            if (data[i] > 180 && data[i + 1] < 185 && data[i + 1] > 50 && data[i + 2] < 60) ++found;
          return found;
        }, picture);
      assert.equal(await orange(flying), 0);
      assert.ok((await orange(landed)) > 300);
    }));

test('the camera turns, comes closer and goes back', () =>
  withMotion(ball, {}, async (page) => {
    const home = await look(page);
    const box = await page.locator('.motion-letters').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 340);
    await page.mouse.up();
    const turnedView = await look(page);
    assert.ok(turnedView !== home, 'it has turned');
    await page.mouse.wheel(0, -400);
    assert.ok((await look(page)) !== turnedView, 'it has come closer');
    await page.keyboard.press('r');
    assert.ok((await look(page)) === home, 'it is back');
  }));

test('every kind of shape is drawn', () =>
  withMotion(everyShape(), {}, async (page) => {
    await seek(page, 0.2);
    const { count } = await coloursOf(page, page.locator('.motion-stage'));
    assert.ok(count > 500, `${count} colours`);
    await screenshot(page, 'motion-shapes');
    assert.equal(await page.locator('.motion-plot').first().isVisible(), false, 'no energies are given');
  }));

test('nothing sticks out on a phone', () =>
  withMotion(ball, { width: 390, height: 844 }, async (page) => {
    const [content, screen] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(content <= screen, `${content} in ${screen}`);
    await screenshot(page, 'motion-narrow', { fullPage: true });
  }));

test('a hundred thousand samples and events are read and played without stalling', (t) => {
  const { document } = bouncingBall({ h: 1e-3, e: 0.99999, bounces: 50_000, between: 1 });
  assert.equal(document.times.length, 100_001);
  return withMotion(document, {}, async (page) => {
    const opened = await page.evaluate(() => performance.now());
    assert.equal(await page.locator('.motion-table').getAttribute('aria-rowcount'), '50000');
    assert.ok((await page.locator('.motion-row').count()) < 100, 'only the rows that are seen exist');
    await page.evaluate(() => {
      window.gaps = [];
      let last = performance.now();
      const tick = (now) => {
        window.gaps.push(now - last);
        last = now;
        if (window.gaps) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      window.motionViewer.toggle();
    });
    await until(page, () => window.gaps.length > 20); // it plays, picture by picture
    const gaps = (await page.evaluate(() => window.gaps)).slice(1).sort((a, b) => a - b);
    const whole = await page.evaluate(() => {
      const from = performance.now();
      window.motionViewer.jump(49_999);
      window.motionViewer.draw();
      return performance.now() - from;
    });
    const ms = (time) => `${time.toFixed(0)} ms`;
    t.diagnostic(`shown ${ms(opened)} after the page was opened; jump ${ms(whole)}`);
    t.diagnostic(`playing: median ${ms(gaps[gaps.length >> 1])}, longest ${ms(gaps.at(-1))}`);
    assert.equal(await timeOf(page), document.events[49_999].time);
    await screenshot(page, 'motion-large');
  });
});

test('a document that cannot be shown is refused with the reason', () => {
  beside('bad.json', JSON.stringify({ ...ball, version: 7 }));
  const told = (page) => until(page, () => !document.querySelector('#messages').hidden);
  return withPage({ hash: '#motion=bad.json', ready: told }, async (page) => {
    assert.equal(await page.locator('#messages p').textContent(), 'The motion cannot be shown: version: 7: must be 1');
  });
});
