/** Colours of bodies and curves, numbers as text, and small helpers for elements. */

/** @typedef {import('./linear.js').Vec} Vec */

const onLight = ['#0072b2', '#d55e00', '#00875f', '#b0408c', '#a07400', '#2f9fd0', '#6a3d9a', '#8c5a3c'];
const onDark = ['#4db2ff', '#ff8a3d', '#2fd39a', '#ff7fc4', '#e5b93b', '#8fd3f4', '#b58cf0', '#d09a78'];

/** Whether the page is dark now: the reader's choice, or the system's. */
export function darkNow() {
  const chosen = document.documentElement.dataset['theme'];
  return chosen === undefined ? window.matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
}

/** Of the i-th body that moves. @param {number} i @param {boolean} dark */
export const bodyColour = (i, dark) => (dark ? onDark : onLight)[i % onLight.length];

/** @param {boolean} dark */
export const energyColours = (dark) => ({
  kinetic: dark ? '#4db2ff' : '#0072b2',
  potential: dark ? '#2fd39a' : '#00875f',
  total: dark ? '#e8e6e1' : '#1c1f24',
  impact: dark ? '#ff8a3d' : '#d55e00',
  friction: dark ? '#ff7fc4' : '#b0408c',
});

/** From #rrggbb. @param {string} colour @returns {Vec} */
export function channelsOf(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** As many digits as a reader needs, with a true minus sign. @param {number} x @param {number} [digits] */
export function numberText(x, digits = 4) {
  if (!Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? x.toExponential(digits - 1) : x.toPrecision(digits);
  return text.replaceAll('-', '−');
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, string>} [attributes] @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * Round numbers between two others, and the decimals that tell them apart.
 * @param {number} low @param {number} high @param {number} wanted
 */
export function roundNumbers(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * ([1, 2, 5].find((m) => m * ten >= rough) ?? 10);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) list.push(k * step);
  return { list, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), step };
}

/**
 * A canvas in the pixels of the screen.
 * @param {HTMLCanvasElement} canvas @returns {{pen: CanvasRenderingContext2D, width: number, height: number}}
 */
export function penOf(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

export const typeface = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
