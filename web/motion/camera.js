/** A camera that orbits a target: drag turns, Shift or the right button moves, the wheel comes closer. */

import { across, cross, dot, lookingAt, minus, multiplied, perspective, plus, times, unit } from './linear.js';

/** @typedef {import('./linear.js').Vec} Vec */

const opening = 0.6; // vertical, rad
const aside = 0.38; // rad, of the first view from straight on
const above = 0.3;

/** A finger or a mouse button that is held, and where. @typedef {{x: number, y: number}} Held */

export class Camera {
  /** @param {HTMLElement} surface @param {() => void} changed */
  constructor(surface, changed) {
    this.changed = changed;
    /** @type {Vec} */
    this.up = [0, 0, 1];
    /** @type {Vec} */
    this.home = [0, 0, 0];
    this.size = 1;
    /** @type {Vec} */
    this.target = [0, 0, 0];
    this.distance = 4;
    this.front = 0;
    this.turn = 0;
    this.rise = above;
    this.listen(surface);
  }

  /**
   * What is seen at first: a ball about the motion, with the longer of its horizontal extents across.
   * @param {Vec} centre @param {number} size @param {Vec} up @param {Vec} extent
   */
  frame(centre, size, up, extent) {
    this.home = centre;
    this.size = size;
    this.up = up;
    const x = across(up);
    const [along, beside] = [x, cross(up, x)].map((a) => Math.abs(dot(a, extent)));
    this.front = along <= beside ? Math.PI : Math.PI / 2;
    this.reset();
  }

  reset() {
    this.target = [...this.home];
    this.distance = (0.92 * this.size) / Math.sin(opening / 2);
    this.turn = this.front + aside;
    this.rise = above;
    this.changed();
  }

  /** @param {number} turn @param {number} rise [rad] */
  orbit(turn, rise) {
    this.turn += turn;
    this.rise = Math.min(1.55, Math.max(-1.55, this.rise + rise));
    this.changed();
  }

  /** @param {number} factor */
  zoom(factor) {
    this.distance = Math.min(1e3 * this.size, Math.max(1e-3 * this.size, this.distance * factor));
    this.changed();
  }

  get eye() {
    const x = across(this.up);
    const y = cross(this.up, x);
    const flat = plus(times(Math.cos(this.turn), x), times(Math.sin(this.turn), y));
    const away = plus(times(Math.cos(this.rise), flat), times(Math.sin(this.rise), this.up));
    return plus(this.target, times(this.distance, away));
  }

  /** World to clip space. @param {number} aspect */
  matrix(aspect) {
    const angle = aspect >= 1 ? opening : 2 * Math.atan(Math.tan(opening / 2) / aspect);
    const near = 0.01 * this.distance;
    return multiplied(perspective(angle, aspect, near, 400 * this.distance), lookingAt(this.eye, this.target, this.up));
  }

  /** Moves the target with the screen, by parts of its height. @param {number} right @param {number} down */
  pan(right, down) {
    const away = unit(minus(this.eye, this.target));
    const x = unit(cross(this.up, away));
    const y = cross(away, x);
    const height = 2 * this.distance * Math.tan(opening / 2);
    this.target = plus(this.target, plus(times(-right * height, x), times(down * height, y)));
    this.changed();
  }

  /** @param {HTMLElement} surface */
  listen(surface) {
    /** @type {Map<number, Held>} */
    const held = new Map();
    surface.addEventListener('pointerdown', (event) => {
      surface.setPointerCapture(event.pointerId);
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    for (const end of ['pointerup', 'pointercancel'])
      surface.addEventListener(end, (event) => held.delete(/** @type {PointerEvent} */ (event).pointerId));
    surface.addEventListener('pointermove', (event) => {
      const last = held.get(event.pointerId);
      if (!last) return;
      const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
      const [before] = [...held.entries()].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const height = surface.clientHeight || 1;
      if (before) {
        // Two fingers: their distance zooms, their middle moves.
        const [old, now] = [last, { x: event.clientX, y: event.clientY }].map((at) =>
          Math.hypot(at.x - before.x, at.y - before.y),
        );
        this.pan(dx / 2 / height, dy / 2 / height);
        if (old > 0 && now > 0) this.zoom(old / now);
      } else if (event.shiftKey || (event.buttons & 6) !== 0) {
        this.pan(dx / height, dy / height);
      } else {
        this.orbit((-3.2 * dx) / height, (3.2 * dy) / height);
      }
    });
    surface.addEventListener('contextmenu', (event) => event.preventDefault());
    surface.addEventListener(
      'wheel',
      (event) => {
        if (!document.hasFocus()) return; // in a frame that the reader scrolls past
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 30 : 1;
        this.zoom(Math.exp(0.0012 * lines * event.deltaY));
      },
      { passive: false },
    );
    surface.addEventListener('dblclick', () => this.reset());
  }

  /**
   * Where a point of the world is on a screen of this size; null behind the camera.
   * @param {Float32Array} matrix @param {ArrayLike<number>} p @param {number} width @param {number} height
   * @returns {[number, number] | null}
   */
  static onScreen(matrix, p, width, height) {
    const at = (/** @type {number} */ i) =>
      matrix[i] * p[0] + matrix[4 + i] * p[1] + matrix[8 + i] * p[2] + matrix[12 + i];
    const w = at(3);
    if (w <= 0) return null;
    return [(0.5 + (0.5 * at(0)) / w) * width, (0.5 - (0.5 * at(1)) / w) * height];
  }

  /** How many metres one pixel is at the target. @param {number} height of the screen in pixels */
  pixel(height) {
    return (2 * this.distance * Math.tan(opening / 2)) / height;
  }

  /** Directions of the world's axes on the screen, [right, up, towards]. @returns {Vec[]} */
  axes() {
    const away = unit(minus(this.eye, this.target));
    const x = unit(cross(this.up, away));
    const y = cross(away, x);
    return /** @type {Vec[]} */ ([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).map((e) => [dot(e, x), dot(e, y), dot(e, away)]); // prettier-ignore
  }
}
