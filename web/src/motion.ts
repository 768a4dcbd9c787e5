/** The motion viewer on the page (docs/motion-document.md): in place of the explorer, until it is closed. */

import '../motion/viewer.css';
import { element } from './controls/element';
import type { MotionViewer } from '../motion/viewer.js';

declare global {
  interface Window {
    motionViewer?: MotionViewer;
  }
}

/** Only its beginning is read: documents are long. */
export const isMotion = (text: string) => /^\s*\{\s*"ricochet"\s*:\s*"motion"/.test(text.slice(0, 200));

/** Throws an error that names what is wrong with the document; the page is then as it was. */
export async function openMotion(text: string) {
  const { showMotion } = await import('../motion/viewer.js');
  const host = element('main', { id: 'motion-page' });
  document.body.append(host);
  try {
    const viewer = showMotion(host, text);
    document.querySelector('#motion-page:not(:last-of-type)')?.remove(); // of another document
    const heading = document.querySelector('.top h1 span')!;
    const before = heading.textContent;
    heading.textContent = viewer.motion.title || 'motion';
    const close = element('button', { type: 'button', id: 'motion-close' }, 'Close the motion');
    close.addEventListener('click', () => {
      host.remove();
      close.remove();
      delete window.motionViewer;
      document.body.classList.remove('with-motion');
      heading.textContent = before;
      if (!window.ricochet) location.replace(location.pathname); // the explorer was not loaded
    });
    document.querySelector('#motion-close')?.remove();
    document.querySelector('#theme')!.before(close);
    document.body.classList.add('with-motion');
    document.title = `${viewer.motion.title || 'motion'} · ricochet`;
    window.motionViewer = viewer;
    viewer.root.focus();
  } catch (problem) {
    host.remove();
    throw problem;
  }
}

/** A document that lies beside the page: `#motion=motion.json`. */
export async function fetchMotion(name: string) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  await openMotion(await answer.text());
}
