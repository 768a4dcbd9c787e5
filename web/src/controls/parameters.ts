/** Parameters of the laws: the common ones, and the rest under "more". */

import type { LawAnswer, LawInfo, Vec3 } from '../documents';
import { useOf } from '../explain';
import type { Parameter, Setting, State } from '../state';
import { element, setChoice, setText, symbol } from './element';
import { vectorGroup, type FieldGroup } from './field_group';
import { NumberField } from './number_field';

const first = ['e', 'mu', 'e_t', 'kappa'];

/** What it means, its unit and its range. */
function description({ meaning, unit, range }: Parameter): string {
  return `${meaning}${unit === '' ? '' : ` [${unit}]`}; ${range}`;
}

/** The whole range where it is finite; else what is usual: to 2, or a factor of 100 about 1 where 0 is not allowed. */
function sliderOf({ low, high, lowOpen }: Parameter): { low: number; high: number; log: boolean } {
  if (Number.isFinite(low) && Number.isFinite(high)) return { low, high, log: false };
  if (Number.isFinite(low)) return lowOpen ? { low: 0.01, high: 100, log: true } : { low, high: low + 2, log: false };
  return { low: -1, high: 1, log: false };
}

/** The letter of a parameter, with its definition where the glossary has one. */
function term(name: string): HTMLElement {
  const made = symbol(name);
  made.dataset['term'] = name;
  made.tabIndex = 0;
  return made;
}

interface Entry {
  parameter: Parameter;
  /** What it means for the law in focus. */
  use: HTMLElement;
  root: HTMLElement;
  show(value: Setting | undefined): void;
  complain(text: string): void;
}

export class ParameterEditor {
  readonly root: HTMLElement;
  private readonly entries: Entry[];
  private settings: State['settings'] = {};
  private explained = '';

  constructor(parameters: Parameter[], edit: (settings: State['settings']) => void) {
    const change = (name: string, value: Setting | null) => {
      const settings = { ...this.settings };
      if (value === null) delete settings[name];
      else settings[name] = value;
      edit(settings);
    };
    this.entries = parameters.map((parameter) => ({
      use: element('span', { class: 'use' }),
      ...this.entry(parameter, (value) => change(parameter.name, value)),
    }));
    const place = (entry: Entry) => element('div', { class: `parameter of-${entry.parameter.kind}` }, entry.root, this.tip(entry.parameter, entry.use));
    const chosen = first.flatMap((name) => this.entries.filter((entry) => entry.parameter.name === name));
    const rest = this.entries.filter((entry) => !first.includes(entry.parameter.name));
    this.root = element(
      'div',
      { class: 'form' },
      ...chosen.map(place),
      element('details', { class: 'more' }, element('summary', {}, 'More parameters'), ...rest.map(place)),
    );
  }

  show(settings: State['settings']) {
    this.settings = settings;
    for (const entry of this.entries) entry.show(settings[entry.parameter.name]);
  }

  /** What each one means for the law in focus. */
  explain(laws: LawInfo[], focus: string) {
    // Numbers do not change what they mean, and this is asked for every picture.
    const key = [focus, ...Object.entries(this.settings).map(([name, value]) => (typeof value === 'string' ? `${name}=${value}` : name))].join();
    if (key === this.explained) return;
    this.explained = key;
    for (const { parameter, use, root } of this.entries) {
      const { used, text } = useOf(laws, focus, parameter.name, this.settings);
      setText(use, text);
      use.classList.toggle('unused', !used);
      root.parentElement?.classList.toggle('unused', !used);
    }
  }

  /** Each law validates its parameters; a given invalid value is marked. */
  know(answers: LawAnswer[]) {
    for (const { parameter, complain } of this.entries) {
      const refused = answers.filter((answer) => answer.error?.path === parameter.name && parameter.name in this.settings);
      const [one] = refused;
      const laws = refused.map((answer) => answer.law).join(', ');
      complain(one ? `${one.error!.message} (${refused.length > 3 ? `${refused.length} laws` : laws})` : '');
    }
  }

  groups(): [string, { complain(text: string): void }][] {
    return this.entries.map((entry) => [entry.parameter.name, entry]);
  }

  private tip({ unit, range }: Parameter, use: HTMLElement): HTMLElement {
    return element('p', { class: 'hint' }, use, `; ${unit === '' ? '' : `[${unit}] `}${range}`);
  }

  private entry(parameter: Parameter, change: (value: Setting | null) => void): Omit<Entry, 'use'> {
    const tip = `${parameter.name}: ${description(parameter)}`;
    if (parameter.kind === 'word') {
      const none = element('option', { value: '' }, parameter.defaultText === '' ? '' : `${parameter.defaultText} (unless given)`);
      const select = element(
        'select',
        { 'aria-label': tip, title: tip },
        none,
        ...parameter.choices.map((choice) => element('option', { value: choice }, choice)),
      );
      select.addEventListener('change', () => change(select.value === '' ? null : select.value));
      const message = element('p', { class: 'message', role: 'status', hidden: true });
      const root = element('div', { class: 'row' }, element('span', { class: 'row-label' }, term(parameter.name)), select, message);
      return {
        parameter,
        root,
        show: (value) => setChoice(select, typeof value === 'string' ? value : ''),
        complain: (text) => {
          message.textContent = text;
          message.hidden = text === '';
        },
      };
    }
    if (parameter.kind === 'vector') {
      const group: FieldGroup = vectorGroup(term(parameter.name), tip, parameter.unit, (value) => change(value));
      const clear = element('button', { type: 'button', class: 'quiet' }, 'not given');
      clear.addEventListener('click', () => change(null));
      return {
        parameter,
        root: element('div', {}, group.root, clear),
        show: (value) => {
          group.show((value as Vec3 | undefined) ?? [0, 0, 0]);
          group.root.classList.toggle('absent', value === undefined);
          clear.disabled = value === undefined;
        },
        complain: (text) => group.complain(text),
      };
    }
    const span = parameter.high - parameter.low;
    const field = new NumberField({
      label: term(parameter.name),
      name: tip,
      low: parameter.low,
      lowOpen: parameter.lowOpen,
      high: parameter.high,
      highOpen: parameter.highOpen,
      least: () => {
        const other = this.settings[parameter.notBelow];
        return typeof other === 'number' ? other : -Infinity;
      },
      magnitude: () => (Number.isFinite(span) ? 0.1 * Math.max(1, span / 2) : 0.1),
      defaultText: parameter.defaultText === '' ? 'none' : parameter.defaultText,
      slider: sliderOf(parameter),
      onChange: change,
    });
    field.input.dataset['parameter'] = parameter.name;
    return {
      parameter,
      root: field.root,
      show: (value) => field.show(typeof value === 'number' ? value : null),
      complain: (text) => field.complain(text),
    };
  }
}
