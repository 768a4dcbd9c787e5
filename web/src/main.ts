/** Assembles the page: the shell is in index.html, the laws are WebAssembly, views are loaded when visible. */

import './style.css';
import './scrubber.css';
import './explain.css';
import './print.css';
import { loadEngine } from './engine';
import { fetchContacts, fromContactsAddress, openContacts } from './contacts';
import { fetchMotion } from './motion';
import { Page } from './page';
import { fromSceneAddress, openScene } from './scene';
import { followTheme } from './theme';
import { followAddress, isStayAddress, knowExplorer, setExplorer } from './visit';

// In a frame of another page, or in a notebook, only the pictures are shown.
const embedded = new URL(location.href).searchParams.has('embed');
document.body.classList.toggle('embed', embedded);

const messages = document.querySelector<HTMLElement>('#messages')!;

function tell(text: string) {
  messages.querySelector('p')!.textContent = text;
  messages.hidden = text === '';
}

messages.querySelector('button')!.addEventListener('click', () => tell(''));

async function explorer() {
  const page = new Page(await loadEngine(), tell);
  window.ricochet = page.forScripts();
  return page;
}

/** A motion, a scene or many contacts, which need no laws or have their own: `ricochet explore` opens them by these addresses. */
async function openStay(hash: string) {
  const at = hash.indexOf('=');
  const kind = hash.slice(1, at);
  const name = () => decodeURIComponent(hash.slice(at + 1));
  const [waiting, instead] = {
    motion: ['Reading the motion…', ''],
    scene: ['Loading the simulation…', '; ricochet simulate SCENE.toml --motion motion.html may do it'],
    many: ['Resolving the contacts…', '; ricochet simultaneous SCENE.toml may do it'],
    contacts: ['Reading the contacts…', ''],
  }[kind]!;
  document.querySelector('#panel .hint')!.textContent = waiting!;
  try {
    if (kind === 'scene') {
      const { text, options } = fromSceneAddress(hash.slice(1));
      await openScene(text, options);
    } else if (kind === 'many') {
      await openContacts(fromContactsAddress(hash.slice(1)));
    } else if (kind === 'contacts') {
      await fetchContacts(name());
    } else {
      await fetchMotion(name());
    }
  } catch (problem) {
    const said = problem instanceof Error ? problem.message : String(problem);
    tell(`The ${kind === 'motion' ? 'motion cannot be shown' : kind === 'scene' ? 'scene cannot be simulated' : 'contacts cannot be shown'}: ${said}${instead}`);
  }
}

window.addEventListener('hashchange', followAddress);
setExplorer(explorer);
if (isStayAddress(location.hash)) {
  followTheme(document.querySelector<HTMLElement>('#theme')!, () => {});
  await openStay(location.hash);
} else {
  try {
    knowExplorer(await explorer());
  } catch (problem) {
    tell(`The laws could not be loaded: ${problem instanceof Error ? problem.message : String(problem)}`);
    throw problem;
  }
}
