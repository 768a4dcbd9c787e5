/** In a frame, by a short link, on paper, and as Python. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { root, screenshot, settled, until, withPage } from './browser.mjs';

const state = (page) => page.evaluate(() => window.ricochet.state());
const copied = async (page, entry) => {
  await page.locator('#export summary').click();
  await page.locator(`[data-export="${entry}"]`).click();
  await page.locator('#messages', { hasText: 'clipboard' }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
};

test('the link that is copied is short and brings back every bit', async (t) => {
  for (const scene of ['default', 'generic', 'kane', 'rod']) {
    const [link, wanted, long] = await withPage({}, async (page) => {
      await page.locator('#scenes').selectOption(scene);
      await settled(page);
      return [await copied(page, 'link'), await state(page), await page.evaluate(() => new URL(window.ricochet.address()).hash.length)];
    });
    const { hash } = new URL(link);
    t.diagnostic(`${scene}: ${hash.length} of ${long} letters`);
    assert.ok(hash.length < 0.75 * long, `${scene}: ${hash.length} of ${long} letters`);
    await withPage({ hash }, async (page) => {
      await until(page, () => !location.hash.startsWith('#z='));
      await settled(page);
      assert.deepEqual(await state(page), wanted);
    });
  }
  await withPage({ hash: '#z=abc' }, async (page) => {
    await page.locator('#messages', { hasText: 'z: is cut off' }).waitFor();
  });
});

test('every law is one letter in a short link', () =>
  withPage({}, async (page) => {
    const source = readFileSync(join(root, 'web/src/short_link.ts'), 'utf8');
    for (const { name } of await page.evaluate(() => window.ricochet.engine.laws)) assert.ok(source.includes(`'${name}'`), name);
  }));

test('?embed shows the pictures without panel and header', () =>
  withPage({ hash: '?embed#M=2,0,0,0,1,0,0,0,1&V=-1,0.5,0&n=1,0,0&e=0.5&mu=0.3', width: 900, height: 560 }, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    await settled(page);
    for (const part of ['.top', '#panel', '#tour-offer']) assert.equal(await page.locator(part).isVisible(), false, part);
    for (const part of ['#space', '#section', '#scrubber']) assert.ok(await page.locator(part).isVisible(), part);
    const [space, section] = await Promise.all(['#space', '#section'].map((part) => page.locator(part).boundingBox()));
    assert.ok(Math.abs(space.y - section.y) < 1 && section.x + section.width <= 900 && space.y + space.height <= 560, 'both are in the frame');
    assert.equal((await state(page)).settings.mu, 0.3);
    await screenshot(page, 'embed');
  }));

test('the frame for a web page holds the collision', () =>
  withPage({}, async (page) => {
    const frame = await copied(page, 'embed');
    assert.match(frame, /^<iframe src="http[^"]+\?embed#(z|title|M|point)=[^"]+" width=/);
  }));

test('on paper there are pictures and the table, and nothing to click', () =>
  withPage({ dark: true }, async (page) => {
    await page.locator('#space canvas').first().waitFor();
    await until(page, () => document.querySelectorAll('.pane svg[viewBox]').length >= 6);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    await settled(page);
    for (const part of ['.top', '#panel', '#scrubber', '.pane header .menu', '.how']) assert.equal(await page.locator(part).first().isVisible(), false, part);
    assert.ok(await page.locator('.outcomes').isVisible());
    assert.equal(await page.evaluate(() => window.ricochet.frame().dark), false, 'paper is light');
    // Nobody has scrolled to the lower panes.
    for (const id of ['section', 'velocity', 'energy', 'forces', 'before', 'after']) {
      const drawn = await page.locator(`#${id}`).evaluate((pane) => [pane.querySelectorAll('svg path').length, pane.querySelector('svg')?.clientWidth, pane.querySelector('.host').clientWidth]);
      assert.ok(drawn[0] > 3 && drawn[1] === drawn[2] && drawn[2] < 690, `${id}: ${drawn}`);
    }
    assert.equal(await page.locator('#outcomes').evaluate((box) => box.scrollWidth - box.clientWidth), 0, 'the table is whole');
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await settled(page);
    assert.equal(await page.evaluate(() => window.ricochet.frame().dark), true);
  }));

test('Python calls the package with what each law takes', () =>
  withPage({}, async (page) => {
    const exported = async () => {
      await page.locator('#export summary').click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-export="python"]').click()]);
      return readFileSync(await download.path(), 'utf8');
    };
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const source = await exported();
    const shown = await page.evaluate(() => Object.fromEntries(window.ricochet.frame().outcome.answers.map(({ law, P }) => [law, P])));
    assert.match(source, /^import ricochet$/m);
    assert.match(source, /^hit = ricochet\.collide\("routh", M=M, V=V, n=n, e=0\.5, mu=0\.5\)$/m);
    assert.match(source, /^hit = ricochet\.collide\("chatterjee-ruina", M=M, V=V, n=n, e=0\.5, mu=0\.5, e_t=0\.3\)$/m);
    await page.locator('#scenes').selectOption('infinite-friction');
    await settled(page);
    assert.match(await exported(), /mu=math\.inf/);
    await page.locator('#scenes').selectOption('pendulum');
    await settled(page);
    assert.match(await exported(), /^W = \[\[2\.25.*\n.*\n.*\]\]$[^]*W=W/m);
    if (!existsSync('/usr/bin/python3')) return;
    // The package itself answers what the table shows, where it is built.
    const built = join(process.env.RICOCHET_BUILD ?? '', 'python');
    if (existsSync(join(built, 'ricochet')) && readdirSync(join(built, 'ricochet')).some((name) => name.startsWith('_core'))) {
      const real = spawnSync('/usr/bin/python3', ['-'], { input: source.replaceAll('hit.P, hit.V,', '*hit.P,'), encoding: 'utf8', env: { ...process.env, PYTHONPATH: built } });
      assert.equal(real.status, 0, real.stderr);
      const answers = Object.fromEntries(real.stdout.trim().split('\n').map((line) => line.split(' ')).map(([law, ...rest]) => [law, rest.slice(0, 3).map(Number)]));
      for (const law of ['routh', 'chatterjee-ruina', 'spring-sledge'])
        answers[law].forEach((x, i) => assert.ok(Math.abs(x - shown[law][i]) < 1e-9, `${law}: ${answers[law]}, not ${shown[law]}`));
    }
    // It is Python: a package that prints its arguments instead of answering takes it.
    const stub = 'import sys, types\nclass R:\n  P = V = energy_change = permissible = 0\nm = types.ModuleType("ricochet")\nm.collide = lambda law, **k: (print(law, sorted(k)), R())[1]\nsys.modules["ricochet"] = m\n';
    const run = spawnSync('/usr/bin/python3', ['-'], { input: stub + source, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^routh \['M', 'V', 'e', 'mu', 'n'\]$/m);
  }));

test('a file keeps its comment and its title, in the panel, in the link and in what is written', () => {
  const toml = '# A rod that was dropped\n# in the laboratory.\ntitle = "rod, take 3"\nM = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [-1, 0.5, 0]\nn = [1, 0, 0]\ne = 0.5\nmu = 0.3\n';
  return withPage({ hash: `#toml=${encodeURIComponent(toml)}` }, async (page) => {
    assert.equal(await page.locator('#panel .about').textContent(), 'A rod that was dropped in the laboratory.');
    assert.equal(await page.locator('#title').inputValue(), 'rod, take 3');
    assert.ok((await page.evaluate(() => window.ricochet.text())).startsWith('# A rod that was dropped\n# in the laboratory.\ntitle = "rod, take 3"\n'));
    const link = await page.evaluate(() => new URL(window.ricochet.address()).hash);
    await withPage({ hash: link }, async (other) => {
      assert.equal(await other.locator('#panel .about').textContent(), 'A rod that was dropped in the laboratory.');
    });
  });
});
