/** What is wrong is said on the page, by name, and what was drawn before stays. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, follow, settled, tableOf, until, withPage } from './browser.mjs';

const messages = (page) => page.locator('#messages');

async function openFile(page, name, text) {
  await page.locator('#file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
}

const wrongFiles = [
  ['bad.toml', 'V = [-1, 0, 0]\nn = [1, 0, 0]\nmus = 0.3\n', /bad\.toml, line 3: mus: unknown key; did you mean mu/],
  ['broken.toml', 'M = [[2, 0\n', /broken\.toml, line \d+: .*not valid TOML/],
  ['mass.toml', 'M = [[1,0,0],[0,-1,0],[0,0,1]]\nV = [-1,0,0]\nn = [1,0,0]\n', /mass\.toml, line 1: M = .*positive definite/],
  ['one.json', '{"M":[[1,0,0],[0,1,0],[0,0,1]],"n":[1,0,0]}\n', /one\.json.*V: missing/],
  ['empty.toml', '', /empty\.toml: is empty/],
  ['arm.xml', '<mujoco model="arm"><worldbody/></mujoco>', /arm\.xml: the page reads no robot files; .*ricochet simulate arm\.xml --motion/],
  ['arm.urdf', '<?xml version="1.0"?>\n<robot name="arm"></robot>', /arm\.urdf: .*ricochet explore arm\.urdf opens the contacts/],
  ['my arm.xml', '<?xml version="1.0"?>\n<mujoco model="arm"/>', /ricochet explore 'my arm\.xml' opens the contacts of its landing here/],
  ['step.toml', '[law]\ne = 0.3\n[[robot]]\nfile = "a.xml"\n[[body]]\nname = "crate"\n', /step\.toml: the page reads no robot files; ricochet explore step\.toml opens the contacts of this scene here/],
  ['crowd.toml', '[[robot]]\nfile = "a.xml"\n', /crowd\.toml: .*ricochet simulate crowd\.toml --motion/],
  ['many.toml', '[[body]]\nname = "a"\n[[contact]]\na = "a"\n', /many\.toml: line \d+: .*; ricochet simultaneous many\.toml may do it/],
];

test('a wrong file gives a message that names what is wrong, and the page stays as it was', () =>
  withPage({}, async (page) => {
    const before = await tableOf(page);
    for (const [name, text, said] of wrongFiles) {
      await openFile(page, name, text);
      await messages(page).waitFor();
      assert.match(await messages(page).textContent(), said);
      assert.deepEqual(await tableOf(page), before);
      await messages(page).getByRole('button').click();
      assert.equal(await messages(page).isVisible(), false);
    }
    await page.evaluate(() => {
      const dropped = new DataTransfer();
      dropped.items.add(new File(['n = 3\n'], 'dropped.toml'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }));
    });
    await messages(page).waitFor();
    assert.match(await messages(page).textContent(), /dropped\.toml, line 1: n = 3: must be three numbers/);
    assert.deepEqual(await tableOf(page), before);
  }));

test('a file of the command line opens, as TOML and as a line of JSON', () =>
  withPage({}, async (page) => {
    await openFile(page, 'own.toml', 'title = "own"\nW = [[1,0,0],[0,2,0],[0,0,3]]\nV = [-1,1,0]\nn = [1,0,0]\ne = 0.25\nmu = 0.2\n');
    await until(page, () => window.ricochet.state().title === 'own');
    assert.equal(await field(page, 'e').inputValue(), '0.25');
    assert.match(await page.evaluate(() => window.ricochet.text()), /^W = \[\[1, 0, 0\], \[0, 2, 0\], \[0, 0, 3\]\]/m);
    await openFile(page, 'many.jsonl', '{"M":[[2,0,0],[0,1,0],[0,0,1]],"V":[-1,1,0],"n":[1,0,0],"mu":0.75,"e":0.5}\n{"M":3}\n');
    await until(page, () => window.ricochet.state().settings.mu === 0.75);
    assert.match(await messages(page).textContent(), /first of 2 collisions/);
  }));

const wrongAddresses = [
  ['#M=1,0,0,0,1,0,0,0,1&V=-1,0,0&n=1,0,0&mus=3', /mus: unknown key/],
  ['#M=1,0,0,0,1,0,0,0,one&V=-1,0,0&n=1,0,0', /M: .*must be numbers/],
  ['#M=1,0,0&V=-1,0,0&n=1,0,0', /M: has 3 numbers and must have 9/],
  ['#M=1,0,0,0,-1,0,0,0,1&V=-1,0,0&n=1,0,0', /M = .*positive definite/],
  ['#M=1,0,0,0,1,0,0,0,1&V=-1,0,0&n=1,0,0&laws=ruth', /laws: ruth: unknown law/],
  ['#M=1,0,0,0,1,0,0,0,1&V=-1,0,0', /n: missing/],
  ['#point=0,0,0&n=1,0,0&A.fixed=true', /B\.mass: missing/],
  ['#title=%E0%A4%A', /title: .*percent-encoded/],
  ['#toml=mus%20%3D%203', /mus: unknown key/],
];

test('a wrong address gives a message and a page that works, not a blank one', async () => {
  const check = async (page, said) => {
    await messages(page).waitFor();
    assert.match(await messages(page).textContent(), said);
    assert.ok(Number.isFinite((await tableOf(page)).routh.P_n));
  };
  await withPage({ hash: wrongAddresses[0][0] }, (page) => check(page, wrongAddresses[0][1]));
  await withPage({}, async (page) => {
    for (const [hash, said] of wrongAddresses) {
      await follow(page, hash);
      await check(page, said);
      await messages(page).getByRole('button').click();
    }
  });
});

test('a number that cannot be is marked where it stands, and nothing is drawn anew', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const before = await tableOf(page);
    const entry = page.getByRole('spinbutton', { name: 'matrix yy', exact: true });
    await entry.fill('-1.5');
    await settled(page);
    assert.equal(await entry.getAttribute('aria-invalid'), 'true');
    assert.match(await page.getByRole('group', { name: 'matrix' }).locator('.message:visible').textContent(), /positive definite/);
    assert.deepEqual(await tableOf(page), before);
    assert.equal(await entry.inputValue(), '-1.5', 'what was typed stays');
    await entry.fill('1.5');
    await settled(page);
    assert.equal(await entry.getAttribute('aria-invalid'), null);

    const mu = field(page, 'mu');
    await mu.fill('abc');
    assert.equal(await mu.getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await tableOf(page), before);
    await page.keyboard.press('Escape');
    assert.equal(await mu.inputValue(), '0.5');
    assert.equal(await mu.getAttribute('aria-invalid'), null);
    await mu.fill('abc');
    await page.locator('#scenes').selectOption('diagonal');
    await settled(page);
    assert.equal(Number(await mu.inputValue()), await page.evaluate(() => window.ricochet.state().settings.mu));
  }));

test('a parameter out of range is marked, and the laws that refuse it say so', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await field(page, 'e').fill('1.5');
    await settled(page);
    assert.equal(await field(page, 'e').getAttribute('aria-invalid'), 'true');
    const table = await tableOf(page);
    assert.match(table.routh.refusal, /e = 1\.5: must be between 0 and 1/);
    assert.ok(Number.isFinite(table.brach.P_n), 'the law that allows it answers');
  }));

test('a contact that no two free bodies have says so, and stays a contact', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('pendulum');
    await settled(page);
    await page.locator('label:has(#mode-bodies)').click();
    await messages(page).waitFor();
    assert.match(await messages(page).textContent(), /No two bodies have this M.*singular/);
    await settled(page);
    assert.ok(await page.locator('#mode-contact').isChecked());
  }));
