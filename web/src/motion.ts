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

/** Where motions are shown; it is not seen before `takePage`. */
export function motionHost(...children: (Node | string)[]): HTMLElement {
  return element('main', { id: 'motion-page' }, ...children);
}

/** Puts the host in place of the explorer and of another motion, with a button that closes it. */
export function takePage(host: HTMLElement, title: string, closed: () => void = () => {}) {
  document.querySelector<HTMLElement>('#motion-close')?.click();
  document.body.append(host);
  const heading = document.querySelector('.top h1 span')!;
  const before = heading.textContent;
  heading.textContent = title;
  document.title = `${title} · ricochet`;
  const close = element('button', { type: 'button', id: 'motion-close' }, 'Close the motion');
  close.addEventListener('click', (event) => {
    closed();
    host.remove();
    close.remove();
    delete window.motionViewer;
    document.body.classList.remove('with-motion');
    heading.textContent = before;
    // By the reader, and the explorer was not loaded.
    if (event.isTrusted && !window.ricochet) location.replace(location.pathname);
  });
  document.querySelector('#theme')!.before(close);
  document.body.classList.add('with-motion');
}

/** Throws an error that names what is wrong with the document; what the host had is then still there. */
export async function showIn(host: HTMLElement, text: string): Promise<MotionViewer> {
  const { showMotion } = await import('../motion/viewer.js');
  const viewer = showMotion(host, text);
  window.motionViewer = viewer;
  return viewer;
}

/** Throws as above; the page is then as it was. */
export async function openMotion(text: string) {
  const host = motionHost();
  document.body.append(host); // the viewer measures it
  try {
    const viewer = await showIn(host, text);
    takePage(host, viewer.motion.title || 'motion');
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
