/**
 * The scrubber: an impact by the law of the focus, from the first touch to separation. Buttons and keys are those of the
 * motion viewer. For an impact of a motion the slider begins and ends with the flight before and after it, and is the time
 * cursor of the motion too: there time goes on, during the impact it stands still.
 */

import { symbolOf, transportButton } from '../motion/transport.js';
import { element, setText } from './controls/element';
import { mathematicsNodes } from './views/mathematics';
import { Course } from './course';
import { plainDefinition } from './explain';
import { seldom } from './frame';
import { shortNumber } from './views/numbers';
import type { Cursor, Frame } from './views/view';

const playFor = 4000; // ms for the whole impact
const step = 0.01; // of it, for a key
const marksEvery = 150; // ms, while the collision changes and nobody scrubs

/** The motion on both sides of an impact. */
export interface Flight {
  /** Times [s] of the event before, of the impact and of the event after. */
  from: number;
  at: number;
  to: number;
  seek(time: number): void;
}

/** Of the slider, on each side. */
const flightShare = 0.25;

export class Scrubber {
  private flight: Flight | null = null;
  private readonly slider: HTMLInputElement;
  private readonly play: HTMLButtonElement;
  private readonly marks = element('div', { class: 'scrub-marks' });
  private readonly reading = element('output', { class: 'scrub-reading', 'aria-live': 'off' });
  private readonly law = element('span', { class: 'scrub-law' });
  private readonly showMarks: (frame: Frame) => void;
  private course: Course | null = null;
  private frame: Frame | null = null;
  /** Of the slider. */
  private share = 1;
  /** Nobody has touched it: pictures show the whole impact. */
  private idle = true;
  private playing = false;
  private last = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly follow: (cursor: Cursor | null) => void,
  ) {
    this.slider = element('input', { type: 'range', min: 0, max: 1, step: 'any', value: 1, 'aria-label': 'course of the impact' });
    this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
    this.play = transportButton('play', 'play the impact', 'Space', () => this.toggle());
    const whole = element('button', { type: 'button', class: 'quiet', title: 'show the whole impact again (Escape)' }, 'whole');
    whole.addEventListener('click', () => this.leave());
    host.replaceChildren(
      this.law,
      transportButton('start', 'to the start', 'Home', () => this.seek(0)),
      transportButton('back', 'previous event', 'Shift ←', () => this.toEvent(-1)),
      this.play,
      transportButton('on', 'next event', 'Shift →', () => this.toEvent(1)),
      element('div', { class: 'scrub-track' }, this.slider, this.marks),
      this.reading,
      whole,
    );
    host.addEventListener('keydown', (event) => this.key(event));
    // Where nothing has the focus, Space plays and does not scroll.
    document.addEventListener('keydown', (event) => {
      if (event.key === ' ' && event.target === document.body && host.offsetParent !== null) this.key(event);
    });
    this.showMarks = seldom(marksEvery, (frame) => this.ask(frame), () => {});
    this.show();
  }

  update(frame: Frame) {
    this.frame = frame;
    if (this.idle) this.showMarks(frame);
    else {
      this.ask(frame);
      this.move();
    }
  }

  /** Follows a motion too, or no longer. */
  fly(flight: Flight | null) {
    this.flight = flight;
    this.host.classList.toggle('flying', flight !== null);
    this.leave();
    this.drawMarks();
  }

  /** The share of the impact, for a share of the slider, and the other way round. */
  private inImpact(share: number): number {
    return this.flight ? Math.min(1, Math.max(0, (share - flightShare) / (1 - 2 * flightShare))) : share;
  }
  private onSlider(share: number): number {
    return this.flight ? flightShare + share * (1 - 2 * flightShare) : share;
  }
  /** Of the motion [s]. */
  private time({ from, at, to }: Flight): number {
    const [before, after] = [this.share / flightShare, (1 - this.share) / flightShare];
    return before < 1 ? from + before * (at - from) : after < 1 ? to + after * (at - to) : at;
  }

  /** Stops following: pictures show the whole impact. */
  leave() {
    this.idle = true;
    this.playing = false;
    this.share = this.onSlider(1);
    this.follow(null);
    this.flight?.seek(this.flight.at);
    this.show();
  }

  seek(share: number) {
    this.idle = false;
    this.share = Math.min(1, Math.max(0, share));
    this.move();
  }

  private ask(frame: Frame) {
    const found = frame.engine.course(frame.text, frame.focus);
    this.course = 'error' in found ? null : new Course(found);
    setText(this.law, frame.focus);
    this.reading.dataset['law'] = frame.focus;
    this.host.classList.toggle('silent', this.course === null);
    for (const part of this.host.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input')) part.disabled = this.course === null;
    this.drawMarks();
    this.show();
  }

  private drawMarks() {
    const marks = this.course?.marks ?? [];
    const wide = this.marks.clientWidth || 500;
    while (this.marks.children.length > marks.length) this.marks.lastElementChild!.remove();
    marks.forEach((mark, i) => {
      let button = this.marks.children[i] as HTMLButtonElement | undefined;
      if (!button) {
        button = element('button', { type: 'button' }, element('span'));
        const at = i;
        button.addEventListener('click', () => {
          const chosen = this.course?.marks[at];
          if (chosen) this.seek(this.onSlider(chosen.share));
        });
        this.marks.append(button);
      }
      setText(button.firstElementChild!, mark.name);
      button.title = mark.name;
      // Start and end say what they are.
      if (plainDefinition(mark.name) === '') delete button.dataset['term'];
      else button.dataset['term'] = mark.name;
      button.style.setProperty('--at', String(this.onSlider(mark.share)));
      // A name that would lie on the one before is left to the tooltip. The last one stands before its mark.
      const before = marks.slice(0, i).filter((_, k) => !this.marks.children[k]!.classList.contains('nameless')).at(-1);
      const letters = (before?.name.length ?? 0) + (i + 1 === marks.length ? mark.name.length + 1 : 0);
      button.classList.toggle('nameless', before !== undefined && (this.onSlider(mark.share) - this.onSlider(before.share)) * wide < 6 * letters + 16);
    });
  }

  private move() {
    if (this.flight) this.flight.seek(this.time(this.flight));
    if (!this.course) return this.follow(null);
    this.follow(this.course.cursor(this.inImpact(this.share)));
    this.show();
  }

  private show() {
    if (this.slider.value !== String(this.share)) this.slider.value = String(this.share);
    this.play.replaceChildren(symbolOf(this.playing ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', this.playing ? 'pause' : 'play the impact');
    this.host.classList.toggle('idle', this.idle);
    const text = this.course && this.frame ? this.describe(this.course.cursor(this.inImpact(this.share))) : `${this.frame?.focus ?? ''} has no answer`;
    if (this.reading.dataset.text !== text) this.reading.replaceChildren(...mathematicsNodes(text));
    this.reading.dataset.text = text;
    this.slider.setAttribute('aria-valuetext', text.replaceAll('$', ''));
  }

  /** Compression or restitution, slip or stick, and how far. */
  private describe({ P, V, at, over, unit, share }: Cursor): string {
    const { n } = this.frame!.axes;
    const V_n = V[0] * n[0] + V[1] * n[1] + V[2] * n[2];
    const P_n = P[0] * n[0] + P[1] * n[1] + P[2] * n[2];
    const slip = Math.hypot(V[0] - V_n * n[0], V[1] - V_n * n[1], V[2] - V_n * n[2]);
    const size = Math.hypot(...this.frame!.outcome.contact.V);
    const phase = share === 0 ? 'first touch' : share === 1 ? 'end' : V_n < -1e-9 * size ? 'compression' : 'restitution';
    const fast = slip > 1e-6 * size;
    // On a spring the point of the bodies moves also while the sledge sticks.
    const sliding = over === 'time' ? `sledge ${this.slides(share) ? 'slips' : 'sticks'}, $v_t$ ${shortNumber(fast ? slip : 0)} m/s` : fast ? `slips at ${shortNumber(slip)} m/s` : 'sticks';
    const how = over === 'time' ? `$t$ ${shortNumber(at)}${unit === '' ? '' : ` ${unit}`}` : `$P_n$ ${shortNumber(P_n)} N s`;
    if (!this.flight) return `${phase}, ${sliding}, ${how}`;
    const time = `$t$ ${this.time(this.flight).toFixed(4)} s`;
    return share === 0 && this.share < flightShare ? `${time}, before the impact` : share === 1 && this.share > 1 - flightShare ? `${time}, after it` : `${time}, ${phase}, ${sliding}, ${how}`;
  }

  /** Whether the sledge of a compliant contact slides there: by the last event before, or else against the first one after. */
  private slides(share: number): boolean {
    const changes = this.course!.marks.filter(({ name }) => name === 'sticks' || name === 'slips');
    const last = changes.filter((mark) => mark.share <= share + 1e-12).at(-1);
    if (last) return last.name === 'slips';
    if (changes[0]) return changes[0].name === 'sticks';
    return this.frame!.outcome.answers.find(({ law }) => law === this.course!.document.law)?.mode !== 'stick';
  }

  private toggle() {
    this.playing = !this.playing;
    if (this.playing && (this.share >= 1 || this.idle)) this.share = 0;
    this.idle = false;
    this.last = performance.now();
    this.move();
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number) {
    if (!this.playing) return;
    this.share = Math.min(1, this.share + Math.max(0, now - this.last) / (this.flight ? 2 * playFor : playFor));
    this.last = now;
    if (this.share >= 1) this.playing = false;
    this.move();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }

  private toEvent(way: 1 | -1) {
    this.playing = false;
    const shares = (this.course?.marks ?? []).map(({ share }) => this.onSlider(share));
    const from = this.idle && way > 0 ? -1 : this.share;
    const next = way > 0 ? shares.find((share) => share > from + 1e-9) : shares.filter((share) => share < from - 1e-9).at(-1);
    this.seek(next ?? (way > 0 ? 1 : 0));
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) return; // presses that button
    const keys: Record<string, () => void> = {
      ' ': () => this.toggle(),
      ArrowLeft: () => (event.shiftKey ? this.toEvent(-1) : this.seek(this.share - step)),
      ArrowRight: () => (event.shiftKey ? this.toEvent(1) : this.seek(this.share + step)),
      Home: () => this.seek(0),
      End: () => this.seek(1),
      Escape: () => this.leave(),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
