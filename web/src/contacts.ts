/**
 * Many contacts that strike at one instant: the bodies before and after, the contacts and the collisions of the sequence by a
 * law, each of which opens in impulse space. Scenes are resolved by the library in a worker; of a robot `ricochet explore`
 * serves the document.
 */

import './contacts.css';
import { element, setText, symbol } from './controls/element';
import { mathematicsNodes } from './views/mathematics';
import { NumberField } from './controls/number_field';
import type { BundledScene, ContactsAnswer, ContactsDocument, ContactsStep, LawInfo, Vec3 } from './documents';
import { explain } from './explain';
import { Simulator } from './simulator';
import { numberText, parametersOf, parseNumber, type Parameter } from './state';
import { isDark, watchTheme } from './theme';
import { themed, setHair } from './views/colour';
import { shortNumber } from './views/numbers';
import { isStayAddress, openFromStay, takeStay } from './visit';

/** TOML that states its contacts, without robots. */
export const isContacts = (text: string) => /^\s*\[\[\s*contact\s*\]\]/m.test(text) && !/^\s*\[\[\s*robot\s*\]\]/m.test(text);

export interface ContactsOptions {
  text: string;
  /** Parameters of every contact, under their names on the command line. */
  sets: Record<string, number>;
  /** Empty: as stated, or the first law that has an answer. */
  law: string;
}

declare global {
  interface Window {
    contactsPage?: ContactsPage;
  }
}

/** `many=TOML&law=NAME&e=0.5`, each percent-encoded. */
export function fromContactsAddress(address: string): ContactsOptions {
  const options: ContactsOptions = { text: '', sets: {}, law: '' };
  for (const part of address.split('&')) {
    const at = part.indexOf('=');
    const key = part.slice(0, at);
    const value = decodeURIComponent(part.slice(at + 1));
    if (key === 'many') options.text = value;
    else if (key === 'law') options.law = value;
    else {
      const number = parseNumber(value);
      if (number === null) throw new Error(`${key}: ${value}: must be a number`);
      options.sets[key] = number;
    }
  }
  return options;
}

function toContactsAddress({ text, sets, law }: ContactsOptions): string {
  const parts = [`many=${encodeURIComponent(text)}`];
  if (law !== '') parts.push(`law=${encodeURIComponent(law)}`);
  for (const [name, value] of Object.entries(sets)) parts.push(`${name}=${numberText(value)}`);
  return parts.join('&');
}

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const across = (x: Vec3, n: Vec3) => Math.hypot(...x.map((value, i) => value - dot(x, n) * n[i]!));
const cell = (text: string, name = '') => element('td', name === '' ? {} : { 'data-key': name }, text);
/** What is rounding beside the largest of its kind is shown as zero. */
const shown = (x: number, largest: number) => shortNumber(Math.abs(x) <= 1e-12 * largest ? 0 : x).replaceAll('-', '−');
const vector = (x: Vec3, largest: number) => `(${x.map((value) => shown(value, largest)).join(', ')})`;

/** A drawing of the library, in the colours of the theme. */
function picture(svg: string): SVGElement {
  const drawn = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement as unknown as SVGElement;
  const dark = isDark();
  for (const part of [drawn, ...drawn.querySelectorAll('*')])
    for (const name of ['fill', 'stroke']) {
      const colour = part.getAttribute(name);
      if (!colour?.startsWith('#')) continue;
      part.setAttribute(name, themed(colour, dark));
      // Arrows, names and the legend lie on the bodies: on dark paper they are light, and a floor is as dark as they are.
      const pale = name === 'fill' && part.hasAttribute('stroke') && (dark || themed(colour, dark) === 'var(--hair)');
      if (pale) part.setAttribute('fill-opacity', '0.3');
    }
  drawn.classList.add('many-picture');
  drawn.removeAttribute('width');
  drawn.removeAttribute('height');
  return document.importNode(drawn, true);
}

export class ContactsPage {
  readonly host: HTMLElement;
  private readonly law = element('select', { class: 'many-law', 'aria-label': 'law' });
  private readonly fields = element('span', { class: 'scene-fields' });
  private readonly said = element('output', { class: 'scene-said', 'aria-live': 'polite' });
  private readonly command = element('code', { title: 'the same on the command line' });
  private readonly message = element('p', { class: 'message', role: 'alert', hidden: true });
  private readonly pictures = element('div', { class: 'many-pictures' });
  private readonly contacts = element('section', { class: 'many-table', 'aria-label': 'contacts' });
  private readonly steps = element('section', { class: 'many-table', 'aria-label': 'collisions of the sequence' });
  private readonly bodies = element('section', { class: 'many-table', 'aria-label': 'bodies' });
  private readonly unwatch: () => void;
  /** Questions that are still open. */
  busy = 0;

  constructor(
    public contactsDocument: ContactsDocument,
    private readonly laws: LawInfo[],
    scenes: BundledScene[],
    private options: ContactsOptions,
    private readonly simulator: Simulator | null,
    private readonly fixedAddress: string,
  ) {
    const { title, kind, remark } = contactsDocument;
    const others = element(
      'select',
      { 'aria-label': 'scene', class: 'scene-choice' },
      element('option', { value: '' }, title === '' ? 'this scene' : title),
      ...scenes.filter(({ text }) => text !== options.text).map((one) => element('option', { value: one.name }, one.title)),
    );
    others.addEventListener('change', () => {
      const chosen = scenes.find(({ name }) => name === others.value);
      if (!chosen) return;
      void openContacts({ text: chosen.text, sets: {}, law: '' }).catch((problem: Error) => this.complain(problem.message));
    });
    this.law.addEventListener('change', () => {
      this.options = { ...this.options, law: this.law.value };
      this.show();
      this.keepAddress();
    });
    const form = element(
      'form',
      { class: 'scene-bar', 'aria-label': 'the contacts' },
      ...(scenes.length > 0 ? [others] : [element('b', {}, title)]),
      this.law,
      this.fields,
      this.said,
      this.command,
      ...(remark === '' ? [] : [element('span', { class: 'hint' }, `assumed: ${remark}`)]),
      this.message,
    );
    form.addEventListener('submit', (event) => event.preventDefault());
    this.host = element(
      'main',
      { id: 'motion-page', class: 'with-contacts' },
      form,
      this.pictures,
      element('div', { class: 'many-lists' }, this.contacts, this.steps, this.bodies),
    );
    this.host.dataset['kind'] = kind;
    if (kind === 'scene') this.makeFields();
    this.unwatch = watchTheme(() => this.show());
    this.makeLaws();
  }

  address(): string {
    return this.fixedAddress === '' ? `#${toContactsAddress(this.options)}` : this.fixedAddress;
  }

  /** What is shown. */
  answer(): ContactsAnswer {
    return this.contactsDocument.answers.find(({ law }) => law === this.options.law)!;
  }

  closed() {
    this.unwatch();
    this.simulator?.cancel();
    delete window.contactsPage;
  }

  private keepAddress() {
    if (isStayAddress(location.hash)) history.replaceState(history.state, '', this.address());
  }

  private complain(text: string) {
    this.message.textContent = text;
    this.message.hidden = text === '';
  }

  private makeLaws() {
    const { answers, contacts } = this.contactsDocument;
    const own = [...new Set(contacts.map(({ law }) => law))].join(', ');
    this.law.replaceChildren(
      ...answers.map(({ law, error }) =>
        element('option', { value: law, disabled: error !== undefined, title: error?.message }, law === '' ? `${own} (scene)` : law),
      ),
    );
    const wanted = answers.find(({ law, error }) => law === this.options.law && !error);
    const usual = answers.find(({ law, error }) => law === 'routh' && !error);
    const first = answers.find(({ error }) => !error);
    this.options = { ...this.options, law: (wanted ?? (answers[0]!.error ? (usual ?? first) : answers[0]))?.law ?? answers[0]!.law };
    this.law.value = this.options.law;
  }

  /** e and mu of all contacts; empty: each has its own. */
  private makeFields() {
    const parameters = parametersOf(this.laws).filter(({ kind, name }) => kind === 'number' && ['e', 'mu', 'e_t'].includes(name));
    this.fields.replaceChildren(...parameters.map((parameter) => this.field(parameter)));
  }

  private field(parameter: Parameter): HTMLElement {
    const field = new NumberField({
      label: symbol(parameter.name),
      name: `${parameter.name} of every contact: ${parameter.meaning}; ${parameter.range}`,
      low: parameter.low,
      lowOpen: parameter.lowOpen,
      high: parameter.high,
      highOpen: parameter.highOpen,
      magnitude: () => 0.1,
      defaultText: 'scene',
      onChange: (value) => {
        const sets = { ...this.options.sets };
        if (value === null) delete sets[parameter.name];
        else sets[parameter.name] = value;
        this.options = { ...this.options, sets };
        void this.ask();
      },
    });
    field.input.dataset['choice'] = parameter.name;
    field.show(this.options.sets[parameter.name] ?? null);
    return field.root;
  }

  private sets(): string[] {
    return Object.entries(this.options.sets).map(([name, value]) => `${name}=${numberText(value)}`);
  }

  /** Resolved again with other parameters; what was shown stays where they are refused. */
  private async ask() {
    if (!this.simulator) return;
    ++this.busy;
    try {
      const { document } = await this.simulator.contacts(this.options.text, this.sets());
      this.contactsDocument = document;
      this.complain('');
      this.makeLaws();
      this.show();
      this.keepAddress();
    } catch (problem) {
      if (this.busy === 1) this.complain(problem instanceof Error ? problem.message : String(problem));
    } finally {
      --this.busy;
    }
  }

  show() {
    const answer = this.answer();
    const { outcome } = answer;
    setHair(this.pictures);
    this.pictures.replaceChildren(picture(outcome ? outcome.before : this.contactsDocument.before));
    if (outcome) this.pictures.append(picture(outcome.after));
    else this.pictures.append(element('p', { class: 'hint' }, answer.error?.message ?? 'no outcome: the sequence does not settle'));
    for (const title of this.pictures.querySelectorAll('title')) {
      const contact = /^contact (\d+):/.exec(title.textContent ?? '');
      const mark = title.parentElement;
      if (!contact || !mark || mark.tagName === 'svg') continue;
      mark.classList.add('many-mark');
      mark.addEventListener('click', () => void this.openContact(Number(contact[1]) - 1));
    }
    const energy = outcome ? `, ΔE ${shortNumber(outcome.energy_change).replaceAll('-', '−')} J, ${outcome.permissible ? 'permissible' : `violates ${outcome.violated.join(', ')}`}` : '';
    setText(this.said, `${answer.error?.message ?? answer.verdict ?? ''}${energy}`);
    this.said.title = answer.ties ?? '';
    const parts = [this.contactsDocument.kind === 'robot' ? 'ricochet impact ROBOT --contacts all' : 'ricochet simultaneous SCENE.toml'];
    if (this.options.law !== '') parts.push(`--law ${this.options.law}`);
    for (const set of this.sets()) parts.push(`--set ${set}`);
    setText(this.command, parts.join(' '));
    this.showContacts(answer);
    this.showSteps(answer);
    this.showBodies(answer);
  }

  private showContacts(answer: ContactsAnswer) {
    const { contacts } = this.contactsDocument;
    const outcomes = answer.outcome?.contacts ?? [];
    const speed = Math.max(...contacts.map(({ V }) => Math.hypot(...V)), ...outcomes.map(({ V }) => Math.hypot(...V)));
    const impulse = Math.max(0, ...outcomes.map(({ P }) => Math.hypot(...P)));
    const rows = contacts.map((contact, i) => {
      const { n, V, bodies } = contact;
      const after = outcomes[i];
      const open = element('button', { type: 'button', class: 'many-open', title: 'open this contact in impulse space' }, `${bodies[0]} – ${bodies[1]}`);
      open.addEventListener('click', () => void this.openContact(i));
      const row = element(
        'tr',
        { 'data-contact': i },
        element('th', { scope: 'row' }, `${i + 1}`),
        element('td', {}, open),
        cell(shown(dot(V, n), speed), 'V_n'),
        cell(shown(across(V, n), speed), 'V_t'),
        cell(after ? shown(dot(after.P, n), impulse) : '', 'P_n'),
        cell(after ? shown(across(after.P, n), impulse) : '', 'P_t'),
        cell(after ? shown(dot(after.V, n), speed) : '', 'V_n_after'),
        cell(after ? shown(across(after.V, n), speed) : '', 'V_t_after'),
        element('td', { class: after && !after.permissible ? 'bad' : '', 'data-key': 'certificate' }, after ? (after.permissible ? 'permissible' : `violates ${after.violated.join(', ')}`) : ''),
      );
      return row;
    });
    const heads: Head[] = [
      [''],
      ['contact'],
      ['$V_n$⁻ [m/s]', 'normal speed'],
      ['slip⁻ [m/s]', 'V'],
      ['$P_n$ [N s]', 'P_n'],
      ['|$P_t$| [N s]', 'P_t'],
      ['$V_n$⁺ [m/s]', 'V_n'],
      ['slip⁺ [m/s]', 'V_t'],
      ['certificate', 'certificate'],
    ];
    this.contacts.replaceChildren(
      element('h2', {}, `${contacts.length} ${contacts.length === 1 ? 'contact' : 'contacts'}`),
      element('p', { class: 'hint' }, ...mathematicsNodes('An impulse acts on the second body; $V_n$ < 0 approaches. A click opens the contact by itself in impulse space.')),
      element('div', { class: 'many-scroll', tabindex: 0 }, table(heads, rows)),
    );
  }

  private showSteps(answer: ContactsAnswer) {
    const steps = answer.steps ?? [];
    const { contacts } = this.contactsDocument;
    this.steps.hidden = steps.length === 0;
    const speed = Math.max(0, ...steps.map(({ V }) => Math.hypot(...V)));
    const impulse = Math.max(0, ...steps.map(({ P }) => Math.hypot(...P)));
    const rows = steps.map((step, i) => {
      const contact = step.contact === null ? null : contacts[step.contact]!;
      const name = contact ? `${step.contact! + 1}: ${contact.bodies.join(' – ')}` : 'a hinge';
      const open = element('button', { type: 'button', class: 'many-open', disabled: !contact, title: 'open this collision in impulse space' }, name);
      open.addEventListener('click', () => void this.openStep(step, i));
      const n = contact?.n;
      return element(
        'tr',
        { 'data-step': i },
        element('th', { scope: 'row' }, `${i + 1}`),
        element('td', {}, open),
        cell(n ? shown(dot(step.V, n), speed) : shown(Math.hypot(...step.V), speed), 'V_n'),
        cell(n ? shown(dot(step.P, n), impulse) : shown(Math.hypot(...step.P), impulse), 'P_n'),
        cell(step.mode),
        cell(shortNumber(step.energy_change).replaceAll('-', '−'), 'energy'),
      );
    });
    const all = answer.collisions ?? 0;
    this.steps.replaceChildren(
      element('h2', {}, all > steps.length ? `The first ${steps.length} of ${all} collisions` : `${all} ${all === 1 ? 'collision' : 'collisions'} in sequence`),
      element('p', { class: 'hint' }, `The fastest approach first. ${answer.ties ? `${answer.ties}.` : ''}`),
      element('div', { class: 'many-scroll', tabindex: 0 }, table([[''], ['contact'], ['$V_n$⁻ [m/s]', 'normal speed'], ['$P_n$ [N s]', 'P_n'], ['mode', 'mode'], ['ΔE [J]', 'energy']], rows)),
    );
  }

  private showBodies(answer: ContactsAnswer) {
    const { bodies } = this.contactsDocument;
    const after = answer.outcome?.bodies ?? [];
    const speed = Math.max(...bodies.map(({ velocity }) => Math.hypot(...velocity)), ...after.map(({ velocity }) => Math.hypot(...velocity)));
    const turns = bodies.some(({ angular_velocity }) => angular_velocity !== null);
    const spin = Math.max(0, ...[...bodies, ...after].map(({ angular_velocity }) => Math.hypot(...(angular_velocity ?? [0]))));
    const turned = (w: Vec3 | null | undefined) => (w ? vector(w, spin) : '');
    const rows = bodies
      .map((body, i) => ({ body, then: after[i] }))
      .filter(({ body }) => !body.fixed)
      .map(({ body, then }) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, body.name),
          cell(vector(body.velocity, speed)),
          cell(then ? vector(then.velocity, speed) : ''),
          ...(turns ? [cell(turned(body.angular_velocity)), cell(turned(then?.angular_velocity))] : []),
        ),
      );
    const heads: Head[] = [[this.contactsDocument.kind === 'robot' ? 'link' : 'body'], ['v⁻ [m/s]', 'v'], ['v⁺ [m/s]', 'v']];
    if (turns) heads.push(['ω⁻ [rad/s]', 'ω'], ['ω⁺ [rad/s]', 'ω']);
    this.bodies.replaceChildren(element('h2', {}, 'Bodies'), element('div', { class: 'many-scroll', tabindex: 0 }, table(heads, rows)));
  }

  /** As it is at first; where it does not approach then, as it is first struck. */
  private async openContact(index: number) {
    const contact = this.contactsDocument.contacts[index]!;
    const step = this.answer().steps?.findIndex((one) => one.contact === index) ?? -1;
    if (dot(contact.V, contact.n) >= -1e-12 * Math.hypot(...contact.V) && step >= 0) return this.openStep(this.answer().steps![step]!, step);
    await this.open(contact.collision, `contact ${index + 1}: ${contact.bodies.join(' – ')}`);
  }

  private async openStep(step: ContactsStep, index: number) {
    if (step.contact === null) return;
    const contact = this.contactsDocument.contacts[step.contact]!;
    await this.open(contact.collision, `collision ${index + 1}, contact ${step.contact + 1}: ${contact.bodies.join(' – ')}`, step);
  }

  private async open(text: string, label: string, step?: ContactsStep) {
    try {
      await openFromStay({ text, label, law: this.options.law, ...(step ? { V: step.V, bodies: step.bodies } : {}) });
    } catch (problem) {
      this.complain(problem instanceof Error ? problem.message : String(problem));
    }
  }
}

/** A column, and the row of the glossary that explains it. */
type Head = [title: string, term?: string];

function table(heads: Head[], rows: HTMLElement[]): HTMLElement {
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...heads.map(([title, term]) => element('th', { scope: 'col', 'data-term': term, tabindex: term === undefined ? undefined : 0 }, ...mathematicsNodes(title))))),
    element('tbody', {}, ...rows),
  );
}

function take(page: ContactsPage, laws: LawInfo[]) {
  explain(laws);
  takeStay({ host: page.host, title: page.contactsDocument.title || 'contacts', address: () => page.address(), closed: () => page.closed() });
  window.contactsPage = page;
  page.show();
}

/** Throws an error that says why the page cannot show it; the page is then as it was. */
export async function openContacts(options: ContactsOptions) {
  const simulator = new Simulator();
  try {
    const sets = Object.entries(options.sets).map(([name, value]) => `${name}=${numberText(value)}`);
    const { document, laws, scenes } = await simulator.contacts(options.text, sets);
    const onPage = isStayAddress(location.hash);
    const page = new ContactsPage(document, laws, scenes, options, simulator, '');
    take(page, laws);
    if (onPage) history.replaceState(history.state, '', page.address());
  } catch (problem) {
    simulator.cancel();
    throw problem;
  }
}

/** A document that lies beside the page: `#contacts=contacts.json`. */
export async function fetchContacts(name: string) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  const document = (await answer.json()) as ContactsDocument;
  take(new ContactsPage(document, [], [], { text: '', sets: {}, law: '' }, null, `#contacts=${encodeURIComponent(name)}`), []);
}
