/**
 * A number that can be typed, dragged sideways, or changed by the arrow keys (Shift: ten times as much, Alt: a tenth).
 *
 * Typed text is passed on unchanged: a text that is not a number is marked as such, with an event `readability`, and a
 * number that the library rejects is marked by the caller. Dragging and the keys stop at the ends of the range, like a slider.
 */

import { numberText, parseNumber } from '../state';
import { element, freshId } from './element';

/** `log`: of the power of ten. */
export interface SliderRange {
  low: number;
  high: number;
  log: boolean;
}

/** About zero, with room for numbers of this size: 1, 2 or 5 times a power of ten. */
export function signedRange(size: number): SliderRange {
  const wanted = size > 0 && Number.isFinite(size) ? 1.5 * size : 1;
  const ten = 10 ** Math.floor(Math.log10(wanted));
  const high = ([1, 2, 5].find((digit) => digit * ten >= wanted) ?? 10) * ten;
  return { low: -high, high, log: false };
}

/** The largest 1, 2 or 5 times a power of ten that is not above it. */
function roundStep(most: number): number {
  const ten = 10 ** Math.floor(Math.log10(most * (1 + 1e-9)));
  return ([5, 2].find((digit) => digit * ten <= most * (1 + 1e-9)) ?? 1) * ten;
}

/** A factor of about a hundred to both sides. */
export function positiveRange(value: number): SliderRange {
  const ten = value > 0 && Number.isFinite(value) ? 10 ** Math.floor(Math.log10(value)) : 1;
  return { low: ten / 100, high: 100 * ten, log: true };
}

export interface NumberOptions {
  label: string | Node;
  /** For screen readers, and as a tooltip. */
  name: string;
  low?: number;
  high?: number;
  /** The end itself is not allowed. */
  lowOpen?: boolean;
  highOpen?: boolean;
  /** A lower bound that depends on other values. */
  least?: () => number;
  /** The size that numbers of this kind have; a tenth of its power of ten is one press of a key. */
  magnitude?: () => number;
  /** A slider beside it. Its ends make room for a value beyond them; ends that depend on values stay while it is held. */
  slider?: SliderRange | (() => SliderRange);
  /** Shown in the field while it is empty. */
  defaultText?: string;
  /** Null where it was emptied. */
  onChange(value: number | null): void;
}

export class NumberField {
  readonly root: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly message: HTMLElement;
  private readonly slider: HTMLInputElement | null = null;
  private value: number | null = null;
  private step = 0.1;
  /** The ends of the slider while it is held. */
  private held: SliderRange | null = null;

  constructor(private readonly options: NumberOptions) {
    const id = freshId('number');
    this.message = element('span', { class: 'message', id: `${id}-message`, hidden: true });
    this.input = element('input', {
      id,
      class: 'number',
      type: 'text',
      inputmode: 'decimal',
      role: 'spinbutton',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-label': options.name,
      'aria-describedby': this.message.id,
      title: options.name,
      placeholder: options.defaultText,
      'aria-valuemin': Number.isFinite(options.low) ? options.low : undefined,
      'aria-valuemax': Number.isFinite(options.high) ? options.high : undefined,
    });
    const label = element('label', { for: id, class: 'scrub' }, options.label);
    this.root = element('span', { class: 'field' }, label, this.input, this.message);
    if (options.slider) {
      this.slider = element('input', { type: 'range', class: 'slide', step: 'any', 'aria-label': `${options.name.split(':')[0]}, slider` });
      this.slider.addEventListener('input', () => this.slid());
      this.slider.addEventListener('pointerdown', () => (this.held = this.range()));
      for (const end of ['pointerup', 'pointercancel', 'blur'])
        this.slider.addEventListener(end, () => {
          this.held = null;
          this.showSlider();
        });
      this.input.after(this.slider);
      this.showSlider();
    }
    this.input.addEventListener('input', () => this.typed());
    this.input.addEventListener('focus', () => this.chooseStep());
    this.input.addEventListener('blur', () => {
      if (!this.input.classList.contains('unread')) this.write();
    });
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.addEventListener('forget', () => this.forget());
    this.scrub(label);
    this.scrub(this.input);
  }

  /** Shows a value of the state, unless the user is editing this field. */
  show(value: number | null) {
    if (Object.is(value, this.value)) return;
    this.value = value;
    this.input.classList.remove('unread');
    if (document.activeElement === this.input && parseNumber(this.input.value) === value) return;
    this.write();
  }

  /** Marks the value as invalid; an empty text removes the mark. */
  complain(text: string) {
    if (this.input.classList.contains('unread')) return;
    this.mark(text);
  }

  /** Marks it as one of several invalid values, reported by the group. */
  doubt(doubtful: boolean) {
    this.input.classList.toggle('doubtful', doubtful);
    if (doubtful) this.input.setAttribute('aria-invalid', 'true');
    else if (!this.input.classList.contains('invalid')) this.input.removeAttribute('aria-invalid');
  }

  private mark(text: string) {
    if (this.message.textContent === text) return;
    this.message.textContent = text;
    this.message.hidden = text === '';
    this.input.classList.toggle('invalid', text !== '');
    if (text === '') this.input.removeAttribute('aria-invalid');
    else this.input.setAttribute('aria-invalid', 'true');
  }

  private write() {
    this.input.value = this.value === null ? '' : numberText(this.value);
    this.showSlider();
    if (this.value === null) this.input.removeAttribute('aria-valuenow');
    else this.input.setAttribute('aria-valuenow', this.input.value);
  }

  private range(): SliderRange {
    const { slider } = this.options;
    return this.held ?? (typeof slider === 'function' ? slider() : slider!);
  }

  /** Also where its ends have changed. */
  showSlider() {
    const { slider, options } = this;
    if (!slider || !options.slider) return;
    const { low, high, log } = this.range();
    const value = this.value ?? parseNumber(options.defaultText ?? '') ?? low;
    const finite = Number.isFinite(value);
    const scale = (x: number) => (log ? Math.log10(Math.max(x, 1e-300)) : x);
    slider.min = String(scale(finite ? Math.min(low, log && value <= 0 ? low : value) : low));
    slider.max = String(scale(finite ? Math.max(high, value) : high));
    slider.value = finite ? String(scale(value)) : slider.max;
    slider.classList.toggle('absent', this.value === null);
  }

  private slid() {
    const { log, low, high } = this.range();
    const at = Number(this.slider!.value);
    // As many digits as the slider tells apart.
    this.go(Number((log ? 10 ** at : at).toPrecision(log || high - low > 10 ? 3 : 12)), log ? 0 : roundStep((high - low) / 200));
  }

  private chooseStep() {
    const size = this.options.magnitude?.() ?? 1;
    this.step = 10 ** (Math.floor(Math.log10(size > 0 && Number.isFinite(size) ? size : 1)) - 1);
  }

  private typed() {
    const text = this.input.value.trim();
    const empty = text === '' && this.options.defaultText !== undefined;
    const value = empty ? null : parseNumber(text);
    if (value === null && !empty) {
      this.input.classList.add('unread');
      this.mark(`${text === '' ? 'nothing' : text}: must be a number`);
      this.input.dispatchEvent(new Event('readability', { bubbles: true }));
      return;
    }
    this.input.classList.remove('unread');
    this.mark('');
    this.value = value;
    this.showSlider();
    this.options.onChange(value);
  }

  /** Replaces an invalid text by the last valid number. */
  private forget() {
    if (!this.input.classList.contains('unread')) return;
    this.input.classList.remove('unread');
    this.mark('');
    this.write();
    this.input.dispatchEvent(new Event('readability', { bubbles: true }));
  }

  /** To a neighbouring value, with as many digits as the step has. */
  private go(wanted: number, grid = 0) {
    const to = grid > 0 ? Math.round(wanted / grid) * grid : wanted;
    const { high = Infinity, lowOpen = false, highOpen = false } = this.options;
    const low = Math.max(this.options.low ?? -Infinity, this.options.least?.() ?? -Infinity);
    const value = Math.min(high, Math.max(low, Number(to.toPrecision(12))));
    if (value === this.value || (lowOpen && value === this.options.low) || (highOpen && value === high)) return;
    this.value = value;
    this.input.classList.remove('unread');
    this.mark('');
    this.write();
    this.options.onChange(value);
  }

  private key(event: KeyboardEvent) {
    if (event.key === 'Escape') this.forget();
    if (event.key === 'Enter') {
      this.input.select();
      return;
    }
    const way = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (way === 0 || (this.value !== null && !Number.isFinite(this.value))) return;
    event.preventDefault();
    const step = this.step * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
    const from = this.value ?? 0;
    // Onto the grid of the step, where that is near; a long number is moved as it is.
    const grid = Math.round(from / step) * step;
    this.go((Math.abs(grid - from) < 1e-9 * step ? grid : from) + way * step);
  }

  private scrub(handle: HTMLElement) {
    let start: { x: number; value: number; id: number; moved: boolean } | null = null;
    handle.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || document.activeElement === this.input) return;
      if (this.value !== null && !Number.isFinite(this.value)) return;
      this.chooseStep();
      start = { x: event.clientX, value: this.value ?? 0, id: event.pointerId, moved: false };
    });
    // Focus would begin a selection of text under the drag; a click that did not move gives it afterwards.
    handle.addEventListener('mousedown', (event) => {
      if (start) event.preventDefault();
    });
    handle.addEventListener('pointermove', (event) => {
      if (!start || event.pointerId !== start.id) return;
      const way = event.clientX - start.x;
      if (!start.moved && Math.abs(way) < 4) return;
      if (!start.moved) {
        start.moved = true;
        handle.setPointerCapture(event.pointerId);
        document.documentElement.classList.add('scrubbing');
      }
      const step = (this.step / 5) * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
      this.go(Math.round((start.value + way * step) / step) * step);
    });
    const end = (event: PointerEvent) => {
      if (!start || event.pointerId !== start.id) return;
      document.documentElement.classList.remove('scrubbing');
      const { moved } = start;
      start = null;
      if (!moved && event.type === 'pointerup') {
        this.input.focus();
        this.input.select();
      }
    };
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
    handle.addEventListener('click', (event) => event.preventDefault());
  }
}

