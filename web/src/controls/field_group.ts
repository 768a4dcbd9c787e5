/** Numbers that belong together: a vector, or a matrix row by row. What is wrong with them is said once, below. */

import type { Mat3, Vec3 } from '../documents';
import { element, setText } from './element';
import { parseNumber, parseNumbers } from '../state';
import { NumberField } from './number_field';

export interface GroupOptions {
  /** What stands before the numbers, and its plain name. */
  label: string | Node;
  name: string;
  unit: string;
  /** Plain names of the components; there are as many numbers. */
  components: string[];
  columns?: number;
  /** `which` changed; −1: all of them. */
  onChange(values: number[], which: number): void;
}

export class FieldGroup {
  readonly root: HTMLElement;
  readonly fields: NumberField[];
  private readonly message = element('p', { class: 'message', role: 'status', hidden: true });
  private values: number[] = [];

  constructor(options: GroupOptions) {
    const magnitude = () => Math.max(...this.values.map(Math.abs).filter(Number.isFinite), 0) || 1;
    this.fields = options.components.map(
      (component, i) =>
        new NumberField({
          label: '',
          name: `${options.name} ${component}`.trim(),
          magnitude,
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
    if (!numbers) return this.complain(`${text.trim().slice(0, 40)}: must be ${count} numbers, or one`);
    this.complain('');
    this.show(numbers);
    // A symmetric matrix takes the upper half.
    options.onChange([...numbers], -1);
  }

  show(values: readonly number[]) {
    this.values = [...values];
    values.forEach((value, i) => this.fields[i]!.show(value));
  }

  complain(text: string) {
    setText(this.message, text);
    this.message.hidden = text === '';
    for (const field of this.fields) field.doubt(text !== '');
  }
}

const xyz = ['x', 'y', 'z'];

export function vectorGroup(label: string | Node, name: string, unit: string, onChange: (value: Vec3) => void): FieldGroup {
  return new FieldGroup({ label, name, unit, components: xyz, onChange: (values) => onChange(values as Vec3) });
}

/** A symmetric matrix: an entry and its mirror image are one number. */
export function symmetricGroup(label: string | Node, name: string, unit: string, onChange: (value: Mat3) => void): FieldGroup {
  const places = xyz.flatMap((row) => xyz.map((column) => `${row}${column}`));
  const group: FieldGroup = new FieldGroup({
    label,
    name,
    unit,
    components: places,
    columns: 3,
    onChange: (values, which) => {
      for (const place of which < 0 ? [1, 2, 5] : [which]) values[(place % 3) * 3 + Math.floor(place / 3)] = values[place]!;
      group.show(values);
      onChange([values.slice(0, 3), values.slice(3, 6), values.slice(6, 9)] as Mat3);
    },
  });
  return group;
}
