/** Five steps through the page, offered on a first visit. */

import { element } from './controls/element';

interface Step {
  target: string;
  text: string;
}

const steps: Step[] = [
  { target: '#scenes', text: 'Start from a collision of the literature, or open a file of your own. Below it are the numbers: type them, drag them sideways or use the sliders.' },
  { target: '#space', text: 'Impulse space: every outcome of the impact is a point. The shaded region gains no energy, separates the bodies and keeps to Coulomb friction. Drag to turn it; drag the rim of the cone to change μ.' },
  { target: '#scrubber', text: 'The impact as a process: play it, or go from event to event. The point moves in all pictures at once.' },
  { target: '#outcomes', text: 'Every law on this collision, with a certificate of what its answer meets. Click a row to make its law the focus; hover over a letter for its definition.' },
  { target: '.past', text: 'Take back what you did, or pin this collision and compare it with the next. "Share and export" gives a link, figures, TOML, Python and C++.' },
];
const key = 'ricochet-tour';

const seen = () => {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return true; // without storage it would be offered for ever
  }
};
const remember = () => {
  try {
    localStorage.setItem(key, 'seen');
  } catch {
    // It is offered again.
  }
};

export class Tour {
  private readonly card = element('div', { id: 'tour', role: 'dialog', 'aria-label': 'tour of the page', hidden: true });
  private at = -1;
  private marked: Element | null = null;

  constructor(offer: HTMLElement, button: HTMLElement) {
    document.body.append(this.card);
    button.addEventListener('click', () => this.go(0));
    this.card.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.end();
    });
    if (seen()) return;
    const start = element('button', { type: 'button' }, 'Take the tour');
    const not = element('button', { type: 'button', class: 'quiet' }, 'No, thanks');
    offer.append(element('p', {}, 'New here? Five steps show what the page can do.'), start, not);
    offer.hidden = false;
    const answered = () => {
      offer.hidden = true;
      remember();
    };
    start.addEventListener('click', () => {
      answered();
      this.go(0);
    });
    not.addEventListener('click', answered);
  }

  private go(to: number) {
    this.marked?.classList.remove('toured');
    const step = steps[to];
    if (!step) return this.end();
    remember();
    this.at = to;
    this.marked = document.querySelector(step.target);
    this.marked?.classList.add('toured');
    this.marked?.scrollIntoView({ block: 'nearest' });
    const next = element('button', { type: 'button', class: 'next' }, to + 1 < steps.length ? 'Next' : 'Done');
    next.addEventListener('click', () => this.go(this.at + 1));
    const back = element('button', { type: 'button', class: 'quiet', disabled: to === 0 }, 'Back');
    back.addEventListener('click', () => this.go(this.at - 1));
    const close = element('button', { type: 'button', class: 'quiet' }, 'Close');
    close.addEventListener('click', () => this.end());
    this.card.replaceChildren(
      element('p', {}, element('b', {}, `${to + 1} of ${steps.length}. `), step.text),
      element('div', { class: 'line' }, close, back, next),
    );
    this.card.hidden = false;
    this.place();
    next.focus();
  }

  /** Beside what it speaks of, without covering it where there is room. */
  private place() {
    const at = this.marked?.getBoundingClientRect();
    if (!at) return;
    const { offsetWidth: width, offsetHeight: height } = this.card;
    const room = (start: number, size: number, most: number) => Math.max(8, Math.min(start, most - size - 8));
    const right = at.right + 12 + width < window.innerWidth;
    const below = at.bottom + 12 + height < window.innerHeight;
    this.card.style.left = `${room(right ? at.right + 12 : at.left, width, window.innerWidth)}px`;
    this.card.style.top = `${room(right ? at.top : below ? at.bottom + 12 : at.top - height - 12, height, window.innerHeight)}px`;
  }

  private end() {
    this.marked?.classList.remove('toured');
    this.card.hidden = true;
  }
}
