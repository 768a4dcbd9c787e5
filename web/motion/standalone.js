/** Starts the viewer in a page of its own, which holds the document (src/report/motion_page.cpp). */

import { darkNow, make } from './look.js';
import { showMotion } from './viewer.js';

const viewerHost = /** @type {HTMLElement} */ (document.querySelector('#viewer'));
const motionText = /** @type {HTMLElement} */ (document.querySelector('#motion')).textContent ?? '';

document.querySelector('#theme')?.addEventListener('click', () => {
  document.documentElement.dataset['theme'] = darkNow() ? 'light' : 'dark';
});

// After the first paint: reading a long document takes a moment.
requestAnimationFrame(() =>
  setTimeout(() => {
    try {
      const viewer = showMotion(viewerHost, motionText);
      Object.assign(window, { motionViewer: viewer });
      // In a frame of a report the reader may be elsewhere.
      if (window === window.top) viewer.root.focus({ preventScroll: true });
    } catch (problem) {
      viewerHost.replaceChildren(
        make(
          'p',
          { class: 'message', role: 'alert' },
          `The motion cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`,
        ),
      );
    }
  }),
);
