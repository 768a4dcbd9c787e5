/** The report that ./run makes: its animation plays in a real browser, from one file and without a network. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { coloursOf, root, screenshot, until, withPage } from './browser.mjs';
import { program } from './native.mjs';

const built = program && ['simulate', 'report'].every((name) => existsSync(`${program}-${name}`));
const skip = built ? false : 'ricochet-simulate and ricochet-report are not built';

/** The commands of ./run without arguments, with the files in another folder. */
function commandsOfRun(folder) {
  const script = readFileSync(join(root, 'run'), 'utf8');
  const [, simulate] = /\.\/run (simulate .*?);/.exec(script);
  const inFolder = (words) => words.split(' ').map((word) => word.replace('build/', `${folder}/`));
  return [inFolder(simulate), inFolder('report --motion build/motion.json -o build/report.html')];
}

for (const dark of [false, true])
  test(`the double pendulum of the report moves, ${dark ? 'dark' : 'light'}`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ricochet-report-'));
    try {
      for (const command of commandsOfRun(folder)) execFileSync(program, command);
      const { events, times, bodies } = JSON.parse(readFileSync(join(folder, 'motion.json'), 'utf8'));
      assert.equal(times.at(-1), 4);
      assert.deepEqual(bodies.map(({ name }) => name), ['floor', 'upper', 'lower']);
      const address = pathToFileURL(join(folder, 'report.html')).href;
      const framed = (page) => page.frameLocator('iframe').locator('.motion-clock').waitFor();
      await withPage({ address, dark, ready: framed }, async (page) => {
        t.diagnostic(`${events.length} events, ${(readFileSync(join(folder, 'report.html')).length / 1e6).toFixed(2)} MB`);
        await page.locator('nav a', { hasText: 'double pendulum' }).click();
        const laws = JSON.parse(execFileSync(program, ['laws', '--format', 'json'], { encoding: 'utf8' }));
        const ofContacts = laws.filter(({ acts_on: what }) => what === 'contact').length;
        assert.equal(await page.locator('#laws tbody tr').count(), ofContacts, 'the table of the collision is there too');
        const frame = page.frames()[1];
        const lower = () => frame.evaluate(() => window.motionViewer.position(2));
        // Rods of 1 m from the horizontal: the centre of the lower one starts at (1.5, 0, 1.2).
        assert.deepEqual(await lower(), [1.5, 0, 1.2]);
        await frame.locator('.motion-play').click();
        await until(frame, () => window.motionViewer.time > 0.2); // it plays
        await frame.locator('.motion-play').click();
        const fallen = await frame.evaluate(() => (window.motionViewer.seek(0.3), window.motionViewer.position(2)));
        assert.ok(fallen[2] < 1.2, 'it has fallen');
        await frame.evaluate(() => window.motionViewer.jump(0));
        assert.equal(await frame.evaluate(() => window.motionViewer.time), events[0].time);
        const { count } = await coloursOf(page, page.frameLocator('iframe').locator('.motion-stage'));
        assert.ok(count > 200, `${count} colours`);
        await screenshot(page, `report-motion-${dark ? 'dark' : 'light'}`);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
