/** Scenes that the page simulates, in a real browser, against the native program. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { coloursOf, root, screenshot, sentBytes, settled, until, withPage } from './browser.mjs';
import { explore, program } from './native.mjs';

const folder = join(root, 'scenes/motion');
const scenes = readdirSync(folder)
  .filter((name) => name.endsWith('.toml'))
  .map((name) => ({ name: name.replace('.toml', ''), text: readFileSync(join(folder, name), 'utf8') }));
const sceneText = (name) => scenes.find((scene) => scene.name === name).text;
const withoutNative = program && existsSync(`${program}-simulate`) ? false : 'ricochet-simulate is not built';

function native(text, ...choices) {
  const run = spawnSync(program, ['simulate', '-', '--format', 'json', ...choices], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  assert.notEqual(run.stdout, '', run.stderr);
  return JSON.parse(run.stdout);
}

/** Until a simulation has ended, whatever its end. */
const simulated = async (page) => {
  await until(page, () => window.scenePage?.busy === false, 60_000);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};
const refused = (page) => until(page, () => !document.querySelector('#messages').hidden);
const hash = (text, more = '') => `#scene=${encodeURIComponent(text)}${more}`;
const withScene = (text, options, work) =>
  withPage({ hash: hash(text, options.more), ready: simulated, ...options }, work);
const choose = (page, name, value) => page.locator(`.scene-bar input[data-choice="${name}"]`).fill(String(value));
const simulate = async (page) => {
  await page.locator('.scene-go').click();
  await simulated(page);
};
const message = (page) => page.locator('.scene-bar > .message').textContent();
const shownEvents = (page) =>
  page.evaluate(() => {
    const { bodies, events } = window.motionViewer.motion;
    return events.map((event) => ({ ...event, body_a: bodies[event.body_a].name, body_b: bodies[event.body_b].name }));
  });

/** The order of events of one instant is that of the corners of a hull, which the page does not sort as Qhull does. */
const inOrder = (events) =>
  [...events].sort((a, b) => {
    if (Math.abs(a.time - b.time) > 1e-9) return a.time - b.time;
    const k = [0, 1, 2].find((axis) => Math.abs(a.point[axis] - b.point[axis]) > 1e-9);
    return k === undefined ? 0 : a.point[k] - b.point[k];
  });

/** The largest difference of times, points, impulses and energies of each instant, by the largest of its kind, at least 1. */
function difference(ours, theirs) {
  const [shown, wanted] = [inOrder(ours), inOrder(theirs)];
  assert.deepEqual(
    shown.map(({ kind, body_a, body_b }) => [kind, body_a, body_b]),
    wanted.map(({ kind, body_a, body_b }) => [kind, body_a, body_b]),
  );
  const compare = (some, others) => {
    const scale = Math.max(1, ...others.flat().map(Math.abs));
    return Math.max(0, ...some.map((list, i) => list.map((x, k) => Math.abs(x - others[i][k]))).flat()) / scale;
  };
  const energies = (events) =>
    wanted.map(({ time }) => [
      events.filter((one) => Math.abs(one.time - time) < 1e-9).reduce((sum, one) => sum + one.energy_change, 0),
    ]);
  return Math.max(
    compare(shown.map(({ time }) => [time]), wanted.map(({ time }) => [time])),
    compare(shown.map(({ point }) => point), wanted.map(({ point }) => point)),
    compare(shown.map(({ P }) => P), wanted.map(({ impulse }) => impulse)),
    compare(energies(shown), energies(wanted)),
  );
}

/** Balls of the cradle touch to rounding, and so it depends on rounding whether they are said to rest against each other. */
const impactsOnly = (name, events) => (name.startsWith('cradle') ? events.filter(({ kind }) => kind === 'impact') : events);

for (const { name, text } of scenes)
  test(`${name}: the page has the events of the command line`, { skip: withoutNative }, (t) =>
    withScene(text, { more: '&until=5' }, async (page) => {
      assert.equal(await message(page), '');
      const { events, status } = native(text, '--until', '5');
      assert.equal(status, 'finished');
      const apart = difference(impactsOnly(name, await shownEvents(page)), impactsOnly(name, events));
      t.diagnostic(`${events.length} events, ${apart.toExponential(1)} apart`);
      assert.ok(apart < 1e-9, `${apart}`);
    }));

test('law, parameters and duration are chosen on the page', { skip: withoutNative }, () =>
  withScene(sceneText('bouncing-ball'), {}, async (page) => {
    const before = await shownEvents(page);
    await choose(page, 'e', 0.5);
    await choose(page, 'until', 2);
    await simulate(page);
    const wanted = native(sceneText('bouncing-ball'), '--set', 'e=0.5', '--until', '2').events;
    assert.notEqual(wanted.length, before.length);
    assert.ok(difference(await shownEvents(page), wanted) < 1e-9);
    assert.equal(await page.evaluate(() => window.motionViewer.trajectory.end), 2);
    assert.equal(
      await page.locator('.scene-bar code').textContent(),
      'ricochet simulate SCENE.toml --set e=0.5 --until 2',
    );
    await page.locator('.scene-law').selectOption('routh');
    await choose(page, 'e', 0.25);
    await choose(page, 'mu', 0.1);
    await page.locator('input[data-choice="mu"]').press('Enter');
    await until(page, () => location.hash.includes('law=routh'));
    await simulated(page);
    const routh = native(sceneText('bouncing-ball'), '--law', 'routh', '--set', 'e=0.25', '--set', 'mu=0.1', '--until', '2');
    assert.ok(difference(await shownEvents(page), routh.events) < 1e-9);
    // The address has all of it.
    await page.reload();
    await simulated(page);
    assert.equal(await page.locator('.scene-law').inputValue(), 'routh');
    assert.equal(await page.locator('input[data-choice="mu"]').inputValue(), '0.1');
    assert.ok(difference(await shownEvents(page), routh.events) < 1e-9);
  }));

test('a wrong value is refused by name, and the motion stays', () =>
  withScene(sceneText('bouncing-ball'), {}, async (page) => {
    const before = (await shownEvents(page)).length;
    await choose(page, 'e', 1.5);
    await simulate(page);
    assert.match(await message(page), /e = 1\.5: must be/);
    assert.equal((await shownEvents(page)).length, before);
    await choose(page, 'e', 0.5);
    await choose(page, 'until', 0);
    await simulate(page);
    assert.match(await message(page), /until: must be positive/);
    await choose(page, 'until', 'soon');
    await page.locator('.scene-go').click();
    assert.match(await message(page), /does not hold a number/);
    await choose(page, 'until', 3);
    await simulate(page);
    assert.equal(await message(page), '');
    assert.equal(await page.evaluate(() => window.motionViewer.trajectory.end), 3);
  }));

test('a long simulation leaves the page responsive, says how far it is, and is cancelled', (t) =>
  withScene(sceneText('double-pendulum'), { more: '&until=1' }, async (page) => {
    const before = await shownEvents(page);
    await choose(page, 'until', 100_000);
    await page.evaluate(() => {
      window.gaps = [];
      let last = performance.now();
      const tick = (now) => {
        window.gaps.push(now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    await page.locator('.scene-go').click();
    await until(page, () => document.querySelector('.scene-bar progress').value > 0);
    assert.match(await page.locator('.scene-said').textContent(), /of 100000 s, \d+ events/);
    // The simulation never ends, and the page goes on drawing beside it.
    await until(page, () => window.gaps.length > 30);
    const longest = await page.evaluate(() => Math.max(...window.gaps.slice(1)));
    t.diagnostic(`longest time between pictures while it simulates: ${longest.toFixed(0)} ms`);
    assert.equal(await page.evaluate(() => window.scenePage.busy), true);
    await page.locator('.scene-stop').click();
    await simulated(page);
    assert.equal(await page.locator('.scene-said').textContent(), 'cancelled');
    assert.deepEqual(await shownEvents(page), before, 'the motion that was shown is still there');
    await choose(page, 'until', 2);
    await simulate(page);
    assert.equal(await page.evaluate(() => window.motionViewer.trajectory.end), 2);
  }));

const balls = (count) =>
  Array.from(
    { length: count },
    (_, i) => `[[body]]\nname = "ball ${i}"\nshape = "sphere"\nradius = 0.1\nmass = 1\nposition = [${i}, 0, 1]\n`,
  ).join('\n');
const boxes = [0, 1]
  .map((i) => `[[body]]\nname = "box ${i}"\nshape = "box"\nsize = [1, 1, 1]\nmass = 1\nposition = [0, 0, ${3 * i}]\n`)
  .join('\n');

test('what the page cannot simulate is refused, with the command that does it', async () => {
  for (const [text, said] of [
    [balls(51), /51 bodies: the page simulates at most 50; ricochet simulate/],
    [boxes, /"box 1": its distance from "box 0" needs FCL.*; ricochet simulate/],
    ['[[robot]]\nfile = "a.xml"\n', /line 1: robot\[1\].*reads no robot files; ricochet simulate/],
    ['[[body]]\nname = 3\n', /line 2: body\[1\]\.name/],
  ])
    await withPage({ hash: hash(text), ready: refused }, async (page) => {
      assert.match(await page.locator('#messages p').textContent(), said);
      assert.equal(await page.locator('.motion-viewer').count(), 0);
    });
});

test('fifty balls are simulated', { skip: withoutNative }, () => {
  const floor = '[[body]]\nname = "floor"\nshape = "plane"\nfixed = true\n\n';
  return withScene(floor + balls(49), { more: '&until=1' }, async (page) => {
    assert.equal(await message(page), '');
    const { events } = native(floor + balls(49), '--until', '1');
    assert.ok(difference(await shownEvents(page), events) < 1e-9);
    assert.ok(events.length >= 49);
  });
});

for (const dark of [false, true])
  test(`the double pendulum is shown, ${dark ? 'dark' : 'light'}`, (t) =>
    withScene(sceneText('double-pendulum'), { dark }, async (page) => {
      const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime);
      t.diagnostic(`first paint after ${paint.toFixed(0)} ms; ${await page.locator('.scene-said').textContent()}`);
      await page.evaluate(() => window.motionViewer.jump(0));
      await page.waitForTimeout(400);
      const { count } = await coloursOf(page, page.locator('.motion-stage'));
      assert.ok(count > 200, `${count} colours`);
      await screenshot(page, `scene-${dark ? 'dark' : 'light'}`);
      await page.keyboard.press('Space');
      await until(page, () => window.motionViewer.time > 0.5);
      const bytes = sentBytes(page).reduce((sum, [, size]) => sum + size, 0);
      for (const [name, size] of sentBytes(page)) t.diagnostic(`${name}: ${(size / 1e3).toFixed(0)} kB`);
      assert.ok(bytes < 2_000_000, `${bytes} bytes`);
    }));

test('nothing sticks out on a phone', () =>
  withScene(sceneText('double-pendulum'), { more: '&until=2', width: 390, height: 844 }, async (page) => {
    const [content, screen] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(content <= screen, `${content} in ${screen}`);
    await screenshot(page, 'scene-narrow', { fullPage: true });
  }));

test('a scene is opened from the explorer, another one is chosen, and closing brings the explorer back', () =>
  withPage({}, async (page) => {
    const buffer = Buffer.from(sceneText('billiard'));
    await page.locator('#file').setInputFiles({ name: 'billiard.toml', mimeType: 'application/toml', buffer });
    await simulated(page);
    assert.equal(await page.locator('.top h1 span').textContent(), 'a billiard ball slides, then rolls');
    assert.deepEqual((await shownEvents(page)).map(({ kind }) => kind), ['roll']);
    await page.locator('.scene-choice').selectOption('bouncing-ball');
    await until(page, () => document.querySelector('.top h1 span').textContent === 'a ball bounces until it rests');
    await simulated(page);
    assert.equal(await page.locator('#motion-page').count(), 1);
    await page.locator('#motion-close').click();
    assert.equal(await page.locator('#panel').isVisible(), true);
    assert.equal(await page.locator('#motion-page').count(), 0);
    await settled(page);
  }));

const noServer = program && existsSync(`${program}-explore`) ? false : 'ricochet-explore is not built';
test('ricochet explore SCENE opens the page with the scene', { skip: noServer }, () =>
  explore('clattering-rod', (address) =>
    withPage({ address, ready: simulated }, async (page) => {
      assert.equal(await page.locator('.top h1 span').textContent(), 'a rod clatters on the floor');
      assert.ok((await shownEvents(page)).length > 5);
    })));
