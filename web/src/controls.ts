/** The panel: where to start, the collision in one of its two forms, the parameters and the laws. */

import type { Fault, OutcomeDocument } from './documents';
import type { Engine } from './engine';
import { withCitations } from './explain';
import { commentOf, fromExtended, parametersOf, type Form, type State } from './state';
import { BodiesEditor } from './controls/bodies_form';
import { ContactEditor } from './controls/contact_form';
import { element, setChoice, setText } from './controls/element';
import { LawList } from './controls/law_list';
import { NormalEditor } from './controls/normal';
import { ParameterEditor } from './controls/parameters';
import type { Mat3 } from './documents';

export interface Actions {
  edit(change: (state: State) => State): void;
  start(scene: string): void;
  open(file: File): void;
  realize(): void;
  /** A field became unreadable, or readable again. */
  reread(): void;
}

export class Panel {
  private readonly scenes: HTMLSelectElement;
  private readonly about = element('p', { class: 'hint about' });
  private readonly title: HTMLInputElement;
  private readonly modes: Record<Form['kind'], HTMLInputElement>;
  private readonly contact: ContactEditor;
  private readonly bodies: BodiesEditor;
  private readonly normal: NormalEditor;
  private readonly parameters: ParameterEditor;
  private readonly laws: LawList;
  private readonly fault = element('p', { class: 'message', role: 'status', hidden: true });
  private outcome: OutcomeDocument | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly engine: Engine,
    actions: Actions,
  ) {
    this.scenes = element(
      'select',
      { id: 'scenes', 'aria-label': 'starting point' },
      element('option', { value: '' }, 'your own'),
      ...engine.scenes.map((scene) => element('option', { value: scene.name }, scene.title)),
    );
    this.scenes.addEventListener('change', () => {
      if (this.scenes.value !== '') actions.start(this.scenes.value);
    });
    const file = element('input', { type: 'file', id: 'file', accept: '.toml,.json,.jsonl,.ndjson,.urdf,.xml,.xacro', class: 'unseen' });
    file.addEventListener('change', () => {
      const [chosen] = file.files ?? [];
      if (chosen) actions.open(chosen);
      file.value = ''; // the same file may be opened again
    });
    const open = element('label', { class: 'button', for: 'file' }, 'Open file…', file);
    open.title = 'A collision as TOML or JSON, a scene, or a motion; it may also be dropped on the page, or its text pasted';

    this.title = element('input', { type: 'text', id: 'title', 'aria-label': 'title', spellcheck: 'false' });
    this.title.addEventListener('input', () => actions.edit((state) => ({ ...state, title: this.title.value })));

    const form = (changed: Form) => actions.edit((state) => ({ ...state, form: changed }));
    this.contact = new ContactEditor(form, () => actions.realize());
    this.bodies = new BodiesEditor(form);
    this.normal = new NormalEditor((n) => actions.edit((state) => ({ ...state, form: { ...state.form, n } })));
    this.parameters = new ParameterEditor(parametersOf(engine.laws), (settings) =>
      actions.edit((state) => ({ ...state, settings })),
    );
    this.laws = new LawList(engine.laws, (selection) => actions.edit((state) => ({ ...state, ...selection })));

    const mode = (kind: Form['kind']) => element('input', { type: 'radio', name: 'mode', value: kind, id: `mode-${kind}` });
    this.modes = { contact: mode('contact'), bodies: mode('bodies') };
    this.modes.bodies.addEventListener('change', () => actions.realize());
    this.modes.contact.addEventListener('change', () => {
      const { outcome } = this;
      if (outcome) actions.edit((state) => ({ ...state, form: this.reduced(state.form, outcome) }));
    });

    host.addEventListener('readability', () => actions.reread());
    host.replaceChildren(
      element('section', {}, element('h2', {}, 'Start from'), element('div', { class: 'line' }, this.scenes, open), this.about),
      element('section', {}, element('h2', {}, 'Parameters'), this.parameters.root),
      element(
        'section',
        {},
        element('h2', {}, 'Collision'),
        element('div', { class: 'line' }, this.title),
        element(
          'div',
          { class: 'modes', role: 'radiogroup', 'aria-label': 'input of the collision' },
          element('label', {}, this.modes.contact, element('span', {}, 'contact ', element('i', { 'data-term': 'M' }, 'M'), ', ', element('i', { 'data-term': 'V' }, 'V'))),
          element('label', {}, this.modes.bodies, element('span', {}, 'two bodies')),
        ),
        this.fault,
        this.normal.root,
        this.contact.root,
        this.bodies.root,
      ),
      element('section', {}, element('h2', {}, 'Laws'), this.laws.root),
    );
  }

  show(state: State, scene: string) {
    setChoice(this.scenes, scene);
    const chosen = this.engine.scenes.find(({ name }) => name === scene);
    const about = (chosen ? commentOf(chosen.text) : state.comment).replaceAll('\n', ' ');
    if (this.about.textContent !== about) this.about.replaceChildren(...withCitations(about));
    if (this.title.value !== state.title) this.title.value = state.title;
    const { form } = state;
    this.modes[form.kind].checked = true;
    this.contact.root.hidden = form.kind !== 'contact';
    this.bodies.root.hidden = form.kind !== 'bodies';
    if (form.kind === 'contact') this.contact.show(form);
    else this.bodies.show(form);
    this.normal.show(form.n);
    this.parameters.show(state.settings);
    this.parameters.explain(this.engine.laws, state.focus);
    this.laws.show(state);
  }

  /** A new collision: discard invalid texts of the previous one. */
  forget() {
    for (const input of this.host.querySelectorAll('input.unread')) input.dispatchEvent(new Event('forget'));
  }

  /** What is wrong with the first field that cannot be read; empty where all can. */
  unread(): string {
    const input = this.host.querySelector<HTMLInputElement>('input.unread');
    return input ? `${input.getAttribute('aria-label')!.split(/[:;]/)[0]}: ${input.value || 'nothing'}: must be a number` : '';
  }

  know(outcome: OutcomeDocument, colour: (law: string) => string) {
    this.outcome = outcome;
    this.contact.know(outcome.contact);
    this.bodies.know(outcome.contact);
    this.parameters.know(outcome.answers);
    this.laws.paint(
      colour,
      this.laws.names.map((name) => outcome.answers.some((answer) => answer.law === name && !answer.error)),
    );
  }

  /** Shows the fault beside the field that its path names, or above all fields where there is none. */
  complain(fault: Fault | null) {
    const places: [string, { complain(text: string): void }][] = [
      ...this.contact.groups(),
      ...this.bodies.groups(),
      ['n', this.normal],
      ...(fault ? this.parameters.groups() : []), // those speak for themselves otherwise
    ];
    // A fault of M, which follows from two bodies, must not mark the fields of the form that is not shown.
    const unseen = new Set(
      [...(this.contact.root.hidden ? this.contact.groups() : []), ...(this.bodies.root.hidden ? this.bodies.groups() : [])].map(([name]) => name),
    );
    const hit = fault ? places.filter(([name]) => name === fault.path && !unseen.has(name)).map(([, place]) => place) : [];
    for (const [, place] of places) if (!hit.includes(place)) place.complain('');
    for (const place of hit) place.complain(fault!.message);
    const text = fault && hit.length === 0 ? fault.message : '';
    setText(this.fault, text);
    this.fault.hidden = text === '';
  }

  /** Two bodies as their contact: what the laws see of them. */
  private reduced(form: Form, { contact }: OutcomeDocument): Form {
    if (form.kind === 'contact') return form;
    const given = contact.immovable === true ? 'W' : 'M';
    const matrix = given === 'W' ? contact.W : (contact.M.map((row) => row.map(fromExtended)) as Mat3);
    return { kind: 'contact', given, matrix, V: contact.V, n: contact.n };
  }
}
