/** Scenes of many contacts and robots on the page, and the way from one of their contacts to impulse space and back. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { root, screenshot, settled, tableOf, until, withPage } from './browser.mjs';
import { explore, program } from './native.mjs';

const sceneText = (name) => readFileSync(join(root, `scenes/${name}.toml`), 'utf8');
const hash = (text, more = '') => `#many=${encodeURIComponent(text)}${more}`;
const ready = async (page) => {
  await until(page, () => window.contactsPage?.busy === 0, 60_000);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
};
const withScene = (text, options, work) => withPage({ hash: hash(text, options.more), ready, ...options }, work);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)), `${a}, expected ${b}`);
const native = (name) => (program && existsSync(`${program}-${name}`) ? false : `ricochet-${name} is not built`);
const shown = (page) => page.evaluate(() => window.contactsPage.answer());
const opened = async (page) => {
  await until(page, () => !document.querySelector('#crumb').hidden && window.ricochet?.frame() != null);
  await settled(page);
};

test('a cradle: the contacts, the sequence, and a collision of it in impulse space and back', () =>
  withScene(sceneText('cradle'), {}, async (page) => {
    // Equal balls, elastic: every contact is struck once, by a ball of 1 m/s, and passes on m v.
    const rows = page.locator('[aria-label="contacts"] tbody tr');
    assert.equal(await rows.count(), 4);
    for (const { P } of (await shown(page)).outcome.contacts) near(Math.hypot(...P), 0.26);
    assert.equal(await page.locator('[aria-label="collisions of the sequence"] tbody tr').count(), 4);
    assert.equal(await page.locator('.many-pictures svg').count(), 2);
    assert.equal(await page.locator('.many-pictures svg').first().locator('.many-mark').count(), 4);
    const scene = await page.evaluate(() => location.hash);

    // The third contact is at rest until the second ball strikes: it opens as it is struck.
    await rows.nth(2).locator('button').click();
    await opened(page);
    const state = await page.evaluate(() => window.ricochet.state());
    assert.equal(state.focus, 'frictionless');
    assert.deepEqual(state.form.bodies.map(({ name }) => name), ['ball 3', 'ball 4']);
    near(state.form.bodies[0].velocity[0], 1);
    near(state.form.bodies[1].velocity[0], 0);
    const frame = await page.evaluate(() => window.ricochet.frame().outcome);
    near(dot(frame.contact.V, frame.contact.n), -1);
    near(frame.contact.M[0][0], 0.13); // two balls in line: m/2
    near((await tableOf(page)).frictionless.P_n, 0.26);
    assert.match(await page.locator('#crumb').textContent(), /Newton's cradle of 5 balls.*collision 3, contact 3: ball 3 – ball 4/s);
    assert.ok(!(await page.locator('#motion-page').isVisible()));

    // Back by the browser, on again, and back by the bread crumb after a change.
    await page.goBack();
    await until(page, () => document.body.classList.contains('with-motion'));
    assert.ok(await rows.first().isVisible());
    assert.equal(await page.evaluate(() => location.hash), scene);
    await page.goForward();
    await until(page, () => !document.body.classList.contains('with-motion'));
    await settled(page);
    assert.equal(await page.evaluate(() => window.ricochet.state().form.bodies[0].name), 'ball 3');
    await page.locator('input[data-parameter="e"]').fill('0.5');
    await settled(page);
    near((await tableOf(page)).frictionless.P_n, 0.195);
    await page.locator('#crumb-back').click();
    await until(page, () => document.body.classList.contains('with-motion'));
    assert.ok(await rows.first().isVisible());
    assert.equal(await page.evaluate(() => location.hash), scene);
  }));

for (const name of ['cradle', 'pool-break', 'pile', 'tower', 'rocking-block', 'linkage', 'hinged-pendulum', 'falling-rod', 'three-spheres'])
  test(`${name}: the numbers of ricochet simultaneous`, { skip: native('simultaneous') }, (t) =>
    withScene(sceneText(name), {}, async (page) => {
      for (const law of ['', 'routh']) {
        const run = spawnSync(program, ['simultaneous', '-', '--format', 'json', ...(law === '' ? [] : ['--law', law])], { input: sceneText(name), encoding: 'utf8' });
        const answer = await page.evaluate((wanted) => window.contactsPage.contactsDocument.answers.find((one) => one.law === wanted), law);
        if (run.status !== 0) {
          assert.ok(answer.error, run.stderr);
          continue;
        }
        const wanted = JSON.parse(run.stdout);
        assert.equal(answer.collisions, wanted.collisions);
        const scale = Math.max(...wanted.contacts.map(({ impulse }) => Math.hypot(...impulse)), 1e-9);
        let apart = 0;
        wanted.contacts.forEach(({ impulse, permissible, separation_speed_after }, i) => {
          const mine = answer.outcome.contacts[i];
          apart = Math.max(apart, ...mine.P.map((x, k) => Math.abs(x - impulse[k]) / scale));
          assert.equal(mine.permissible, permissible);
          near(dot(mine.V, wanted.input.contacts[i].normal), separation_speed_after, 1e-9);
        });
        t.diagnostic(`${law || 'as stated'}: ${wanted.contacts.length} contacts, ${answer.collisions} collisions, ${apart.toExponential(1)} apart`);
        assert.ok(apart < 1e-9);
      }
    }));

test('law and parameters are chosen on the page, and refused ones leave what was shown', () =>
  withScene(sceneText('cradle'), {}, async (page) => {
    await page.locator('input[data-choice="e"]').fill('0');
    await ready(page);
    // Plastic: the first collision leaves both balls at half the speed.
    near((await shown(page)).steps[0].P[0], 0.13);
    assert.match(await page.locator('.scene-bar code').textContent(), /ricochet simultaneous SCENE\.toml --set e=0$/);
    await page.locator('.many-law').selectOption('frictionless');
    assert.match(await page.locator('.scene-bar code').textContent(), /--law frictionless --set e=0$/);
    assert.match(await page.evaluate(() => location.hash), /&law=frictionless&e=0$/);
    await page.locator('input[data-choice="e"]').fill('7');
    await ready(page);
    assert.match(await page.locator('.scene-bar > .message').textContent(), /e.*7/s);
    near((await shown(page)).steps[0].P[0], 0.13);
  }));

test('a scene of many contacts that is opened as a file stands in place of the explorer', () =>
  withPage({}, async (page) => {
    await page.locator('#file').setInputFiles({ name: 'tower.toml', mimeType: 'text/plain', buffer: Buffer.from(sceneText('tower')) });
    await ready(page);
    assert.equal(await page.locator('[aria-label="contacts"] tbody tr').count(), 20);
    await page.locator('.many-pictures .many-mark').first().click({ force: true });
    await opened(page);
    assert.match(await page.evaluate(() => window.ricochet.state().title), /^tower of 5 boxes lands on the floor: /);
    await page.goBack();
    await until(page, () => document.body.classList.contains('with-motion'));
    await page.locator('#motion-close').click();
    await settled(page);
    assert.equal(await page.locator('#motion-page').count(), 0);
    assert.match(await page.evaluate(() => location.hash), /^#title=tower.*&focus=/, 'the address is again that of the collision');
    // What is wrong is said with its line.
    const wrong = sceneText('tower').replace('mass = 1', 'mass = -1');
    await page.locator('#file').setInputFiles({ name: 'tower.toml', mimeType: 'text/plain', buffer: Buffer.from(wrong) });
    await until(page, () => document.querySelector('#messages p').textContent.includes('mass'));
    assert.match(await page.locator('#messages p').textContent(), /tower\.toml: line \d+: .*mass.*ricochet simultaneous tower\.toml/);
  }));

test('the text of a file is pasted beside the fields: a scene, and a collision', () =>
  withPage({}, async (page) => {
    const paste = (text) =>
      page.evaluate((pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text', pasted);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, text);
    await paste(sceneText('rod'));
    await until(page, () => window.ricochet.state().title === 'rod falls on its end');
    await paste(sceneText('cradle'));
    await ready(page);
    assert.equal(await page.locator('[aria-label="contacts"] tbody tr').count(), 4);
    await paste('[[body]]\nname = "a"\n[[contact]]\na = "a"\n');
    await until(page, () => document.querySelector('#messages p').textContent.includes('pasted text: line'));
    // A robot that is pasted has no name yet.
    await paste('<robot name="arm"><link name="a"/></robot>');
    await until(page, () => document.querySelector('#messages p').textContent.includes('ricochet explore ROBOT opens'));
  }));

/** What `ricochet explore` is asked to open. */
const explored = (name, options, work) => explore(name, (address) => withPage({ address, ready, ...options }, work));

test('ricochet explore opens a robot with the contacts of its landing', { skip: native('explore') || native('impact') }, (t) =>
  explored(join(root, 'models/quadruped.urdf'), {}, async (page) => {
    const run = spawnSync(program, ['impact', join(root, 'models/quadruped.urdf'), '--law', 'routh', '--format', 'json'], { encoding: 'utf8' });
    const wanted = JSON.parse(run.stdout);
    await page.locator('.many-law').selectOption('routh');
    const { outcome } = await shown(page);
    assert.equal(outcome.contacts.length, 4);
    near(outcome.energy_change, wanted.answers[0].energy_change, 1e-9);
    assert.match(await page.locator('.scene-bar .hint').textContent(), /assumed: e = 0\.5, mu = 0\.5/);
    await screenshot(page, 'robot');
    // A foot by itself: the W of ricochet impact for this contact.
    const one = spawnSync(program, ['impact', join(root, 'models/quadruped.urdf'), '--contact', '1', '--format', 'json'], { encoding: 'utf8' });
    await page.locator('[aria-label="contacts"] tbody tr').first().locator('button').click();
    await opened(page);
    const { contact } = await page.evaluate(() => window.ricochet.frame().outcome);
    JSON.parse(one.stdout).W.flat().forEach((x, i) => near(contact.W.flat()[i], x, 1e-9));
    near(dot(contact.V, contact.n), -1);
    await page.goBack();
    await until(page, () => document.body.classList.contains('with-motion'));
    t.diagnostic(`4 feet, ΔE ${outcome.energy_change} J by routh`);
  }));

for (const [model, least] of [['quadruped.xml', 4], ['step.toml', 1]])
  test(`any contact of ${model} opens in impulse space with its own W and V`, { skip: native('explore') || native('impact') }, () =>
    explored(join(root, 'models', model), {}, async (page) => {
      const { contacts } = await page.evaluate(() => window.contactsPage.contactsDocument);
      assert.ok(contacts.length >= least);
      const rows = page.locator('[aria-label="contacts"] tbody tr');
      for (let i = 0; i < contacts.length; ++i) {
        await rows.nth(i).locator('button').click();
        await opened(page);
        const { contact, answers } = await page.evaluate(() => window.ricochet.frame().outcome);
        contacts[i].n.forEach((x, k) => near(contact.n[k], x));
        // Where it does not approach at first, it opens as it is first struck.
        const V_n = dot(contacts[i].V, contacts[i].n);
        if (V_n < -1e-9) near(dot(contact.V, contact.n), V_n, 1e-9);
        else assert.ok(dot(contact.V, contact.n) <= 1e-9, 'it is struck later');
        // The law by itself keeps V⁺ = V⁻ + W P with the W of this contact.
        const { P, V } = answers.find((one) => !one.error);
        V.forEach((x, k) => near(x, contact.V[k] + dot(contact.W[k], P), 1e-9));
        await page.goBack();
        await until(page, () => document.body.classList.contains('with-motion'));
      }
    }));

test('columns of many contacts explain themselves', () =>
  withScene(sceneText('cradle'), {}, async (page) => {
    const definition = page.locator('#definition:not([hidden])');
    await page.locator('[aria-label="contacts"] th[data-term="P_n"]').hover();
    await definition.waitFor();
    assert.match(await definition.textContent(), /Normal impulse/);
    await page.keyboard.press('Escape');
    const heads = page.locator('.many-table th[data-term]');
    const terms = await heads.evaluateAll((all) => all.map(({ dataset }) => dataset.term));
    for (const term of ['normal speed', 'V', 'P_n', 'P_t', 'V_n', 'V_t', 'certificate', 'mode', 'energy', 'v']) assert.ok(terms.includes(term), term);
    await heads.first().focus();
    await page.keyboard.press('Tab');
    await definition.waitFor();
    assert.ok((await definition.textContent()).length > 20);
  }));

for (const [width, height] of [[1920, 1080], [1366, 768], [768, 1024], [390, 844]])
  for (const dark of [false, true])
    test(`many contacts at ${width} × ${height}, ${dark ? 'dark' : 'light'}`, () =>
      withScene(sceneText('pool-break'), { width, height, dark }, async (page) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} pixels in ${width}`);
        for (const part of await page.locator('.many-pictures svg').all()) {
          const box = await part.boundingBox();
          assert.ok(box.width > 250 && box.height > 120, JSON.stringify(box));
        }
        await screenshot(page, `contacts-${width}${dark ? '-dark' : ''}`);
      }));
