/** Numbers as people have them: sliders, what they copy, fractions, a decimal comma, and fingers. */

import assert from 'node:assert/strict';
import test from 'node:test';
import { field, settled, withPage } from './browser.mjs';

const paste = (page, label, text) =>
  page.getByRole('spinbutton', { name: label, exact: true }).evaluate((input, words) => {
    const data = new DataTransfer();
    data.setData('text/plain', words);
    input.focus();
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
const form = (page) => page.evaluate(() => window.ricochet.state().form);

const matrix = [[2, 0.25, 0], [0.25, 1.5, -0.5], [0, -0.5, 1]];
const notations = {
  spaces: '2 0.25 0\n0.25 1.5 -0.5\n0 -0.5 1',
  tabs: '2\t0.25\t0\r\n0.25\t1.5\t-0.5\r\n0\t-0.5\t1\r\n',
  commas: '2, 0.25, 0, 0.25, 1.5, -0.5, 0, -0.5, 1',
  MATLAB: 'M = [2 0.25 0; 0.25 1.5 -0.5; 0 -0.5 1];',
  NumPy: 'array([[ 2.  ,  0.25,  0.  ],\n       [ 0.25,  1.5 , -0.5 ],\n       [ 0.  , -0.5 ,  1.  ]])',
  'NumPy call': 'np.array([[2, 0.25, 0], [0.25, 1.5, -0.5], [0, -0.5, 1]], dtype=np.float64)',
  Mathematica: '{{2, 1/4, 0}, {1/4, 3/2, -1/2}, {0, -1/2, 1}}',
  TeX: '2 & 0.25 & 0 \\\\ 0.25 & 1.5 & −0.5 \\\\ 0 & −0.5 & 1',
  'decimal comma': '2 0,25 0\n0,25 1,5 -0,5\n0 -0,5 1',
  'MATLAB, printed': 'M =\n\n    2.0000    0.2500         0\n    0.2500    1.5000   -0.5000\n         0   -0.5000    1.0000\n',
  'MATLAB, with a factor': 'M =\n\n   1.0e-03 *\n\n    2000  250  0\n    250  1500  -500\n    0  -500  1000\n',
  'MATLAB, in lines': 'M = [2 0.25 0; ... % kg\n 0.25 1.5 -0.5; ...\n 0 -0.5 1];',
  'NumPy, printed': '[[ 2.00e+00  2.50e-01  0.00e+00]\n [ 2.50e-01  1.50e+00 -5.00e-01]\n [ 0.00e+00 -5.00e-01  1.00e+00]]',
  'NumPy, a member': 'self.M = numpy.asarray([[2, .25, 0], [.25, 1.5, -.5], [0, -.5, 1.]])',
  PyTorch: 'tensor([[ 2.0000,  0.2500,  0.0000],\n        [ 0.2500,  1.5000, -0.5000],\n        [ 0.0000, -0.5000,  1.0000]], dtype=torch.float64)',
  Julia: '3×3 Matrix{Float64}:\n 2.0   0.25   0.0\n 0.25  1.5   -0.5\n 0.0  -0.5    1.0',
  Fortran: '2.0d0 0.25d0 0d0 0.25d0 1.5d0 -0.5d0 0d0 -0.5d0 1d0',
  Eigen: 'M << 2, 0.25, 0,\n     0.25, 1.5, -0.5,\n     0, -0.5, 1;',
  'Eigen, a list': 'const Eigen::Matrix3d M{{2, 0.25, 0}, {0.25, 1.5, -0.5}, {0, -0.5, 1}};',
  'a table of a spreadsheet': '2\t0,25\t0\n0,25\t1,5\t-0,5\n0\t-0,5\t1\n',
  'with quotes': '"2"\t"0,25"\t"0"\n"0,25"\t"1,5"\t"-0,5"\n"0"\t"-0,5"\t"1"',
  'R, printed': '     [,1]  [,2] [,3]\n[1,] 2.00  0.25  0.0\n[2,] 0.25  1.50 -0.5\n[3,] 0.00 -0.50  1.0',
  R: 'matrix(c(2, 0.25, 0, 0.25, 1.5, -0.5, 0, -0.5, 1), nrow = 3)',
  JSON: '{"M": [[2,0.25,0],[0.25,1.5,-0.5],[0,-0.5,1]]}',
  YAML: '- [2, 0.25, 0]\n- [0.25, 1.5, -0.5]\n- [0, -0.5, 1]',
  'NumPy, scalars': '[[np.float64(2.0), np.float64(0.25), np.float64(0.0)], [np.float64(0.25), np.float64(1.5), np.float64(-0.5)], [np.float64(0.0), np.float64(-0.5), np.float64(1.0)]]',
  JAX: 'Array([[ 2.  ,  0.25,  0.  ],\n       [ 0.25,  1.5 , -0.5 ],\n       [ 0.  , -0.5 ,  1.  ]], dtype=float32)',
  nalgebra: 'Matrix3::new(2.0, 0.25, 0.0, 0.25, 1.5, -0.5, 0.0, -0.5, 1.0)',
  'an attribute': 'fullinertia="2 0.25 0 0.25 1.5 -0.5 0 -0.5 1"',
  'C, floats': 'float M[9] = {2.0f, 0.25f, 0.f, 0.25f, 1.5f, -0.5f, 0.f, -0.5f, 1.0f};',
  Maple: '<<2|1/4|0>,<1/4|3/2|-1/2>,<0|-1/2|1>>',
  'TeX, fractions': '\\begin{bmatrix}2&\\frac{1}{4}&0\\\\\\frac14&\\tfrac{3}{2}&-\\frac{1}{2}\\\\0&-\\frac12&1\\end{bmatrix}',
  'small fractions': '2 ¼ 0 ¼ 3/2 -½ 0 -½ 1',
  'this page': 'M [kg]\n        2      0.25         0\n     0.25       1.5      -0.5\n        0      -0.5         1',
};

/** What the collision is after each text was pasted over the same other numbers. */
const pasted = (page, label, start, texts) =>
  page.evaluate(
    async ({ label, start, texts }) => {
      const input = [...document.querySelectorAll('#panel input.number')].find((one) => one.getAttribute('aria-label') === label);
      const put = async (words) => {
        const data = new DataTransfer();
        data.setData('text/plain', words);
        input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        for (let i = 0; i < 2; ++i) await new Promise(requestAnimationFrame);
      };
      const found = [];
      for (const text of texts) {
        await put(start);
        await put(text);
        found.push(window.ricochet.state().form);
      }
      return found;
    },
    { label, start, texts },
  );

test('a matrix can be pasted as people copy it', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const matrices = await pasted(page, 'matrix xx', '7 0 0 0 7 0 0 0 7', Object.values(notations));
    Object.keys(notations).forEach((name, i) => assert.deepEqual(matrices[i].matrix, matrix, name));
    const vectors = ['[1, -2.5, 3e-1]', '1 -2,5 0,3', '(1; -5/2; 3/10)', 'V = [1\n-2.5\n0.3]', "[1 -2.5 0.3]'", 'np.array([ 1. , -2.5,  0.3])', 'c(1, -2.5, 0.3)', '[1]  1.0 -2.5  0.3', 'xyz="1 -2.5 0.3"', '⟨1, −2.5, 0.3⟩', '1 -2.5 3·10⁻¹'];
    const found = await pasted(page, 'V, relative velocity of B at the contact y', '-7 -7 -7', vectors);
    vectors.forEach((text, i) => assert.deepEqual(found[i].V, [1, -2.5, 0.3], text));
    await paste(page, 'matrix xx', 'np.diag([2, 1, 3])');
    await settled(page);
    assert.deepEqual((await form(page)).matrix, [[2, 0, 0], [0, 1, 0], [0, 0, 3]]);
    const said = () => page.getByRole('group', { name: 'matrix' }).locator('.message:visible').textContent();
    for (const [text, wrong] of [
      ['1 2 3 4', /must be 9 numbers/],
      ['[[1, 0.2, 0], [0.3, 1, 0], [0, 0, 1]]', /must be symmetric, but xy = 0\.2 and yx = 0\.3/],
      ['[[2, 0, 0], [0, nan, 0], [0, 0, 1]]', /must be 9 numbers/],
      ['2 kg 0 0 0 1 kg 0 0 0 3 kg', /must be 9 numbers/], // a unit might be another one
    ]) {
      await paste(page, 'matrix xx', text);
      assert.match(await said(), wrong);
      assert.deepEqual((await form(page)).matrix, [[2, 0, 0], [0, 1, 0], [0, 0, 3]], text);
    }
  }));

test('fractions and a decimal comma are numbers', () =>
  withPage({}, async (page) => {
    const value = (name) => page.evaluate((key) => window.ricochet.state().settings[key], name);
    for (const [text, wanted] of [['1/3', 1 / 3], ['0,25', 0.25], ['14/17', 14 / 17], ['.5', 0.5], ['1,5e-1', 0.15]]) {
      await field(page, 'kappa').fill(text);
      await settled(page);
      assert.equal(await value('kappa'), wanted, text);
    }
    for (const text of ['1/0', '1/2/3', '0,2,5', '1,']) {
      await field(page, 'kappa').fill(text);
      assert.equal(await field(page, 'kappa').getAttribute('aria-invalid'), 'true', text);
    }
  }));

test('sliders change the numbers and follow them', () =>
  withPage({}, async (page) => {
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const slider = page.getByRole('slider', { name: 'e, slider' });
    const value = () => page.evaluate(() => window.ricochet.state().settings.e);
    await slider.evaluate((input) => {
      input.value = '0.25';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await settled(page);
    assert.equal(await value(), 0.25);
    assert.equal(await field(page, 'e').inputValue(), '0.25');
    await field(page, 'e').fill('0.75');
    await settled(page);
    assert.equal(Number(await slider.inputValue()), 0.75);
    await field(page, 'mu').fill('5');
    await settled(page);
    assert.equal(Number(await page.getByRole('slider', { name: 'mu, slider' }).inputValue()), 5, 'its end makes room');
    // Without a value it stands where the value is that is taken then.
    await field(page, 'e_t').fill('');
    await settled(page);
    assert.equal(Number(await page.getByRole('slider', { name: 'e_t, slider' }).inputValue()), 0);
    // Stiffness ratios are spread over powers of ten.
    await field(page, 'kappa').fill('10');
    await settled(page);
    assert.equal(Number(await page.getByRole('slider', { name: 'kappa, slider' }).inputValue()), 1);
  }));

test('on a phone every target is large enough for a finger', () =>
  withPage({ width: 390, height: 844 }, async (page) => {
    await page.locator('#panel-toggle').click();
    await settled(page);
    const small = await page.evaluate(() => {
      const box = (node) => (node.closest('label') ?? node).getBoundingClientRect();
      return [...document.querySelectorAll('.top button, .top summary, #panel button, #panel select, #panel input:not([type=range]), .scrubber > button')]
        .filter((node) => node.offsetParent !== null && !node.matches('.unseen, .modes input'))
        .map((node) => [node.id || node.getAttribute('aria-label') || node.textContent, node.type === 'radio' || node.type === 'checkbox' ? (node.closest('td, label') ?? node).getBoundingClientRect() : box(node)])
        .filter(([, { height }]) => height < 40)
        .map(([name, { height }]) => `${name}: ${height}`);
    });
    assert.deepEqual(small, []);
    const sliders = await page.evaluate(() =>
      [...document.querySelectorAll('#panel .slide')].filter((node) => node.offsetParent !== null).map((node) => node.getBoundingClientRect().height),
    );
    assert.ok(sliders.length > 4 && Math.min(...sliders) >= 32, String(sliders));
  }));

test('V, masses, velocities and angles have sliders whose ends suit their size', () =>
  withPage({}, async (page) => {
    const slide = (name, value) =>
      page.getByRole('slider', { name }).evaluate((input, to) => {
        input.value = String(to);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }, value);
    const state = () => page.evaluate(() => window.ricochet.state());
    await page.locator('#scenes').selectOption('generic');
    await settled(page);
    const V = (await state()).form.V;
    const slider = page.getByRole('slider', { name: 'V, relative velocity of B at the contact z, slider' });
    const [low, high, now] = await slider.evaluate(({ min, max, value }) => [min, max, value].map(Number));
    assert.equal(low, -high);
    assert.ok(high >= 1.5 * Math.max(...V.map(Math.abs)) && high <= 5 * Math.max(...V.map(Math.abs)), `${high} for ${V}`);
    assert.equal(now, V[2]);
    await slide('V, relative velocity of B at the contact z, slider', low / 2);
    await settled(page);
    assert.equal((await state()).form.V[2], low / 2);
    // The other entries of a positive matrix are less than the mean of the two on its diagonal.
    const { matrix } = (await state()).form;
    const end = await page.getByRole('slider', { name: 'matrix xy, slider' }).evaluate(({ max }) => Number(max));
    assert.ok(Math.abs(end - Math.sqrt(matrix[0][0] * matrix[1][1])) < 1e-12 * end);
    await slide('matrix xy, slider', 0);
    await settled(page);
    const after = (await state()).form.matrix;
    assert.deepEqual([after[0][1], after[1][0]], [0, 0]);
    // Masses over powers of ten.
    await page.locator('#scenes').selectOption('rod');
    await settled(page);
    const bodies = (await state()).form.bodies;
    const which = bodies.findIndex(({ fixed }) => !fixed);
    await slide(`mass of ${'AB'[which]}, slider`, Math.log10(7));
    await settled(page);
    assert.equal((await state()).form.bodies[which].mass, 7);
    await slide('normal, angle from z, slider', 30);
    await settled(page);
    const { n } = (await state()).form;
    assert.ok(Math.abs(n[2] - Math.sqrt(3) / 2) < 1e-12, String(n));
  }));
