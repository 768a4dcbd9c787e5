/**
 * What stands in place of the explorer (a motion, a scene of many contacts), and the way between it and a collision that was
 * opened from it. Both are entries of the browser's history, so that its back button leads from the collision to the scene.
 */

import { element, setText } from './controls/element';
import type { BodySpeeds, Vec3 } from './documents';

/** A contact of something larger, as a collision by itself. */
export interface OpenedContact {
  /** TOML. */
  text: string;
  /** What the bread crumb says of it. */
  label: string;
  /** The law in focus; empty: the collision's own. */
  law: string;
  /** In place of the collision's own velocities: those of a later instant. */
  V?: Vec3;
  bodies?: [BodySpeeds, BodySpeeds] | null;
}

export interface Explorer {
  /** Shows the collision as a new entry of the history; a sentence where it cannot. */
  openContact(contact: OpenedContact): string;
  /** A new entry of the history. */
  enter(hash: string): void;
  /** Shown again, after something that stood in its place was closed. */
  restored(): void;
}

export interface Stay {
  host: HTMLElement;
  title: string;
  /** With its #; empty: it has none, and nothing can be opened from it. */
  address(): string;
  /** A collision was opened from it, and it is shown again. */
  left?(): void;
  returned?(): void;
  closed(): void;
}

const stayAddress = /^#(motion|scene|many|contacts)=/;
export const isStayAddress = (hash: string) => stayAddress.test(hash);

let loadExplorer: () => Promise<Explorer> = () => Promise.reject(new Error('no explorer'));
let explorer: Explorer | null = null;
let stay: Stay | null = null;
let closeStay: () => void = () => {};

export function setExplorer(load: () => Promise<Explorer>) {
  loadExplorer = load;
}

const crumb = () => document.querySelector<HTMLElement>('#crumb')!;
const shown = () => document.body.classList.contains('with-motion');

function showCrumb(label: string) {
  const nav = crumb();
  nav.hidden = label === '';
  if (label === '' || !stay) return nav.replaceChildren();
  const back = element('button', { type: 'button', id: 'crumb-back', title: 'back to where this contact was opened' }, `← ${stay.title}`);
  back.addEventListener('click', () => {
    if (!stay) return;
    explorer?.enter(stay.address());
    comeBack();
  });
  nav.replaceChildren(back, element('span', {}, label));
}

/** Puts the host in place of the explorer and of what stood there, with a button that closes it. */
export function takeStay(next: Stay) {
  closeStay();
  stay = next;
  document.body.append(next.host);
  const heading = document.querySelector('.top h1 span')!;
  const before = heading.textContent;
  const close = element('button', { type: 'button', id: 'motion-close' }, 'Close');
  close.title = 'back to the explorer';
  closeStay = () => {
    closeStay = () => {};
    stay = null;
    showCrumb('');
    next.closed();
    next.host.remove();
    close.remove();
    document.body.classList.remove('with-motion');
    setText(heading, before ?? '');
  };
  close.addEventListener('click', () => {
    closeStay();
    // The explorer was not loaded.
    if (!window.ricochet) return location.replace(location.pathname);
    if (isStayAddress(location.hash)) explorer?.restored();
  });
  document.querySelector('#theme')!.before(close);
  showStay();
}

function showStay() {
  if (!stay) return;
  showCrumb('');
  document.body.classList.add('with-motion');
  stay.host.hidden = false;
  setText(document.querySelector('.top h1 span')!, stay.title);
  document.title = `${stay.title} · ricochet`;
  document.querySelector<HTMLElement>('#motion-close')!.hidden = false;
}

function hideStay() {
  if (!stay) return;
  document.body.classList.remove('with-motion');
  stay.host.hidden = true;
  setText(document.querySelector('.top h1 span')!, 'impulse space');
  document.querySelector<HTMLElement>('#motion-close')!.hidden = true;
}

function comeBack() {
  if (!stay || shown()) return;
  stay.returned?.();
  showStay();
  stay.host.querySelector<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
}

/** Opens a contact of what stands in place of the explorer in impulse space. Throws a sentence where it cannot. */
export async function openFromStay(contact: OpenedContact) {
  if (!stay) return;
  explorer ??= await loadExplorer();
  const from = stay.address();
  if (location.hash !== from) explorer.enter(from);
  const wrong = explorer.openContact(contact);
  if (wrong !== '') throw new Error(wrong);
  hideStay();
  stay.left?.();
  showCrumb(contact.label);
  window.scrollTo(0, 0);
}

/** The explorer is the page's own from the start. */
export function knowExplorer(known: Explorer) {
  explorer = known;
}

/** The history, or a reader, has changed the address. */
export function followAddress() {
  const { hash } = location;
  if (isStayAddress(hash)) {
    if (stay && stay.address() === hash) comeBack();
    else location.reload();
  } else if (!explorer) {
    if (stay) location.reload();
  } else if (stay && shown()) {
    hideStay();
    stay.left?.();
    showCrumb(document.title.replace(/ · ricochet$/, ''));
  }
}
