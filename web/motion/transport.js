/** Buttons that control time, of the motion viewer and of the explorer's impact. */

import { make } from './look.js';

const symbols = {
  play: 'M4 2.5v11l10-5.5z',
  pause: 'M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z',
  back: 'M3 2.5h2v11H3zM14 2.5v11L6 8z',
  on: 'M11 2.5h2v11h-2zM2 2.5v11L10 8z',
  start: 'M2 2.5h2v11H2zM9.5 3v10L4.5 8zM15 3v10l-5-5z',
};

/** @param {keyof typeof symbols} name */
export function symbolOf(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', symbols[name]);
  svg.append(path);
  return svg;
}

/** @param {keyof typeof symbols} symbol @param {string} label @param {string} key @param {() => void} act */
export function transportButton(symbol, label, key, act) {
  const button = make('button', { type: 'button', 'aria-label': label, title: `${label} (${key})` }, symbolOf(symbol));
  button.addEventListener('click', act);
  return button;
}
