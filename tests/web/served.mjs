/** `ricochet explore FILE`: the program serves the page, and the collision of the file is in it. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { root, tableOf, until, withPage } from './browser.mjs';
import { bouncingBall } from './motion_documents.mjs';
import { explore, nativeAnswers, program, tableOfAnswers, without } from './native.mjs';

const skip = without || (existsSync(`${program}-explore`) ? false : 'ricochet-explore is not built');

test('ricochet explore opens the page with the file, and its numbers', { skip }, async () => {
  const file = join(root, 'scenes/rod.toml');
  await explore(file, async (address) => {
    await withPage({ address }, async (page) => {
      // What the server sends contains what the page states itself, for other servers.
      const parts = (policy) => policy.split(';').map((part) => part.trim());
      const sent = parts((await page.request.get(address.replace(/#.*/s, ''))).headers()['content-security-policy']);
      const stated = await page.evaluate(() => document.querySelector('meta[http-equiv="Content-Security-Policy"]').content);
      for (const part of parts(stated)) assert.ok(sent.includes(part), `${part} is not sent`);
      assert.equal(await page.evaluate(() => window.ricochet.state().title), 'rod falls on its end');
      const shown = await tableOf(page);
      const wanted = tableOfAnswers(nativeAnswers(readFileSync(file, 'utf8')));
      for (const law of ['routh', 'chatterjee-ruina', 'spring-sledge'])
        assert.ok(Math.abs(shown[law].P_n - wanted[law].P_n) <= 1e-12 * Math.abs(wanted[law].P_n), law);
      assert.ok(!(await page.evaluate(() => location.hash)).includes('toml='), 'the address is rewritten');
    });
  });
});

test('ricochet explore keeps the comment and the title of a file', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ricochet-explore-'));
  const file = join(folder, 'drop.toml');
  const head = '# Dropped on steel,\n# third of five.\ntitle = "drop 3/5, \\"warm\\""\n';
  writeFileSync(file, `${head}M = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [-1, 0.5, 0]\nn = [1, 0, 0]\ne = 0.5\nmu = 0.3\n`);
  try {
    await explore(file, async (address) => {
      await withPage({ address }, async (page) => {
        assert.equal(await page.locator('#panel .about').textContent(), 'Dropped on steel, third of five.');
        assert.equal(await page.locator('#title').inputValue(), 'drop 3/5, "warm"');
        assert.ok((await page.evaluate(() => window.ricochet.text())).startsWith(head));
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('ricochet explore opens the page with a motion document', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ricochet-explore-'));
  const file = join(folder, 'ball.json');
  const { document, position } = bouncingBall();
  writeFileSync(file, JSON.stringify(document));
  try {
    await explore(file, async (address) => {
      const ready = (page) => until(page, () => window.motionViewer !== undefined);
      await withPage({ address, ready }, async (page) => {
        const at = await page.evaluate(() => {
          window.motionViewer.seek(1);
          return window.motionViewer.position(1);
        });
        position(1).forEach((x, k) => assert.ok(Math.abs(at[k] - x) < 1e-12));
      });
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
