/** Assembles the page: the shell is in index.html, the laws are WebAssembly, views are loaded when visible. */

import './style.css';
import { loadEngine } from './engine';
import { fetchMotion } from './motion';
import { Page } from './page';
import { followTheme } from './theme';

const messages = document.querySelector<HTMLElement>('#messages')!;

function tell(text: string) {
  messages.querySelector('p')!.textContent = text;
  messages.hidden = text === '';
}

messages.querySelector('button')!.addEventListener('click', () => tell(''));

// A motion needs no laws. `ricochet explore` opens one by this address.
const motion = /^#motion=(.+)$/.exec(location.hash)?.[1];
if (motion !== undefined) {
  followTheme(document.querySelector<HTMLElement>('#theme')!, () => {});
  try {
    await fetchMotion(decodeURIComponent(motion));
  } catch (problem) {
    tell(`The motion cannot be shown: ${problem instanceof Error ? problem.message : String(problem)}`);
  }
} else {
  try {
    const page = new Page(await loadEngine(), tell);
    window.ricochet = page.forScripts();
  } catch (problem) {
    tell(`The laws could not be loaded: ${problem instanceof Error ? problem.message : String(problem)}`);
    throw problem;
  }
}
