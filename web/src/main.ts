/** Assembles the page: the shell is in index.html, the laws are WebAssembly, views are loaded when visible. */

import './style.css';
import { loadEngine } from './engine';
import { Page } from './page';

const messages = document.querySelector<HTMLElement>('#messages')!;

function tell(text: string) {
  messages.querySelector('p')!.textContent = text;
  messages.hidden = text === '';
}

messages.querySelector('button')!.addEventListener('click', () => tell(''));

try {
  const page = new Page(await loadEngine(), tell);
  window.ricochet = page.forScripts();
} catch (problem) {
  tell(`The laws could not be loaded: ${problem instanceof Error ? problem.message : String(problem)}`);
  throw problem;
}
