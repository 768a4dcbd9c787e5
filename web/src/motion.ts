/** The motion viewer on the page (docs/motion-document.md): in place of the explorer, until it is closed. */

import '../motion/viewer.css';
import { element } from './controls/element';
import { takeStay, type Stay } from './visit';
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

/** In place of the explorer, until it is closed. */
export function takePage(stay: Omit<Stay, 'closed'>, closed: () => void = () => {}) {
  takeStay({
    ...stay,
    closed: () => {
      closed();
      delete window.motionViewer;
    },
  });
}

/** Throws an error that names what is wrong with the document; what the host had is then still there. */
export async function showIn(host: HTMLElement, text: string, open?: (event: number) => void): Promise<MotionViewer> {
  const { showMotion } = await import('../motion/viewer.js');
  const viewer = showMotion(host, text, open);
  window.motionViewer = viewer;
  return viewer;
}

/** Throws as above; the page is then as it was. */
export async function openMotion(text: string) {
  const host = motionHost();
  document.body.append(host); // the viewer measures it
  try {
    const viewer = await showIn(host, text);
    takePage({ host, title: viewer.motion.title || 'motion', address: () => '' });
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
