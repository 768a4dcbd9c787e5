/** Assembles the page: the shell is in index.html, the laws are WebAssembly, views are loaded when visible. */

import './style.css';
import './scrubber.css';
import './explain.css';
import './print.css';
import { loadEngine } from './engine';
import { fetchMotion } from './motion';
import { Page } from './page';
import { fromSceneAddress, openScene } from './scene';
import { followTheme } from './theme';

// In a frame of another page, or in a notebook, only the pictures are shown.
const embedded = new URL(location.href).searchParams.has('embed');
document.body.classList.toggle('embed', embedded);

const messages = document.querySelector<HTMLElement>('#messages')!;

function tell(text: string) {
  messages.querySelector('p')!.textContent = text;
  messages.hidden = text === '';
}

messages.querySelector('button')!.addEventListener('click', () => tell(''));

// A motion needs no laws, and a simulation has its own. `ricochet explore` opens them by these addresses.
const motionAddress = /^#(motion|scene)=(.+)$/s;
const motion = motionAddress.exec(location.hash);
window.addEventListener('hashchange', () => {
  if (motion || motionAddress.test(location.hash)) location.reload();
});
if (motion) {
  followTheme(document.querySelector<HTMLElement>('#theme')!, () => {});
  const scene = motion[1] === 'scene';
  document.querySelector('#panel .hint')!.textContent = scene ? 'Loading the simulation…' : 'Reading the motion…';
  try {
    if (scene) {
      const { text, options } = fromSceneAddress(location.hash.slice(1));
      await openScene(text, options);
    } else {
      await fetchMotion(decodeURIComponent(motion[2]!));
    }
  } catch (problem) {
    const said = problem instanceof Error ? problem.message : String(problem);
    const instead = scene ? '; ricochet simulate SCENE.toml --motion motion.html may do it' : '';
    tell(`The ${scene ? 'scene cannot be simulated' : 'motion cannot be shown'}: ${said}${instead}`);
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
