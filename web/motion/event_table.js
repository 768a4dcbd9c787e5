/** The list of events. Only the rows that are seen exist, so that a hundred thousand of them cost nothing. */

import { norm } from './linear.js';
import { make, numberText } from './look.js';

/** @typedef {import('./document.js').Motion} Motion */

const rowHeight = 24;
const fingerHeight = 40; // as in viewer.css, where the page is narrow
const more = 8; // rows above and below what is seen
const mostHeight = 1.5e7; // browsers draw no taller element

export class EventTable {
  /**
   * @param {Motion} motion @param {(event: number) => void} jump
   * @param {(event: number) => void} [open] shows the contact of an impact by itself
   */
  constructor(motion, jump, open) {
    this.motion = motion;
    this.jump = jump;
    this.open = open;
    this.current = -1;
    const kinds = [...new Set(motion.events.map(({ kind }) => kind))].sort();
    this.choice = make(
      'select',
      { 'aria-label': 'kind of events' },
      make('option', { value: '' }, 'all kinds'),
      ...kinds.map((kind) => make('option', { value: kind }, kind)),
    );
    this.choice.addEventListener('change', () => this.filter());
    this.count = make('span', { class: 'motion-count' });
    this.body = make('div', { class: 'motion-rows', role: 'rowgroup' });
    const heads = ['#', 'time [s]', 'kind', 'bodies', '|P| [N s]', 'ΔE [J]'].map((text) =>
      make('span', { role: 'columnheader' }, text),
    );
    this.scroller = make(
      'div',
      {
        class: open ? 'motion-table opens' : 'motion-table',
        role: 'table',
        tabindex: '0',
        'aria-label': 'events; arrow keys go from one to the next',
      },
      make('div', { class: 'motion-row motion-heads', role: 'row' }, ...heads),
      this.body,
    );
    this.root = make(
      'section',
      { class: 'motion-events' },
      make('header', {}, make('h2', {}, 'Events'), this.count, this.choice),
      this.scroller,
    );
    /** Indices of the events that are listed. @type {number[]} */
    this.shown = [];
    this.scroller.addEventListener('scroll', () => this.draw());
    this.scroller.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.stack()).observe(this.scroller);
    this.filter();
  }

  get rowHeight() {
    return window.matchMedia('(max-width: 900px)').matches ? fingerHeight : rowHeight;
  }

  /** Rows closer together where there are more than a browser can stack. */
  get step() {
    return Math.min(this.rowHeight, mostHeight / Math.max(1, this.shown.length));
  }

  filter() {
    const kind = this.choice.value;
    this.shown = this.motion.events.map((_, i) => i).filter((i) => kind === '' || this.motion.events[i].kind === kind);
    this.scroller.setAttribute('aria-rowcount', String(this.shown.length));
    this.count.textContent = `${this.shown.length}`;
    this.stack();
  }

  stack() {
    this.body.style.height = `${this.step * this.shown.length}px`;
    this.draw();
  }

  draw() {
    const { scrollTop, clientHeight } = this.scroller;
    if (clientHeight === 0) return;
    const first = Math.max(0, Math.floor(scrollTop / this.step) - more);
    const last = Math.min(this.shown.length, Math.ceil(scrollTop / this.step + clientHeight / this.rowHeight) + more);
    const rows = [];
    for (let k = first; k < last; ++k) rows.push(this.row(k));
    this.body.replaceChildren(...rows);
  }

  /** @param {number} k its place in the list */
  row(k) {
    const i = this.shown[k];
    const event = this.motion.events[i];
    const { bodies } = this.motion;
    const size = norm(event.P);
    const { times } = this.motion;
    const decimals = Math.max(2, 6 - Math.max(0, Math.floor(Math.log10(times[times.length - 1] || 1))));
    const cells = [
      String(i + 1),
      event.time.toFixed(decimals),
      event.kind,
      `${bodies[event.body_a].name} – ${bodies[event.body_b].name}`,
      size > 0 ? numberText(size) : '',
      event.energy_change !== 0 ? numberText(event.energy_change, 3) : '',
    ];
    const row = make(
      'div',
      { class: `motion-row motion-kind-${event.kind}`, role: 'row', 'data-event': String(i) },
      ...cells.map((text, k) => make('span', { role: 'cell', title: k === 1 ? `${event.time} s` : text }, text)),
    );
    row.setAttribute('aria-rowindex', String(k + 1));
    if (i === this.current) row.setAttribute('aria-current', 'true');
    row.style.transform = `translateY(${k * this.step}px)`;
    row.addEventListener('click', () => this.jump(i));
    const { open } = this;
    if (open && event.kind === 'impact') {
      const title = `open this impact in impulse space (O)`;
      const button = make('button', { type: 'button', class: 'motion-open', title, 'aria-label': title }, '⤢');
      button.addEventListener('click', (click) => {
        click.stopPropagation();
        this.jump(i);
        open(i);
      });
      row.append(button);
    }
    return row;
  }

  /**
   * The last event that has happened is marked and, unless the reader is at the list, seen.
   * @param {number} event @param {boolean} [always]
   */
  mark(event, always = false) {
    if (event === this.current && !always) return;
    this.current = event;
    const k = this.shown.indexOf(event);
    if (k >= 0 && (always || !this.scroller.matches(':hover'))) {
      const { scrollTop, clientHeight } = this.scroller;
      const at = k * this.step;
      if (at < scrollTop || at + 2 * this.rowHeight > scrollTop + clientHeight)
        this.scroller.scrollTop = at - clientHeight / 2;
    }
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const chosen = this.motion.events[this.current];
    if (event.key.toLowerCase() === 'o' && this.open && chosen?.kind === 'impact') {
      event.preventDefault();
      return this.open(this.current);
    }
    const way = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    if (way === undefined || this.shown.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.shown.indexOf(this.current);
    this.jump(this.shown[Math.min(this.shown.length - 1, Math.max(0, at + way))]);
  }
}
