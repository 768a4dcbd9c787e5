/** The laws that are drawn, the law in focus, and the laws whose reach is shown. */

import type { LawInfo } from '../documents';
import { lawPage } from '../explain';
import type { State } from '../state';
import { element } from './element';

type Selection = Pick<State, 'laws' | 'focus' | 'reaches'>;

interface Line {
  name: string;
  shown: HTMLInputElement;
  focus: HTMLInputElement;
  reach: HTMLInputElement;
  root: HTMLElement;
}

export class LawList {
  readonly root: HTMLElement;
  private readonly lines: Line[];
  private selection: Selection = { laws: [], focus: '', reaches: [] };

  constructor(
    private readonly laws: LawInfo[],
    edit: (selection: Selection) => void,
  ) {
    const ordered = (names: string[]) => laws.map(({ name }) => name).filter((name) => names.includes(name));
    const toggle = (names: string[], name: string, on: boolean) =>
      ordered(on ? [...names, name] : names.filter((other) => other !== name));
    this.lines = laws.map((law) => {
      const { name } = law;
      const shown = element('input', { type: 'checkbox', 'aria-label': `draw ${name}` });
      const focus = element('input', { type: 'radio', name: 'focus', value: name, 'aria-label': `focus on ${name}` });
      const reach = element('input', { type: 'checkbox', 'aria-label': `what ${name} can reach` });
      shown.addEventListener('change', () =>
        edit({ ...this.selection, laws: toggle(this.selection.laws, name, shown.checked) }),
      );
      focus.addEventListener('change', () =>
        edit({ ...this.selection, focus: name, laws: toggle(this.selection.laws, name, true) }),
      );
      reach.addEventListener('change', () =>
        edit({ ...this.selection, reaches: toggle(this.selection.reaches, name, reach.checked) }),
      );
      const label = element('label', { class: 'law', 'data-explain-law': name }, shown, element('span', { class: 'swatch' }), name);
      const page = element('a', { href: lawPage(name), target: '_blank', rel: 'noopener', 'aria-label': `equations of ${name}` }, 'page');
      const root = element('tr', {}, element('td', {}, label), element('td', {}, focus), element('td', {}, reach), element('td', {}, page));
      return { name, shown, focus, reach, root };
    });
    const pick = (label: string, names: string[]) => {
      const button = element('button', { type: 'button', class: 'quiet' }, label);
      button.addEventListener('click', () => edit({ ...this.selection, laws: ordered([...names, this.selection.focus]) }));
      return button;
    };
    const column = (name: string, title: string) => element('th', { scope: 'col', title }, name);
    this.root = element(
      'div',
      {},
      element(
        'table',
        { class: 'laws' },
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            column('draw', 'show its impulse and path'),
            column('focus', 'the law that velocity, energy, process and bodies show'),
            column('reach', 'its reach over the range of its parameters'),
            column('about', 'its equations, ranges and sources'),
          ),
        ),
        element('tbody', {}, ...this.lines.map((line) => line.root)),
      ),
      pick('all', laws.map(({ name }) => name)),
      pick('only the focus', []),
    );
  }

  show(selection: Selection) {
    this.selection = { laws: selection.laws, focus: selection.focus, reaches: selection.reaches };
    for (const line of this.lines) {
      line.shown.checked = selection.laws.includes(line.name);
      line.focus.checked = selection.focus === line.name;
      line.reach.checked = selection.reaches.includes(line.name);
    }
  }

  /** Colours follow the theme; laws without an answer, or without parameters to vary, are pale. */
  paint(colour: (law: string) => string, answers: boolean[]) {
    this.lines.forEach((line, i) => {
      const swatch = line.root.querySelector<HTMLElement>('.swatch')!;
      swatch.style.setProperty('--law', colour(line.name));
      line.root.classList.toggle('silent', answers[i] === false);
    });
  }

  get names(): string[] {
    return this.laws.map(({ name }) => name);
  }
}
