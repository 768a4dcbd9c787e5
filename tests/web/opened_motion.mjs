/** A motion document opened on the explorer, and closed again. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { settled, until, withPage } from './browser.mjs';
import { bouncingBall } from './motion_documents.mjs';

const { document: ball, position } = bouncingBall();
const file = (document) => ({
  name: 'ball.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(document)),
});

test('a motion document opens the viewer in place of the explorer, and closing it brings that back', () =>
  withPage({}, async (page) => {
    await page.locator('#file').setInputFiles(file(ball));
    await until(page, () => window.motionViewer !== undefined);
    assert.equal(await page.locator('#panel').isVisible(), false);
    assert.equal(await page.locator('.top h1 span').textContent(), 'ball that bounces');
    const at = await page.evaluate(() => {
      window.motionViewer.seek(0.7);
      return window.motionViewer.position(1);
    });
    position(0.7).forEach((x, k) => assert.ok(Math.abs(at[k] - x) < 1e-12));
    await page.locator('#motion-close').click();
    assert.equal(await page.locator('#panel').isVisible(), true);
    assert.equal(await page.locator('.motion-viewer').count(), 0);
    await settled(page);
  }));

test('a motion document that is wrong is refused by name, and the explorer stays', () =>
  withPage({}, async (page) => {
    await page.locator('#file').setInputFiles(file({ ...ball, times: ball.times.slice(1) }));
    await until(page, () => !document.querySelector('#messages').hidden);
    const samples = ball.times.length - 1;
    assert.equal(
      await page.locator('#messages p').textContent(),
      `ball.json: poses.length: ${7 * (samples + 1)}: must be ${7 * samples}`,
    );
    assert.equal(await page.locator('#panel').isVisible(), true);
  }));
