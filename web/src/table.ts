/**
 * The table of outcomes: every law, its answer, and the conditions that the answer violates. It is made once; numbers
 * are changed in place.
 */

import type { AxesDocument, Extended, LawAnswer, LawInfo, Vec3 } from './documents';
import { element, setText, symbol } from './controls/element';
import { fromExtended } from './state';
import type { Frame } from './views/view';

export interface Column {
  key: string;
  /** Plain name, as in the CSV. */
  name: string;
  unit: string;
  value(answer: LawAnswer, axes: AxesDocument): number;
}

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Magnitude of the tangential part of a vector. */
function tangential(x: Vec3, n: Vec3): number {
  const normal = dot(x, n);
  return Math.hypot(x[0] - normal * n[0], x[1] - normal * n[1], x[2] - normal * n[2]);
}

export const columns: Column[] = [
  { key: 'P_n', name: 'P_n', unit: 'N s', value: (a, { n }) => dot(a.P!, n) },
  { key: 'P_t', name: 'P_t', unit: 'N s', value: (a, { n }) => tangential(a.P!, n) },
  { key: 'P_along_t', name: 'P_along_t', unit: 'N s', value: (a, { t }) => dot(a.P!, t) },
  { key: 'P_along_b', name: 'P_along_b', unit: 'N s', value: (a, { b }) => dot(a.P!, b) },
  { key: 'V_n', name: 'V_n', unit: 'm/s', value: (a, { n }) => dot(a.V!, n) },
  { key: 'V_t', name: 'V_t', unit: 'm/s', value: (a, { n }) => tangential(a.V!, n) },
  { key: 'energy', name: 'energy_change', unit: 'J', value: (a) => a.energy_change! },
  { key: 'W_n', name: 'normal_work', unit: 'J', value: (a) => a.normal_work! },
  { key: 'W_t', name: 'friction_work', unit: 'J', value: (a) => a.friction_work! },
];

const heads: Record<string, () => (Node | string)[]> = {
  P_n: () => [symbol('P_n')],
  P_t: () => [symbol('P_t')],
  P_along_t: () => [element('i', {}, 'P'), '·', element('i', {}, 't')],
  P_along_b: () => [element('i', {}, 'P'), '·', element('i', {}, 'b')],
  V_n: () => [symbol('V_n'), element('sup', {}, '+')],
  V_t: () => [symbol('V_t'), element('sup', {}, '+')],
  energy: () => ['Δ', element('i', {}, 'E')],
  W_n: () => [symbol('W_n')],
  W_t: () => [symbol('W_t')],
};

/**
 * Four decimals, as the command line prints; powers of ten where those would hide the number. What is rounding beside
 * the largest of its kind is shown as zero.
 */
export function shortNumber(x: number, largest = 0): string {
  if (!Number.isFinite(x)) return x > 0 ? '∞' : x < 0 ? '−∞' : '–';
  const size = Math.abs(x) <= 1e-14 * largest ? 0 : Math.abs(x);
  if (size === 0) return '0.0000';
  const text = size >= 1e5 || size < 5e-5 ? x.toExponential(1) : x.toFixed(4);
  return text.replaceAll('-', '−');
}

const violation: Record<string, string> = {
  energy: 'gains energy',
  separation: 'bodies do not separate',
  compression: 'is tensile',
  friction: 'outside the cone',
};
const marginUnit: Record<string, string> = { energy: 'J', separation: 'm/s', compression: 'N s', friction: 'N s' };

/** The conditions that an answer violates, and by how much. */
export function verdict(answer: LawAnswer): string {
  if (answer.error) return '';
  if ((answer.violated ?? []).length === 0) return 'permissible';
  const margins = answer.margins as unknown as Record<string, Extended>;
  return answer
    .violated!.map((name) => {
      const by = margins[name] === undefined ? NaN : Math.abs(fromExtended(margins[name]));
      return `${violation[name] ?? name}${Number.isNaN(by) ? '' : ` by ${shortNumber(by)} ${marginUnit[name] ?? ''}`}`;
    })
    .join(', ');
}

/** The friction limit was not reached; the contact need not stick at the end (include/ricochet/law/outcome.hpp). */
export function modeText(answer: LawAnswer, n: Vec3): string {
  const sliding = tangential(answer.V!, n) > 1e-9 * Math.hypot(...answer.V!);
  return answer.mode === 'stick' && sliding ? 'unclipped' : answer.mode!;
}

interface Row {
  root: HTMLTableRowElement;
  swatch: HTMLElement;
  numbers: HTMLTableCellElement[];
  mode: HTMLTableCellElement;
  certificate: HTMLTableCellElement;
  guarantees: HTMLTableCellElement;
  refusal: HTMLTableCellElement;
}

/** What is now, and what was when it was pinned. */
const both = () => [element('span'), element('small', { class: 'pinned', hidden: true })];
function setBoth(cell: Element, now: string, then: string | null) {
  const [first, second] = cell.children as unknown as [HTMLElement, HTMLElement];
  setText(first, now);
  second.hidden = then === null;
  setText(second, then ?? '');
}

const modeOf = (answer: LawAnswer, { n }: AxesDocument) => modeText(answer, n).replaceAll('_', '-') + (answer.jammed ? ', jams' : '');
const certificateOf = (answer: LawAnswer) => `${answer.permissible === true ? '✓' : '✗'} ${verdict(answer)}`;

export class OutcomeTable {
  private readonly rows = new Map<string, Row>();
  private readonly table = element('table', { class: 'outcomes' });

  constructor(host: HTMLElement, laws: LawInfo[], focus: (law: string) => void) {
    const body = element('tbody');
    for (const law of laws) {
      const swatch = element('span', { class: 'swatch' });
      const row: Row = {
        root: element('tr', { tabindex: 0, 'data-law': law.name }),
        swatch,
        numbers: columns.map(({ key }) => element('td', { class: 'figure', 'data-key': key }, ...both())),
        mode: element('td', { class: 'mode' }, ...both()),
        certificate: element('td', { class: 'certificate' }, ...both()),
        guarantees: element('td', { class: 'guarantees' }),
        refusal: element('td', { class: 'refusal', colspan: columns.length + 3, hidden: true }),
      };
      const name = element('th', { scope: 'row', 'data-explain-law': law.name }, swatch, law.name);
      row.root.append(name, ...row.numbers, row.mode, row.certificate, row.guarantees, row.refusal);
      row.root.addEventListener('click', () => focus(law.name));
      row.root.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          focus(law.name);
        } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          const next = event.key === 'ArrowDown' ? row.root.nextElementSibling : row.root.previousElementSibling;
          if (next instanceof HTMLElement) {
            event.preventDefault();
            next.focus();
          }
        }
      });
      body.append(row.root);
      this.rows.set(law.name, row);
    }
    const head = (column: Column) =>
      element('th', { scope: 'col', class: 'figure', tabindex: 0, 'data-term': column.key }, ...heads[column.key]!(), element('small', {}, column.unit), element('small', { class: 'pair' }, element('span', {}, 'now'), element('span', {}, 'pinned')));
    this.table.append(
      element(
        'caption',
        {},
        'Every law on this collision. ',
        element('span', { class: 'hint' }, 'Click a row, or press Enter on it, to show its law in the plots of one law.'),
      ),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          element('th', { scope: 'col' }, 'law'),
          ...columns.map(head),
          element('th', { scope: 'col', tabindex: 0, 'data-term': 'mode' }, 'mode'),
          element('th', { scope: 'col', tabindex: 0, 'data-term': 'certificate' }, 'certificate'),
          element('th', { scope: 'col', tabindex: 0, 'data-term': 'guarantees' }, 'guarantees'),
        ),
      ),
      body,
    );
    host.replaceChildren(
      this.table,
      element(
        'p',
        { class: 'hint key' },
        'Certificate: kinetic energy does not increase, the bodies separate, the normal impulse is compressive, and the impulse is inside the friction cone. ' +
          'Guarantees: what the law keeps to with these parameters: E energy, S separation, F friction. ' +
          'A hollow mark means that the law is not drawn.',
      ),
    );
  }

  update(frame: Frame) {
    const { axes, ghost } = frame;
    this.table.classList.toggle('comparing', ghost !== null);
    const answers = frame.outcome.answers.filter((answer) => !answer.error);
    const values = answers.map((answer) => columns.map((column) => column.value(answer, axes)));
    const largest: Record<string, number> = {};
    columns.forEach(({ unit }, i) => {
      for (const row of values) largest[unit] = Math.max(largest[unit] ?? 0, Math.abs(row[i]!));
    });
    const drawn = new Set(frame.answers.map(({ law }) => law));
    for (const answer of frame.outcome.answers) {
      const row = this.rows.get(answer.law);
      if (!row) continue;
      const focused = answer.law === frame.focus;
      row.root.classList.toggle('focused', focused);
      row.root.classList.toggle('undrawn', !drawn.has(answer.law));
      if (focused) row.root.setAttribute('aria-current', 'true');
      else row.root.removeAttribute('aria-current');
      row.swatch.style.setProperty('--law', frame.colour(answer.law));
      const silent = answer.error !== undefined;
      for (const cell of [...row.numbers, row.mode, row.certificate, row.guarantees]) cell.hidden = silent;
      row.refusal.hidden = !silent;
      if (answer.error) {
        setText(row.refusal, `no answer: ${answer.error.message}`);
        row.refusal.title = row.refusal.textContent ?? '';
        continue;
      }
      const then = ghost?.outcome.answers.find(({ law }) => law === answer.law) ?? null;
      const pinned = (text: (of: LawAnswer, at: AxesDocument) => string) => (then ? (then.error ? '–' : text(then, ghost!.axes)) : null);
      values[answers.indexOf(answer)]!.forEach((value, i) => {
        const { unit, value: valueOf } = columns[i]!;
        setBoth(row.numbers[i]!, shortNumber(value, largest[unit]), pinned((of, at) => shortNumber(valueOf(of, at), largest[unit])));
        row.numbers[i]!.dataset['value'] = String(value);
      });
      setBoth(row.mode, modeOf(answer, axes), pinned(modeOf));
      row.certificate.classList.toggle('broken', answer.permissible !== true);
      setBoth(row.certificate, certificateOf(answer), pinned(certificateOf));
      const { energy, separation, friction } = answer.guarantees ?? { energy: false, separation: false, friction: false };
      setText(row.guarantees, `${energy ? 'E' : '–'} ${separation ? 'S' : '–'} ${friction ? 'F' : '–'}`);
    }
  }
}
