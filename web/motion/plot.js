/**
 * Curves over time with a cursor. Curves and cursor are two canvases: while time runs only the cursor is drawn again.
 */

import { make, numberText, penOf, roundNumbers, typeface } from './look.js';

/** @typedef {import('./series.js').Series} Series */
/** The part of time that all plots show. @typedef {{from: number, to: number}} Span */

const margin = { left: 70, right: 12, top: 8, bottom: 34 };

/** The last place whose time is not after t, at least 0. @param {ArrayLike<number>} list @param {number} t */
function placeOf(list, t) {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Linear between points. @param {Series} series @param {number} t */
function valueAt({ times, values }, t) {
  const k = placeOf(times, t);
  if (k + 1 >= times.length || !(times[k + 1] > times[k])) return values[k];
  const s = (t - times[k]) / (times[k + 1] - times[k]);
  return values[k] + Math.min(1, Math.max(0, s)) * (values[k + 1] - values[k]);
}

export class TimePlot {
  /**
   * @param {string} label of the vertical axis, with its unit
   * @param {string} unit
   * @param {{seek(time: number): void, zoom(about: number, factor: number): void, reset(): void}} actions
   */
  constructor(label, unit, actions) {
    this.label = label;
    this.unit = unit;
    this.base = make('canvas', { class: 'motion-curves' });
    this.over = make('canvas', { class: 'motion-cursor', tabindex: '-1' });
    this.legend = make('div', { class: 'motion-legend' });
    this.extra = make('span', { class: 'motion-extra' });
    this.root = make(
      'section',
      { class: 'motion-plot' },
      make('header', {}, this.legend, this.extra),
      make('div', { class: 'motion-canvases' }, this.base, this.over),
    );
    /** @type {Series[]} */
    this.series = [];
    /** @type {Set<string>} */
    this.hidden = new Set();
    /** @type {HTMLElement[]} */
    this.readings = [];
    /** @type {Span} */
    this.span = { from: 0, to: 1 };
    this.range = { low: 0, high: 1 };
    this.frame = { x: 0, y: 0, width: 0, height: 0 };
    /** @type {number[]} */
    this.marks = [];
    this.listen(actions);
  }

  /** @param {Series[]} series */
  setSeries(series) {
    this.series = series;
    const buttons = series.map(({ name, colour }) => {
      const reading = make('b', {});
      const swatch = make('i', { class: 'motion-swatch' });
      swatch.style.background = colour;
      const button = make(
        'button',
        { type: 'button', 'aria-pressed': String(!this.hidden.has(name)), title: 'show or hide this curve' },
        swatch,
        name,
        reading,
      );
      button.addEventListener('click', () => {
        if (!this.hidden.delete(name)) this.hidden.add(name);
        button.setAttribute('aria-pressed', String(!this.hidden.has(name)));
        this.draw();
      });
      return { button, reading };
    });
    this.legend.replaceChildren(...buttons.map(({ button }) => button));
    this.readings = buttons.map(({ reading }) => reading);
  }

  get visible() {
    return this.series.filter(({ name }) => !this.hidden.has(name));
  }

  /** Where the curves are, in CSS pixels: asked of the page once for each drawing, because that costs time. */
  measure() {
    const { clientWidth, clientHeight } = this.base;
    this.frame = {
      x: margin.left,
      y: margin.top,
      width: clientWidth - margin.left - margin.right,
      height: clientHeight - margin.top - margin.bottom,
    };
  }

  /** @param {number} t */
  across(t) {
    const { x, width } = this.frame;
    return x + (width * (t - this.span.from)) / (this.span.to - this.span.from);
  }

  draw() {
    const { pen, height } = penOf(this.base);
    this.measure();
    const { x, y, width: w, height: h } = this.frame;
    if (!(w > 10) || !(h > 10)) return;
    const style = getComputedStyle(this.base);
    const [ink, muted, faint] = ['--ink', '--muted', '--faint'].map((name) => style.getPropertyValue(name).trim());
    this.fit();
    const { low, high } = this.range;
    const up = (/** @type {number} */ v) => y + h - (h * (v - low)) / (high - low);
    pen.font = `11px ${typeface}`;
    pen.lineWidth = 1;

    const vertical = roundNumbers(low, high, Math.max(2, h / 34));
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    for (const v of vertical.list) {
      pen.strokeStyle = faint;
      line(pen, x, up(v), x + w, up(v));
      pen.fillStyle = muted;
      const small = Math.abs(vertical.step) < 1e-4 || Math.abs(high) >= 1e5;
      pen.fillText((small ? v.toExponential(1) : v.toFixed(vertical.decimals)).replaceAll('-', '−'), x - 7, up(v));
    }
    const horizontal = roundNumbers(this.span.from, this.span.to, Math.max(2, w / 80));
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    for (const t of horizontal.list) {
      const at = this.across(t);
      pen.strokeStyle = faint;
      line(pen, at, y, at, y + h + 4);
      pen.fillStyle = muted;
      pen.fillText(t.toFixed(Math.min(12, horizontal.decimals)).replaceAll('-', '−'), at, y + h + 6);
    }
    pen.fillStyle = muted;
    pen.fillText('time [s]', x + w / 2, height - 13);
    pen.save();
    pen.translate(10, y + h / 2);
    pen.rotate(-Math.PI / 2);
    pen.textBaseline = 'middle';
    pen.fillText(this.label, 0, 0, h + 20);
    pen.restore();

    pen.save();
    pen.beginPath();
    pen.rect(x, y, w, h);
    pen.clip();
    this.drawMarks(pen, muted, y + h);
    for (const series of this.visible) this.curve(pen, series, up, Math.ceil(w));
    pen.restore();
    pen.strokeStyle = ink;
    pen.strokeRect(x, y, w, h);
  }

  /**
   * Events as ticks at the lower edge; at most one for each pixel.
   * @param {CanvasRenderingContext2D} pen @param {string} colour @param {number} bottom
   */
  drawMarks(pen, colour, bottom) {
    pen.strokeStyle = colour;
    let last = -1;
    for (let k = placeOf(this.marks, this.span.from); k < this.marks.length && this.marks[k] <= this.span.to; ++k) {
      const at = Math.round(this.across(this.marks[k]));
      if (at === last) continue;
      last = at;
      line(pen, at, bottom - 7, at, bottom);
    }
  }

  /**
   * With more points than pixels, the least and the most of every column.
   * @param {CanvasRenderingContext2D} pen @param {Series} series @param {(v: number) => number} up
   * @param {number} columns
   */
  curve(pen, { times, values, colour }, up, columns) {
    const from = placeOf(times, this.span.from);
    const to = Math.min(times.length - 1, placeOf(times, this.span.to) + 1);
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = 'round';
    pen.beginPath();
    if (to - from < 4 * columns) {
      for (let k = from; k <= to; ++k) pen.lineTo(this.across(times[k]), up(values[k]));
    } else {
      let column = NaN;
      let [least, most, first, last] = [0, 0, 0, 0];
      const flush = () => {
        for (const v of [first, least, most, last]) pen.lineTo(column, up(v));
      };
      for (let k = from; k <= to; ++k) {
        const at = Math.round(this.across(times[k]));
        const v = values[k];
        if (at !== column) {
          if (!Number.isNaN(column)) flush();
          column = at;
          least = most = first = v;
        }
        least = Math.min(least, v);
        most = Math.max(most, v);
        last = v;
      }
      flush();
    }
    pen.stroke();
    pen.lineWidth = 1;
  }

  /** The range of the values that are shown, with a little room. */
  fit() {
    let [low, high] = [Infinity, -Infinity];
    for (const { times, values } of this.visible) {
      const to = Math.min(times.length - 1, placeOf(times, this.span.to) + 1);
      for (let k = placeOf(times, this.span.from); k <= to; ++k) {
        if (values[k] < low) low = values[k];
        if (values[k] > high) high = values[k];
      }
    }
    if (!(high >= low)) [low, high] = [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
    const room = high - low > 1e-9 * size ? 0.06 * (high - low) : 0.1 * size;
    this.range = { low: low - room, high: high + room };
  }

  /** @param {number} time */
  drawCursor(time) {
    const { pen } = penOf(this.over);
    const { x, y, width, height } = this.frame;
    this.series.forEach((series, i) => {
      const text = series.times.length > 0 ? ` ${numberText(valueAt(series, time))} ${this.unit}` : '';
      if (this.readings[i].textContent !== text) this.readings[i].textContent = text;
    });
    const at = this.across(time);
    if (at < x - 0.5 || at > x + width + 0.5) return;
    const accent = getComputedStyle(this.over).getPropertyValue('--accent').trim();
    pen.strokeStyle = accent;
    pen.lineWidth = 1.5;
    line(pen, at, y, at, y + height);
    const { low, high } = this.range;
    for (const series of this.visible) {
      const v = valueAt(series, time);
      if (!(v >= low && v <= high)) continue;
      pen.fillStyle = series.colour;
      pen.beginPath();
      pen.arc(at, y + height - (height * (v - low)) / (high - low), 3.2, 0, 7);
      pen.fill();
    }
  }

  /** @param {{seek(time: number): void, zoom(about: number, factor: number): void, reset(): void}} actions */
  listen(actions) {
    const timeAt = (/** @type {MouseEvent} */ event) => {
      const { x, width } = this.frame;
      const s = (event.clientX - this.over.getBoundingClientRect().left - x) / width;
      return this.span.from + Math.min(1, Math.max(0, s)) * (this.span.to - this.span.from);
    };
    this.over.addEventListener('pointerdown', (event) => {
      this.over.setPointerCapture(event.pointerId);
      actions.seek(timeAt(event));
    });
    this.over.addEventListener('pointermove', (event) => {
      if (this.over.hasPointerCapture(event.pointerId)) actions.seek(timeAt(event));
    });
    this.over.addEventListener(
      'wheel',
      (event) => {
        if (!document.hasFocus()) return;
        event.preventDefault();
        actions.zoom(timeAt(event), Math.exp(0.0015 * (event.deltaMode === 1 ? 30 : 1) * event.deltaY));
      },
      { passive: false },
    );
    this.over.addEventListener('dblclick', () => actions.reset());
  }
}

/** @param {CanvasRenderingContext2D} pen @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
function line(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
