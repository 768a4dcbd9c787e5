/** The collision by its two bodies, from which M and V follow. */

import type { Body, ContactDocument, Mat3, Vec3 } from '../documents';
import { fromExtended, isDiagonal, type BodiesForm } from '../state';
import { element, setText } from './element';
import { angleSlider, FieldGroup, positiveSlider, symmetricGroup, vectorGroup } from './field_group';
import { NumberField, positiveRange } from './number_field';

type Quaternion = Body['orientation'];

/** Turns about x, then y, then z, in degrees. */
export function anglesOf([w, x, y, z]: Quaternion): Vec3 {
  const degrees = 180 / Math.PI;
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * degrees,
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))) * degrees,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * degrees,
  ];
}

export function quaternionOf(angles: Vec3): Quaternion {
  const [a, b, c] = angles.map((angle) => (angle * Math.PI) / 360) as Vec3;
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b), Math.cos(c), Math.sin(c)];
  return [
    ca * cb * cc + sa * sb * sc,
    sa * cb * cc - ca * sb * sc,
    ca * sb * cc + sa * cb * sc,
    ca * cb * sc - sa * sb * cc,
  ];
}

class BodyEditor {
  readonly root: HTMLElement;
  private readonly name: HTMLInputElement;
  private readonly fixed: HTMLInputElement;
  private readonly full: HTMLInputElement;
  private readonly massRow: HTMLElement;
  private readonly mass: NumberField;
  private readonly moments: FieldGroup;
  private readonly inertia: FieldGroup;
  private readonly vectors: Record<'position' | 'velocity' | 'angular_velocity', FieldGroup>;
  private readonly angles: FieldGroup;
  private readonly quaternion: FieldGroup;
  private readonly motion: HTMLElement;
  private readonly more: HTMLDetailsElement;
  private body: Body | null = null;
  /** The angles that were typed: those of the quaternion need not be the same ones. */
  private typed: { angles: Vec3; orientation: Quaternion } | null = null;

  constructor(
    private readonly letter: 'A' | 'B',
    edit: (body: Body) => void,
  ) {
    const change = (part: Partial<Body>) => {
      if (this.body) edit({ ...this.body, ...part });
    };
    this.name = element('input', { type: 'text', class: 'name', 'aria-label': `name of body ${letter}`, spellcheck: 'false' });
    this.name.addEventListener('input', () => change({ name: this.name.value }));
    this.fixed = element('input', { type: 'checkbox' });
    this.fixed.addEventListener('change', () => change({ fixed: this.fixed.checked }));
    this.mass = new NumberField({
      label: '',
      name: `mass of ${letter}`,
      low: 0,
      magnitude: () => this.body?.mass ?? 1,
      slider: () => positiveRange(this.body?.mass ?? 1),
      onChange: (mass) => change({ mass: mass ?? 0 }),
    });
    this.massRow = element(
      'div',
      { class: 'row' },
      element('span', { class: 'row-label' }, 'mass'),
      element('span', { class: 'cells of-1' }, this.mass.root),
      element('span', { class: 'unit' }, 'kg'),
    );
    this.moments = new FieldGroup({
      label: 'inertia',
      name: `principal moments of ${letter}`,
      unit: 'kg m²',
      components: ['1', '2', '3'],
      slider: positiveSlider,
      onChange: ([a, b, c]) => change({ inertia: [[a!, 0, 0], [0, b!, 0], [0, 0, c!]] }), // prettier-ignore
    });
    this.inertia = symmetricGroup('inertia', `inertia of ${letter}`, 'kg m²', (inertia) => change({ inertia }));
    this.full = element('input', { type: 'checkbox' });
    this.full.addEventListener('change', () => this.showInertia());
    const vector = (key: 'position' | 'velocity' | 'angular_velocity', label: string | Node, unit: string) =>
      vectorGroup(label, `${key.replace('_', ' ')} of ${letter}`, unit, (value) => change({ [key]: value }));
    this.vectors = {
      position: vector('position', 'centre', 'm'),
      velocity: vector('velocity', element('i', { 'data-term': 'v', tabindex: 0 }, 'v'), 'm/s'),
      angular_velocity: vector('angular_velocity', element('i', { 'data-term': 'ω', tabindex: 0 }, 'ω'), 'rad/s'),
    };
    this.angles = vectorGroup('turned', `turn of ${letter} about`, '°', (angles) => {
      const orientation = quaternionOf(angles);
      this.typed = { angles, orientation };
      change({ orientation });
    }, angleSlider);
    this.quaternion = new FieldGroup({
      label: 'quaternion',
      name: `orientation of ${letter}, quaternion`,
      unit: '',
      components: ['w', 'x', 'y', 'z'],
      onChange: (values) => change({ orientation: values as Quaternion }),
    });
    this.motion = element(
      'div',
      { class: 'motion' },
      this.vectors.position.root,
      this.vectors.velocity.root,
      this.vectors.angular_velocity.root,
      this.angles.root,
    );
    this.more = element(
      'details',
      {},
      element('summary', {}, 'more of this body'),
      this.quaternion.root,
      element('label', { class: 'check' }, this.full, ' products of inertia'),
    );
    this.more.addEventListener('toggle', () => this.showMotion());
    this.root = element(
      'fieldset',
      { class: 'body' },
      element('legend', {}, `Body ${letter} `, this.name),
      element('label', { class: 'check' }, this.fixed, ' fixed, does not yield'),
      this.massRow,
      this.moments.root,
      this.inertia.root,
      this.motion,
      this.more,
    );
  }

  show(body: Body) {
    this.body = body;
    if (this.name.value !== body.name) this.name.value = body.name;
    this.fixed.checked = body.fixed;
    this.massRow.hidden = body.fixed;
    this.mass.show(body.mass);
    this.moments.show(body.inertia.map((row, i) => row[i]!));
    this.inertia.show(body.inertia.flat());
    this.showInertia();
    for (const key of ['position', 'velocity', 'angular_velocity'] as const) this.vectors[key].show(body[key]);
    const same = this.typed?.orientation.every((x, i) => x === body.orientation[i]) ?? false;
    // Rounded to a millionth of a degree for display; the state keeps the quaternion.
    this.angles.show(same ? this.typed!.angles : anglesOf(body.orientation).map((x) => Math.round(x * 1e6) / 1e6));
    this.quaternion.show(body.orientation);
    this.showMotion();
  }

  groups(): [string, { complain(text: string): void }][] {
    const path = this.letter === 'A' ? 'body[1]' : 'body[2]';
    return [
      [`${path}.mass`, this.mass],
      [`${path}.inertia`, { complain: (text) => (this.moments.complain(text), this.inertia.complain(text)) }],
      [`${path}.position`, this.vectors.position],
      [`${path}.velocity`, this.vectors.velocity],
      [`${path}.angular_velocity`, this.vectors.angular_velocity],
      [`${path}.orientation`, this.quaternion],
    ];
  }

  /** A fixed body rarely moves, and the position of its centre has no effect. */
  private showMotion() {
    if (!this.body) return;
    const { fixed, velocity, angular_velocity } = this.body;
    this.motion.hidden = fixed && !this.more.open && [...velocity, ...angular_velocity].every((x) => x === 0);
  }

  private showInertia() {
    if (!this.body) return;
    const diagonal = isDiagonal(this.body.inertia);
    if (!diagonal) this.full.checked = true;
    this.full.disabled = !diagonal; // they would be lost
    this.moments.root.hidden = this.body.fixed || this.full.checked;
    this.inertia.root.hidden = this.body.fixed || !this.full.checked;
  }
}

export class BodiesEditor {
  readonly root: HTMLElement;
  private readonly point: FieldGroup;
  private readonly editors: [BodyEditor, BodyEditor];
  private readonly follows = element('pre', { class: 'follows', tabindex: 0, 'aria-label': 'M and V of the two bodies' });
  private form: BodiesForm | null = null;

  constructor(edit: (form: BodiesForm) => void) {
    this.point = vectorGroup('contact', 'point of contact', 'm', (point) => {
      if (this.form) edit({ ...this.form, point });
    });
    const body = (which: 0 | 1) =>
      new BodyEditor(which === 0 ? 'A' : 'B', (changed) => {
        if (!this.form) return;
        const [A, B] = this.form.bodies;
        edit({ ...this.form, bodies: which === 0 ? [changed, B] : [A, changed] });
      });
    this.editors = [body(0), body(1)];
    this.root = element(
      'div',
      { class: 'form' },
      this.point.root,
      this.editors[0].root,
      this.editors[1].root,
      element('p', { class: 'hint' }, 'M follows from the bodies:'),
      this.follows,
    );
  }

  show(form: BodiesForm) {
    this.form = form;
    this.point.show(form.point);
    this.editors[0].show(form.bodies[0]);
    this.editors[1].show(form.bodies[1]);
  }

  know(contact: ContactDocument) {
    const immovable = contact.immovable === true;
    const rows: Mat3 = immovable ? contact.W : (contact.M.map((row) => row.map(fromExtended)) as Mat3);
    const line = (xs: number[]) => xs.map((x) => Number(x.toPrecision(4)).toString().padStart(9)).join(' ');
    const text = [
      immovable ? 'W [1/kg]; it has an immovable direction and therefore no M' : 'M [kg]',
      ...rows.map(line),
      'V [m/s]',
      line(contact.V),
    ];
    setText(this.follows, text.join('\n'));
  }

  groups(): [string, { complain(text: string): void }][] {
    return [['point', this.point], ...this.editors[0].groups(), ...this.editors[1].groups()];
  }
}
