/** The normal, as a vector or by two angles. */

import type { Vec3 } from '../documents';
import { element } from './element';
import { FieldGroup, vectorGroup } from './field_group';

const degrees = 180 / Math.PI;

export class NormalEditor {
  readonly root: HTMLElement;
  private readonly vector: FieldGroup;
  private readonly angles: FieldGroup;
  private typed: { angles: [number, number]; n: Vec3 } | null = null;

  constructor(edit: (n: Vec3) => void) {
    this.vector = vectorGroup(element('i', { 'data-term': 'n', tabindex: 0 }, 'n'), 'n, normal from A to B', '', edit, null);
    this.angles = new FieldGroup({
      label: 'angles',
      name: 'normal,',
      unit: '°',
      components: ['angle from z', 'azimuth from x'],
      slider: (_, which) => ({ low: which === 0 ? 0 : -180, high: 180, log: false }),
      onChange: ([theta = 0, phi = 0]) => {
        const [a, b] = [theta / degrees, phi / degrees];
        const n: Vec3 = [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
        this.typed = { angles: [theta, phi], n };
        edit(n);
      },
    });
    this.root = element('div', { class: 'form' }, this.vector.root, this.angles.root);
  }

  show(n: Vec3) {
    this.vector.show(n);
    const same = this.typed?.n.every((x, i) => x === n[i]) ?? false;
    const round = (x: number) => Math.round(x * 1e6) / 1e6;
    const polar = Math.atan2(Math.hypot(n[0], n[1]), n[2]) * degrees;
    const azimuth = Math.atan2(n[1], n[0]) * degrees;
    this.angles.show(same ? this.typed!.angles : [round(polar), round(azimuth)]);
  }

  complain(text: string) {
    this.vector.complain(text);
  }
}
