/** Many straight pieces of one width in one draw call. The buffers stay; only what is in them changes. */

import { DynamicDrawUsage, InstancedInterleavedBuffer, InterleavedBufferAttribute, type Color } from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import type { Vec3 } from '../documents';

export class LineBatch {
  readonly object: LineSegments2;
  private readonly material: LineMaterial;
  private geometry = new LineSegmentsGeometry();
  private places!: Float32Array;
  private colours!: Float32Array;
  private buffers!: [InstancedInterleavedBuffer, InstancedInterleavedBuffer];
  private count = 0;

  constructor(width: number, opacity: number, order: number, capacity = 256) {
    this.material = new LineMaterial({
      linewidth: width,
      vertexColors: true,
      transparent: true,
      opacity,
      depthWrite: false,
      depthTest: false,
    });
    this.object = new LineSegments2(this.geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
    this.allocate(capacity);
  }

  clear(): void {
    this.count = 0;
  }

  add(a: Vec3, b: Vec3, colour: Color): void {
    if (6 * (this.count + 1) > this.places.length) this.allocate(this.places.length / 3);
    const at = 6 * this.count++;
    this.places.set(a, at);
    this.places.set(b, at + 3);
    for (const i of [0, 3]) {
      this.colours[at + i] = colour.r;
      this.colours[at + i + 1] = colour.g;
      this.colours[at + i + 2] = colour.b;
    }
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
    this.geometry.instanceCount = this.count;
    this.object.visible = this.count > 0;
    for (const buffer of this.buffers) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, 6 * this.count);
      buffer.needsUpdate = true;
    }
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }

  /** Room for so many pieces; those there are kept. */
  private allocate(capacity: number): void {
    const places = new Float32Array(6 * capacity);
    const colours = new Float32Array(6 * capacity);
    if (this.count > 0) {
      places.set(this.places);
      colours.set(this.colours);
      this.geometry.dispose();
      this.geometry = new LineSegmentsGeometry();
      this.object.geometry = this.geometry;
    }
    this.places = places;
    this.colours = colours;
    this.buffers = [new InstancedInterleavedBuffer(places, 6, 1), new InstancedInterleavedBuffer(colours, 6, 1)];
    for (const buffer of this.buffers) buffer.setUsage(DynamicDrawUsage);
    this.geometry.setAttribute('instanceStart', new InterleavedBufferAttribute(this.buffers[0], 3, 0));
    this.geometry.setAttribute('instanceEnd', new InterleavedBufferAttribute(this.buffers[0], 3, 3));
    this.geometry.setAttribute('instanceColorStart', new InterleavedBufferAttribute(this.buffers[1], 3, 0));
    this.geometry.setAttribute('instanceColorEnd', new InterleavedBufferAttribute(this.buffers[1], 3, 3));
  }
}
