/** The collision by its local mass, or its inverse, and V. */

import type { ContactDocument, Mat3 } from '../documents';
import { citations } from '../explain';
import { fromExtended, type ContactForm } from '../state';
import { element, setChoice } from './element';
import { symmetricGroup, vectorGroup, type FieldGroup } from './field_group';

export class ContactEditor {
  readonly root: HTMLElement;
  private readonly given: HTMLSelectElement;
  private readonly mobility: HTMLOptionElement;
  private readonly mass: HTMLOptionElement;
  private readonly matrix: FieldGroup;
  private readonly V: FieldGroup;
  private form: ContactForm | null = null;
  private contact: ContactDocument | null = null;

  constructor(edit: (form: ContactForm) => void, realize: () => void) {
    const change = (part: Partial<ContactForm>) => {
      if (this.form) edit({ ...this.form, ...part });
    };
    this.mass = element('option', { value: 'M' }, 'M');
    this.mobility = element('option', { value: 'W' }, 'W');
    this.given = element('select', { 'aria-label': 'matrix that is given' }, this.mass, this.mobility);
    this.given.addEventListener('change', () => {
      const given = this.given.value as 'M' | 'W';
      if (!this.contact) return;
      const matrix = given === 'W' ? this.contact.W : (this.contact.M.map((row) => row.map(fromExtended)) as Mat3);
      change({ given, matrix });
    });
    this.matrix = symmetricGroup(this.given, 'matrix', 'kg', (matrix) => change({ matrix }));
    this.V = vectorGroup(element('i', { 'data-term': 'V', tabindex: 0 }, 'V'), 'V, relative velocity of B at the contact', 'm/s', (V) => change({ V }));
    const button = element('button', { type: 'button', class: 'quiet', id: 'realize' }, 'Realise this M with two bodies');
    button.title = `Construct two rigid bodies with this local mass matrix and relative velocity (${citations('CR98b').join()})`;
    button.addEventListener('click', realize);
    this.root = element('div', { class: 'form' }, this.matrix.root, this.V.root, button);
  }

  show(form: ContactForm) {
    this.form = form;
    setChoice(this.given, form.given);
    if (this.given.dataset['term'] !== form.given) this.given.dataset['term'] = form.given;
    const unit = this.matrix.root.querySelector('.unit')!;
    unit.textContent = form.given === 'M' ? 'kg' : '1/kg';
    this.matrix.show(form.matrix.flat());
    this.V.show(form.V);
  }

  /** What the library made of it; a contact that cannot move in some direction has no M. */
  know(contact: ContactDocument) {
    this.contact = contact;
    this.mass.disabled = contact.immovable === true;
  }

  groups(): [string, FieldGroup][] {
    return [
      ['M', this.matrix],
      ['W', this.matrix],
      ['V', this.V],
    ];
  }
}
