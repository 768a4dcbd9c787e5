/** One browser, a static server for the built page, and what the tests ask of both. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = process.env.RICOCHET_PAGE ?? join(root, 'build/explorer');
const pictures = process.env.RICOCHET_SCREENSHOTS ?? join(root, 'build/screenshots');
const { chromium } = createRequire(join(root, 'web/package.json'))('playwright-core');

const kinds = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Under a path of its own, because the page must not mind where it is put. Compresses, as servers of files do. */
const prefix = '/some/where/';
const packed = new Map();

/** Serves a text beside the page under a name, as `ricochet explore` does with a motion. */
export function beside(name, text) {
  packed.set(join(folder, name), gzipSync(text));
}

function answer(request, response) {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  const name = path.slice(prefix.length) || 'index.html';
  const file = join(folder, name);
  const kind = kinds[extname(file)];
  if (!path.startsWith(prefix) || path.includes('..') || !kind || !(packed.has(file) || existsSync(file))) {
    response.writeHead(404).end();
    return;
  }
  if (!packed.has(file)) packed.set(file, gzipSync(readFileSync(file)));
  const body = packed.get(file);
  // Names of assets hold a digest of what is in them.
  const cache = name.startsWith('assets/') ? 'max-age=3600' : 'no-store';
  response.writeHead(200, { 'content-type': kind, 'content-encoding': 'gzip', 'content-length': body.length, 'cache-control': cache }).end(body);
}

let server;
let browser;
let origin;

async function start() {
  assert.ok(existsSync(join(folder, 'index.html')), `the page is not built: ${join(folder, 'index.html')}`);
  mkdirSync(pictures, { recursive: true });
  server = createServer(answer);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

async function stop() {
  await browser?.close();
  server?.close();
  server?.closeAllConnections();
}

const asked = new WeakMap();

/** Bytes of everything that this page has asked for, as they are sent, whether or not they were at hand. */
export function sentBytes(page) {
  return [...asked.get(page)].map((name) => [name, packed.get(join(folder, name))?.length ?? 0]);
}

before(start);
after(stop);

/** Pages of one context share what is loaded and compiled; each has its own history. */
const contexts = new Map();
async function contextFor(touch) {
  if (!contexts.has(touch))
    contexts.set(touch, await browser.newContext({ hasTouch: touch, isMobile: touch, acceptDownloads: true, permissions: ['clipboard-read', 'clipboard-write'] }));
  return contexts.get(touch);
}

/**
 * Runs `work` on a page of its own, at `address` where someone else serves it, once `ready` has waited for it. Whatever the
 * browser's console complains of, and any request that goes elsewhere, fails the test.
 */
export async function withPage(
  { address = '', hash = '', width = 1440, height = 900, dark = false, touch = false, ready = settled } = {},
  work,
) {
  const context = await contextFor(touch);
  const home = address.startsWith('file:') ? address : address ? new URL(address).origin : origin;
  const page = await context.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  page.setDefaultTimeout(60_000);
  const names = new Set();
  asked.set(page, names);
  const complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (url.startsWith(origin)) names.add(new URL(url).pathname.slice(prefix.length) || 'index.html');
    if (!url.startsWith(home) && !url.startsWith('data:') && !url.startsWith('blob:')) complaints.push(`asks for ${url}`);
  });
  page.on('requestfailed', (request) => complaints.push(`did not get ${request.url()}`));
  try {
    await page.goto(address || `${origin}${prefix}${hash}`);
    await ready(page);
    const result = await work(page);
    // The driver of a machine without a graphics card speaks of itself.
    const own = complaints.filter((text) => !/GPU stall|swiftshader|software WebGL/i.test(text));
    assert.deepEqual(own, [], 'the console is silent');
    return result;
  } finally {
    // Nothing that a page has stored reaches the next one.
    const session = await context.newCDPSession(page);
    for (const where of [origin, home]) await session.send('Storage.clearDataForOrigin', { origin: where, storageTypes: 'local_storage' }).catch(() => {});
    await page.close();
  }
}

/** Follows a link within the page, until it has been told of it and has drawn. */
export async function follow(page, link) {
  await page.evaluate(
    (to) =>
      new Promise((done) => {
        if (location.hash === to) return done();
        window.addEventListener('hashchange', () => done(), { once: true });
        location.hash = to;
      }),
    link,
  );
  await settled(page);
}

/**
 * Until something holds on the page. Playwright's own waitForFunction evaluates text between two pictures, which the page's
 * content security policy refuses.
 */
export async function until(page, holds, patience = 60_000) {
  for (const end = Date.now() + patience; !(await page.evaluate(holds)); ) {
    assert.ok(Date.now() < end, `did not come true: ${holds}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Until the page has drawn what it was last asked for. */
export async function settled(page) {
  await until(page, () => window.ricochet?.frame() != null);
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  // The table follows a little later than the pictures.
  await until(page, () => document.querySelector('#outcomes').getAttribute('aria-busy') !== 'true');
}

export async function screenshot(page, name, options = {}) {
  await page.screenshot({ path: join(pictures, `${name}.png`), ...options });
}

/** How many colours an element has on the screen, and the share of the commonest one. */
export async function coloursOf(page, locator) {
  const picture = (await locator.screenshot()).toString('base64');
  return page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const pen = canvas.getContext('2d');
    pen.drawImage(bitmap, 0, 0);
    const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
    const counts = new Map();
    for (let i = 0; i < data.length; i += 4) {
      const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return { count: counts.size, commonest: Math.max(...counts.values()) / (data.length / 4) };
  }, picture);
}

export const field = (page, parameter) => page.locator(`input[data-parameter="${parameter}"]`);

/** What the table holds, with all digits: law, then column. */
export function tableOf(page) {
  return page.evaluate(() => {
    const rows = {};
    for (const row of document.querySelectorAll('.outcomes tbody tr')) {
      const refusal = row.querySelector('.refusal');
      if (!refusal.hidden) {
        rows[row.dataset.law] = { refusal: refusal.textContent };
        continue;
      }
      const cells = [...row.querySelectorAll('td[data-key]')].map((cell) => [cell.dataset.key, Number(cell.dataset.value)]);
      rows[row.dataset.law] = {
        ...Object.fromEntries(cells),
        mode: row.querySelector('.mode').textContent,
        certificate: row.querySelector('.certificate').textContent,
      };
    }
    return rows;
  });
}
