/** The address holds the state: a link brings back the same bits. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, follow, settled, until, withPage } from './browser.mjs';

const text = (page) => page.evaluate(() => window.ricochet.text());
const state = (page) => page.evaluate(() => window.ricochet.state());
const hash = (page) => page.evaluate(() => new URL(window.ricochet.address()).hash);

async function assertRestores(link, expected) {
  await withPage({ hash: link }, async (page) => {
    assert.equal(await text(page), expected.text);
    assert.deepEqual(await state(page), expected.state);
    assert.equal(await page.locator('#messages').isVisible(), false);
  });
}

test('a link restores every starting point, bit by bit', async () => {
  const links = await withPage({}, async (page) => {
    const found = [];
    for (const name of await page.evaluate(() => window.ricochet.engine.scenes.map((scene) => scene.name))) {
      await page.locator('#scenes').selectOption(name);
      await settled(page);
      found.push([await hash(page), { text: await text(page), state: await state(page) }]);
    }
    return found;
  });
  await withPage({}, async (page) => {
    for (const [link, expected] of links) {
      await follow(page, link);
      assert.equal(await text(page), expected.text);
      assert.deepEqual(await state(page), expected.state);
    }
  });
  await assertRestores(...links[0]);
});

test('a link restores awkward numbers, words, the laws and what is shown of them', async () => {
  const numbers = [0.1 + 0.2, 1e-9, -1.4000000000000001, 2 ** 53, 5e-300];
  const link =
    `#title=${encodeURIComponent('a "rod" & 100 % Ω, #2 + 1')}` +
    `&M=2,${numbers[0]},-0.0,${numbers[0]},1.5,${numbers[1]},-0.0,${numbers[1]},1.1&V=-1,${numbers[2]},0.3&n=1,0,0` +
    `&e=0.30000000000000004&mu=inf&e_t=${numbers[4]}&restitution=stronge&wish=1,${numbers[3]},-0.0` +
    `&laws=routh,smith&focus=smith&reach=routh`;
  const seen = await withPage({ hash: link }, async (page) => {
    assert.equal(await page.locator('#messages').isVisible(), false, await page.locator('#messages').textContent());
    const bits = await page.evaluate(() => {
      const { form, settings, laws, focus, reaches, title } = window.ricochet.state();
      return {
        same: [
          [form.matrix[0][1], 0.1 + 0.2],
          [form.matrix[0][2], -0],
          [form.matrix[1][2], 1e-9],
          [form.V[1], -1.4000000000000001],
          [settings.mu, Infinity],
          [settings.e_t, 5e-300],
          [settings.target[1], 2 ** 53],
        ].map(([a, b]) => Object.is(a, b)),
        words: [title, settings.restitution, laws.join(), focus, reaches.join()],
      };
    });
    assert.deepEqual(bits.same, new Array(7).fill(true));
    assert.deepEqual(bits.words, ['a "rod" & 100 % Ω, #2 + 1', 'stronge', 'routh,smith', 'smith', 'routh']);
    return [await hash(page), { text: await text(page), state: await state(page) }];
  });
  await assertRestores(...seen);
});

test('the address follows what is typed', () =>
  withPage({}, async (page) => {
    await field(page, 'mu').fill('0.123');
    await until(page, () => /[#&]mu=0\.123(&|$)/.test(location.hash));
  }));

test('a collision given as text in the address is taken, and the address made readable', () => {
  const toml = 'title = "from a file"\nM = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [-1, 0.5, 0]\nn = [1, 0, 0]\ne = 0.5\nmu = 0.3\n';
  return withPage({ hash: `#toml=${encodeURIComponent(toml)}` }, async (page) => {
    assert.equal(await page.locator('#title').inputValue(), 'from a file');
    await until(page, () => location.hash.startsWith('#title=from+a+file&M=2,0,0,'));
  });
});
