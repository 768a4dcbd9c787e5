/** Many straight pieces of one width on the screen, in one draw call. The buffers stay; only what is in them changes.
 *  Not instanced: software renderers draw instance by instance. */

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Mesh,
  ShaderMaterial,
  type Color,
  type Vector2,
} from 'three';
import type { Vec3 } from '../documents';

const vertexShader = `
attribute vec3 far;
attribute vec2 corner;
attribute vec3 colour;
uniform vec2 size;
uniform float width;
uniform float least;
varying vec3 inside;
const float near = 0.05;
void main() {
  inside = colour;
  vec4 a = projectionMatrix * viewMatrix * vec4(position, 1.0);
  vec4 b = projectionMatrix * viewMatrix * vec4(far, 1.0);
  // Points behind the camera are not on the screen.
  if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  float distance = length(along);
  along = distance > 0.0 ? along / distance : vec2(1.0, 0.0);
  // Ends reach a little over, so that a chain has no gaps at its corners.
  vec2 shift = max(width, least) * (0.5 * corner.y * vec2(-along.y, along.x) + 0.2 * (2.0 * corner.x - 1.0) * along);
  gl_Position = corner.x < 0.5 ? a : b;
  gl_Position.xy += 2.0 * shift / size * gl_Position.w;
}`;

const fragmentShader = `
uniform float opacity;
varying vec3 inside;
void main() {
  gl_FragColor = vec4(inside, opacity);
}`;

export class LineBatch {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly geometry = new BufferGeometry();
  private starts = new Float32Array(0);
  private ends = new Float32Array(0);
  private colours = new Uint8Array(0);
  private capacity = 0;
  private count = 0;

  /** Shared by all batches of a scene: `size`, that of the canvas, in the pixels that `width` is measured in, and `least`,
   *  what one pixel of the screen takes of them: thinner lines would have holes. */
  constructor(size: { value: Vector2 }, least: { value: number }, width: number, opacity: number, order: number, capacity = 256) {
    const material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      side: DoubleSide,
      forceSinglePass: true,
      uniforms: { size, least, width: { value: width }, opacity: { value: opacity } },
      transparent: true,
      depthWrite: false,
      depthTest: false,
    });
    this.object = new Mesh(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
    this.allocate(capacity);
  }

  clear(): void {
    this.count = 0;
  }

  add(a: Vec3, b: Vec3, colour: Color): void {
    if (this.count === this.capacity) this.allocate(2 * this.capacity);
    const [red, green, blue] = [255 * colour.r, 255 * colour.g, 255 * colour.b];
    for (let i = 12 * this.count; i < 12 * (this.count + 1); i += 3) {
      this.starts[i] = a[0];
      this.starts[i + 1] = a[1];
      this.starts[i + 2] = a[2];
      this.ends[i] = b[0];
      this.ends[i + 1] = b[1];
      this.ends[i + 2] = b[2];
      this.colours[i] = red;
      this.colours[i + 1] = green;
      this.colours[i + 2] = blue;
    }
    ++this.count;
  }

  /** A chain of points; a null leaves a hole. */
  chain(points: readonly (Vec3 | null)[], colour: Color, closed = false): void {
    for (let i = 0; i + 1 < points.length + (closed ? 1 : 0); ++i) {
      const a = points[i];
      const b = points[(i + 1) % points.length];
      if (a && b) this.add(a, b, colour);
    }
  }

  /** A straight line in pieces: `on` drawn, `off` left out. */
  dashes(a: Vec3, b: Vec3, on: number, off: number, colour: Color): void {
    const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    const at = (s: number): Vec3 => [
      a[0] + (s / length) * (b[0] - a[0]),
      a[1] + (s / length) * (b[1] - a[1]),
      a[2] + (s / length) * (b[2] - a[2]),
    ];
    for (let s = 0; s < length; s += on + off) this.add(at(s), at(Math.min(length, s + on)), colour);
  }

  done(): void {
    this.geometry.setDrawRange(0, 6 * this.count);
    this.object.visible = this.count > 0;
    for (const name of ['position', 'far', 'colour']) {
      const attribute = this.geometry.attributes[name] as BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, 12 * this.count);
      attribute.needsUpdate = true;
    }
  }

  dispose(): void {
    this.geometry.dispose();
    this.object.material.dispose();
  }

  /** Reserves space for this many pieces, keeping the existing ones. */
  private allocate(capacity: number): void {
    const grown = <A extends Float32Array | Uint8Array>(made: A, old: A): A => {
      made.set(old);
      return made;
    };
    this.starts = grown(new Float32Array(12 * capacity), this.starts);
    this.ends = grown(new Float32Array(12 * capacity), this.ends);
    this.colours = grown(new Uint8Array(12 * capacity), this.colours);
    this.capacity = capacity;
    const corners = new Int8Array(8 * capacity);
    const index = new Uint32Array(6 * capacity);
    for (let i = 0; i < capacity; ++i) {
      corners.set([0, -1, 0, 1, 1, -1, 1, 1], 8 * i);
      index.set(
        [0, 1, 2, 1, 3, 2].map((corner) => 4 * i + corner),
        6 * i,
      );
    }
    // A buffer's size on the device is fixed: the old ones go.
    this.geometry.dispose();
    this.geometry.setAttribute('position', new BufferAttribute(this.starts, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('far', new BufferAttribute(this.ends, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('colour', new BufferAttribute(this.colours, 3, true).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('corner', new BufferAttribute(corners, 2));
    this.geometry.setIndex(new BufferAttribute(index, 1));
  }
}
