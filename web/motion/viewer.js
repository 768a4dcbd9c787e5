/** The motion viewer: picture, plots, list of events and the controls of time, for one motion document. */

import { Camera } from './camera.js';
import { readMotion } from './document.js';
import { EventTable } from './event_table.js';
import { bodyColour, darkNow, energyColours, make } from './look.js';
import { TimePlot } from './plot.js';
import { energySeries, fineTimes, quantities } from './series.js';
import { Stage } from './stage.js';
import { Trajectory } from './trajectory.js';
import { symbolOf, transportButton } from './transport.js';
import { WorldView } from './world_view.js';

/** @typedef {import('./document.js').Motion} Motion */

const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const holdFor = 0.45; // s of the reader's time for which an event is seen
const slow = 45; // ms for a picture; then it is drawn coarser while it moves
const restAfter = 200; // ms without change, after which it is drawn finely
const mostCurves = 8;
const tableEvery = 100; // ms

export class MotionViewer {
  /** @param {HTMLElement} host @param {Motion} motion @param {(event: number) => void} [open] */
  constructor(host, motion, open) {
    this.motion = motion;
    this.trajectory = new Trajectory(motion);
    this.time = this.trajectory.start;
    this.playing = false;
    this.speed = 1;
    this.loop = false;
    this.lastTick = 0;
    this.asked = false;
    this.coarse = 1;
    this.late = 0;
    this.tableAt = 0;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.fineLater = null;

    this.canvas = make('canvas', { class: 'motion-picture' });
    this.over = make('canvas', {
      class: 'motion-letters',
      tabindex: '0',
      'aria-label': 'the motion in three dimensions; drag to turn, Shift and drag to move, wheel to zoom',
    });
    this.camera = new Camera(this.over, () => this.restless());
    this.stage = new Stage(this.canvas);
    this.view = new WorldView(this.stage, this.trajectory, this.camera);
    this.span = { from: this.trajectory.start, to: Math.max(this.trajectory.end, this.trajectory.start + 1e-9) };

    const actions = {
      seek: (/** @type {number} */ time) => this.seek(time),
      zoom: (/** @type {number} */ about, /** @type {number} */ factor) => this.zoomTime(about, factor),
      reset: () => this.resetTime(),
    };
    this.energy = new TimePlot('energy [J]', 'J', actions);
    this.gap = new TimePlot('gap [m]', 'm', actions);
    this.quantities = quantities(this.trajectory, this.view.up);
    this.moving = motion.bodies.map((_, i) => i).filter((i) => motion.bodies[i].mover >= 0 && !motion.bodies[i].fixed);
    this.quantity = make(
      'select',
      { 'aria-label': 'quantity of the lower plot' },
      ...this.quantities.map(({ name }, i) => make('option', { value: String(i) }, name)),
    );
    const several = this.moving.length > mostCurves ? `the first ${mostCurves} bodies` : 'all bodies';
    this.whose = make(
      'select',
      { 'aria-label': 'bodies of the lower plot' },
      make('option', { value: '' }, several),
      ...this.moving.map((i) => make('option', { value: String(i) }, motion.bodies[i].name)),
    );
    for (const select of [this.quantity, this.whose]) select.addEventListener('change', () => this.setCurves());
    this.gap.extra.append(this.quantity, ...(this.moving.length > 1 ? [this.whose] : []));
    /** Curves over all of the motion, by quantity and body. @type {Map<string, import('./series.js').Series>} */
    this.whole = new Map();
    this.table = new EventTable(motion, (event) => this.jump(event), open);

    this.root = this.layout();
    host.replaceChildren(this.root);
    this.energy.root.hidden = motion.energy === null;
    for (const plot of [this.energy, this.gap]) plot.marks = motion.events.map(({ time }) => time);
    this.root.addEventListener('keydown', (event) => this.key(event));
    this.resized = new ResizeObserver(() => this.redraw());
    this.resized.observe(this.root);
    for (const one of [this.over, this.gap.base]) this.resized.observe(one);
    this.themed = new MutationObserver(() => this.retheme());
    this.themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.system = window.matchMedia('(prefers-color-scheme: dark)');
    this.onSystem = () => this.retheme();
    this.system.addEventListener('change', this.onSystem);
    this.retheme();
    this.table.mark(this.happened());
  }

  // ---- layout --------------------------------------------------------------------------------------------------------

  layout() {
    const { motion } = this;
    this.playButton = transportButton('play', 'play', 'Space', () => this.toggle());
    this.playButton.classList.add('motion-play');
    this.slider = make('input', {
      type: 'range',
      min: '0',
      max: '1',
      step: 'any',
      'aria-label': 'time',
      class: 'motion-slider',
    });
    this.slider.addEventListener('input', () =>
      this.seek(this.trajectory.start + Number(this.slider?.value) * (this.trajectory.end - this.trajectory.start)),
    );
    this.clock = make('output', { class: 'motion-clock', 'aria-label': 'time in seconds' });
    const speed = make(
      'select',
      { 'aria-label': 'speed', class: 'motion-speed' },
      ...speeds.map((s) => make('option', { value: String(s) }, `${s}×`)),
    );
    speed.value = '1';
    speed.addEventListener('change', () => {
      this.speed = Number(speed.value);
      this.request();
    });
    this.speedChoice = speed;
    const repeat = make('input', { type: 'checkbox' });
    repeat.addEventListener('change', () => (this.loop = repeat.checked));
    const bar = make(
      'div',
      { class: 'motion-bar' },
      transportButton('start', 'to the start', 'Home', () => this.seek(this.trajectory.start)),
      transportButton('back', 'previous event', 'Shift ←', () => this.toEvent(-1)),
      this.playButton,
      transportButton('on', 'next event', 'Shift →', () => this.toEvent(1)),
      this.slider,
      this.clock,
      make('label', {}, 'speed ', speed),
      make('label', {}, repeat, ' repeat'),
    );
    this.paths = make('input', { type: 'checkbox', class: 'motion-paths' });
    this.paths.checked = this.moving.length <= 12;
    this.paths.addEventListener('change', () => this.request());
    this.names = make('input', { type: 'checkbox', class: 'motion-names' });
    this.names.addEventListener('change', () => this.request());
    this.follow = make(
      'select',
      { 'aria-label': 'body that the camera follows' },
      make('option', { value: '-1' }, 'still camera'),
      ...this.moving.map((i) => make('option', { value: String(i) }, `follow ${motion.bodies[i].name}`)),
    );
    this.follow.addEventListener('change', () => {
      if (this.follow?.value === '-1') this.camera.target = [...this.camera.home];
      this.request();
    });
    const home = make('button', { type: 'button', title: 'the first view again (R, or double click)' }, 'Reset view');
    home.addEventListener('click', () => {
      if (this.follow) this.follow.value = '-1';
      this.camera.reset();
    });
    const tools = make(
      'div',
      { class: 'motion-tools' },
      make('label', {}, this.paths, ' paths'),
      make('label', {}, this.names, ' names'),
      this.follow,
      home,
    );
    const stage = make('div', { class: 'motion-stage' }, this.canvas, this.over, tools);
    const side = make('div', { class: 'motion-side' }, this.energy.root, this.gap.root, this.table.root);
    return make('div', { class: 'motion-viewer', tabindex: '-1' }, stage, side, bar);
  }

  // ---- time ----------------------------------------------------------------------------------------------------------

  /** @param {number} time [s], brought into the motion */
  seek(time) {
    this.time = Math.min(this.trajectory.end, Math.max(this.trajectory.start, time));
    this.table.mark(this.happened());
    this.restless();
  }

  /** Something moves: drawn at once, and once more when it has come to rest. */
  restless() {
    if (this.fineLater !== null) clearTimeout(this.fineLater);
    this.fineLater = setTimeout(() => {
      this.fineLater = null;
      this.request();
    }, restAfter);
    this.request();
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.trajectory.end) this.time = this.trajectory.start;
    this.lastTick = performance.now();
    this.showPlaying();
    this.request();
  }

  showPlaying() {
    this.playButton?.replaceChildren(symbolOf(this.playing ? 'pause' : 'play'));
    this.playButton?.setAttribute('aria-label', this.playing ? 'pause' : 'play');
  }

  /** The last event that is not after the cursor, −1 before the first. */
  happened() {
    const { events } = this.motion;
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle].time <= this.time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** @param {number} event its index */
  jump(event) {
    this.playing = false;
    this.showPlaying();
    this.time = this.motion.events[event].time;
    if (this.time < this.span.from || this.time > this.span.to) this.resetTime();
    this.table.mark(event, true);
    this.request();
  }

  /** To the next instant with events, or the one before. @param {1 | -1} way */
  toEvent(way) {
    const { events } = this.motion;
    let k = this.happened();
    if (way > 0) ++k;
    else while (k >= 0 && events[k].time >= this.time) --k;
    if (k >= 0 && k < events.length) this.jump(k);
    else this.seek(way > 0 ? this.trajectory.end : this.trajectory.start);
  }

  /** @param {number} about @param {number} factor */
  zoomTime(about, factor) {
    const { start, end } = this.trajectory;
    const length = Math.min(end - start, Math.max(1e-9 * (end - start), (this.span.to - this.span.from) * factor));
    const share = (about - this.span.from) / (this.span.to - this.span.from);
    const from = Math.min(end - length, Math.max(start, about - share * length));
    this.span = { from, to: from + length };
    this.setCurves();
  }

  resetTime() {
    this.span = { from: this.trajectory.start, to: Math.max(this.trajectory.end, this.trajectory.start + 1e-9) };
    this.setCurves();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const field =
      event.target instanceof HTMLSelectElement ||
      (event.target instanceof HTMLInputElement && event.target.type !== 'range');
    if (event.ctrlKey || event.metaKey || event.altKey || (field && event.key !== 'Escape')) return;
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) return; // presses that button
    const frame = this.speed / 60;
    /** @type {Record<string, () => void>} */
    const keys = {
      ' ': () => this.toggle(),
      ArrowLeft: () => (event.shiftKey ? this.toEvent(-1) : this.seek(this.time - frame)),
      ArrowRight: () => (event.shiftKey ? this.toEvent(1) : this.seek(this.time + frame)),
      ArrowUp: () => this.changeSpeed(1),
      ArrowDown: () => this.changeSpeed(-1),
      Home: () => this.seek(this.trajectory.start),
      End: () => this.seek(this.trajectory.end),
      '+': () => this.camera.zoom(0.85),
      '-': () => this.camera.zoom(1 / 0.85),
      r: () => this.camera.reset(),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {1 | -1} way */
  changeSpeed(way) {
    const at = speeds.indexOf(this.speed) + way;
    if (at < 0 || at >= speeds.length) return;
    this.speed = speeds[at];
    if (this.speedChoice) this.speedChoice.value = String(this.speed);
    this.request();
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------

  retheme() {
    const dark = darkNow();
    this.whole.clear();
    const energies = energySeries(this.trajectory, energyColours(dark));
    // Without friction there is nothing to see of it.
    this.energy.setSeries(
      energies.filter(({ name, values }) => name !== 'lost to friction' || Array.from(values).some((x) => x !== 0)),
    );
    this.setCurves();
  }

  /** The curves of the lower plot. Few samples in view are followed anew, many once and for all. */
  setCurves() {
    const choice = Number(this.quantity.value);
    const { name, unit, of } = this.quantities[choice];
    const bodies = this.whose.value === '' ? this.moving.slice(0, mostCurves) : [Number(this.whose.value)];
    const { from, to } = this.span;
    const inView = this.trajectory.before(to) - this.trajectory.before(from);
    const { start, end } = this.trajectory;
    const fresh = inView < 2000 && to - from < end - start;
    /** @type {Float64Array | null} */
    let list = null;
    this.gap.label = `${name} [${unit}]`;
    const dark = darkNow();
    this.gap.setSeries(
      bodies.map((body) => {
        const key = `${choice} ${body}`;
        const known = fresh ? undefined : this.whole.get(key);
        if (known) return known;
        list ??= fineTimes(this.trajectory, fresh ? from : start, fresh ? to : Math.max(end, start + 1e-9));
        const values = Float64Array.from(list, (t) => of(body, t));
        const made = {
          name: this.motion.bodies[body].name,
          colour: bodyColour(this.motion.bodies[body].mover, dark),
          times: list,
          values,
        };
        if (!fresh) this.whole.set(key, made);
        return made;
      }),
    );
    this.redraw();
  }

  /** Plots too. */
  redraw() {
    for (const plot of [this.energy, this.gap]) {
      plot.span = this.span;
      plot.draw();
    }
    this.request();
  }

  request() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  /** @param {number} now */
  tick(now) {
    this.asked = false;
    if (!this.root.isConnected) return this.dispose();
    if (this.playing) {
      const passed = Math.min(200, Math.max(0, now - this.lastTick)); // a page that was hidden does not catch up
      // Where a picture takes long, fewer pixels while it moves.
      this.late = 0.8 * this.late + 0.2 * passed;
      if (this.late > slow && this.coarse > 0.5) this.coarse = Math.max(0.5, 0.8 * this.coarse);
      this.lastTick = now;
      this.time += (this.speed * passed) / 1000;
      if (this.time >= this.trajectory.end) {
        this.time = this.loop ? this.trajectory.start : this.trajectory.end;
        this.playing = this.loop;
        this.showPlaying();
        if (!this.playing) this.restless();
      }
      if (now - this.tableAt > tableEvery || !this.playing) {
        this.tableAt = now;
        this.table.mark(this.happened());
      }
    }
    this.draw();
    if (this.playing) this.request();
  }

  draw() {
    const [width, height] = [this.over.clientWidth, this.over.clientHeight];
    if (width > 0 && height > 0) {
      const still = !this.playing && this.fineLater === null;
      const ratio = (window.devicePixelRatio || 1) * (still ? (this.stage.smooth ? 1 : 1.5) : this.coarse);
      const options = {
        paths: this.paths?.checked ?? false,
        hold: holdFor * this.speed,
        follow: Number(this.follow?.value ?? -1),
      };
      this.view.letters(
        this.over,
        this.time,
        this.names?.checked ?? false,
        this.view.draw(this.time, options, width, height, ratio),
      );
    }
    for (const plot of [this.energy, this.gap]) plot.drawCursor(this.time);
    const { start, end } = this.trajectory;
    if (this.slider) this.slider.value = String(end > start ? (this.time - start) / (end - start) : 0);
    if (this.clock) this.clock.textContent = `${this.time.toFixed(4)} / ${end.toFixed(3)} s`;
  }

  dispose() {
    this.playing = false;
    if (this.fineLater !== null) clearTimeout(this.fineLater);
    this.resized.disconnect();
    this.themed.disconnect();
    this.system.removeEventListener('change', this.onSystem);
    this.stage.dispose();
  }

  // ---- for scripts ---------------------------------------------------------------------------------------------------

  /** @param {number} body */
  position(body) {
    return this.trajectory.pose(body, this.time).position;
  }
}

/**
 * Shows the document in the host. Throws a MotionError that names what is wrong with it.
 * @param {HTMLElement} host @param {string} text @param {(event: number) => void} [open] an impact elsewhere
 */
export function showMotion(host, text, open) {
  return new MotionViewer(host, readMotion(text), open);
}
