/** Numbers that belong together: a vector, or a matrix row by row. What is wrong with them is said once, below. */

import type { Mat3, Vec3 } from '../documents';
import { element, setText } from './element';
import { parseNumber, parseNumbers } from '../state';
import { NumberField, positiveRange, signedRange, type SliderRange } from './number_field';

export interface GroupOptions {
  /** What stands before the numbers, and its plain name. */
  label: string | Node;
  name: string;
  unit: string;
  /** Plain names of the components; there are as many numbers. */
  components: string[];
  columns?: number;
  /** The ends of a component's slider; without it there are none. */
  slider?: (values: readonly number[], which: number) => SliderRange;
  /** Why numbers that were pasted cannot be taken; empty where they can. */
  refuse?: (values: readonly number[]) => string;
  /** `which` changed; −1: all of them. */
  onChange(values: number[], which: number): void;
}

export class FieldGroup {
  readonly root: HTMLElement;
  readonly fields: NumberField[];
  private readonly message = element('p', { class: 'message', role: 'status', hidden: true });
  private values: number[] = [];
  /** Those for which the sliders have their ends. */
  private drawn: number[] = [];

  constructor(options: GroupOptions) {
    const magnitude = () => Math.max(...this.values.map(Math.abs).filter(Number.isFinite), 0) || 1;
    this.fields = options.components.map(
      (component, i) =>
        new NumberField({
          label: '',
          name: `${options.name} ${component}`.trim(),
          magnitude,
          ...(options.slider ? { slider: () => options.slider!(this.values, i) } : {}),
          onChange: (value) => {
            this.values = this.values.map((old, k) => (k === i ? (value ?? 0) : old));
            options.onChange([...this.values], i);
          },
        }),
    );
    this.fields.forEach((field) => field.input.addEventListener('paste', (event) => this.paste(event, options)));
    const columns = options.columns ?? this.fields.length;
    this.root = element(
      'div',
      { class: 'group', role: 'group', 'aria-label': options.name },
      element(
        'div',
        { class: 'row' },
        element('span', { class: 'row-label' }, options.label),
        element('span', { class: `cells of-${columns}` }, ...this.fields.map((field) => field.root)),
        element('span', { class: 'unit' }, options.unit),
      ),
      this.message,
    );
  }

  /** Several numbers at once go to all fields; a single one is the field's own affair. */
  private paste(event: ClipboardEvent, options: GroupOptions) {
    const text = event.clipboardData?.getData('text') ?? '';
    if (parseNumber(text) !== null || text.trim() === '') return;
    const count = this.fields.length;
    const numbers = parseNumbers(text, count);
    event.preventDefault();
    const short = text.trim().replace(/\s+/g, ' ');
    const wrong = numbers ? (options.refuse?.(numbers) ?? '') : `must be ${count} numbers, or one`;
    if (!numbers || wrong !== '') return this.complain(`${short.length > 60 ? `${short.slice(0, 60)}…` : short}: ${wrong}`);
    this.complain('');
    this.show(numbers);
    options.onChange([...numbers], -1);
  }

  show(values: readonly number[]) {
    this.values = [...values];
    values.forEach((value, i) => this.fields[i]!.show(value));
    // The ends of one slider depend on all numbers; asked for every picture, and seldom other ones.
    if (values.every((value, i) => Object.is(value, this.drawn[i]))) return;
    this.drawn = [...values];
    for (const field of this.fields) field.showSlider();
  }

  complain(text: string) {
    setText(this.message, text);
    this.message.hidden = text === '';
    for (const field of this.fields) field.doubt(text !== '');
  }
}

const xyz = ['x', 'y', 'z'];

type Slider = NonNullable<GroupOptions['slider']>;
const largest = (values: readonly number[]) => Math.max(0, ...values.map(Math.abs).filter(Number.isFinite));
/** Of a vector. */
export const vectorSlider: Slider = (values) => signedRange(largest(values));
export const angleSlider: Slider = () => ({ low: -180, high: 180, log: false });
export const positiveSlider: Slider = (values, which) => positiveRange(values[which]!);
/** Of a positive matrix: no entry is beyond the mean of its diagonal ones. */
const matrixSlider: Slider = (values, which) => {
  const [row, column] = [Math.floor(which / 3), which % 3];
  if (row === column) return positiveRange(values[which]!);
  const mean = Math.sqrt(Math.abs(values[4 * row]! * values[4 * column]!));
  return Number.isFinite(mean) && mean > 0 ? { low: -mean, high: mean, log: false } : signedRange(largest(values));
};

export function vectorGroup(
  label: string | Node,
  name: string,
  unit: string,
  onChange: (value: Vec3) => void,
  slider: Slider | null = vectorSlider,
): FieldGroup {
  const options = { label, name, unit, components: xyz, onChange: (values: number[]) => onChange(values as Vec3) };
  return new FieldGroup(slider ? { ...options, slider } : options);
}

const mirror = (place: number) => (place % 3) * 3 + Math.floor(place / 3);

/** A symmetric matrix: an entry and its mirror image are one number. */
export function symmetricGroup(label: string | Node, name: string, unit: string, onChange: (value: Mat3) => void): FieldGroup {
  const places = xyz.flatMap((row) => xyz.map((column) => `${row}${column}`));
  const group: FieldGroup = new FieldGroup({
    label,
    name,
    unit,
    components: places,
    columns: 3,
    slider: matrixSlider,
    refuse: (values) => {
      // Programs print as many digits as they please, so that the halves need not agree to the last one.
      const place = [1, 2, 5].find((one) => Math.abs(values[one]! - values[mirror(one)]!) > 1e-6 * largest(values));
      return place === undefined ? '' : `must be symmetric, but ${places[place]} = ${values[place]} and ${places[mirror(place)]} = ${values[mirror(place)]}`;
    },
    onChange: (values, which) => {
      for (const place of which < 0 ? [1, 2, 5] : [which]) values[mirror(place)] = values[place]!;
      group.show(values);
      onChange([values.slice(0, 3), values.slice(3, 6), values.slice(6, 9)] as Mat3);
    },
  });
  return group;
}
