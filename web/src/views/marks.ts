/** Points of a scene. */

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Points, ShaderMaterial } from 'three';
import type { Vec3 } from '../documents';

export interface Mark {
  at: Vec3;
  colour: Color;
  /** Across, in CSS pixels. */
  size: number;
}

/** Marks of a fixed size on the screen, ringed in the paper's colour. */
export class Marks {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  private readonly geometry = new BufferGeometry();
  private capacity = 0;

  constructor() {
    const material = new ShaderMaterial({
      vertexShader: `
attribute vec3 colour;
attribute float size;
uniform float ratio;
varying vec3 inside;
varying float pixels;
void main() {
  inside = colour;
  pixels = size * ratio;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = pixels;
}`,
      fragmentShader: `
uniform vec3 paper;
varying vec3 inside;
varying float pixels;
void main() {
  float r = length(gl_PointCoord - 0.5) * pixels;
  float outer = 0.5 * pixels;
  float alpha = clamp(outer - r, 0.0, 1.0);
  if (alpha <= 0.0) discard;
  gl_FragColor = vec4(mix(paper, inside, clamp(outer - r - 1.2, 0.0, 1.0)), alpha);
}`,
      uniforms: { ratio: { value: 1 }, paper: { value: new Color() } },
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.object = new Points(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 20;
  }

  set(marks: readonly Mark[]): void {
    if (marks.length > this.capacity) {
      this.capacity = Math.max(64, 2 * marks.length);
      this.geometry.dispose();
      for (const [name, width] of [
        ['position', 3],
        ['colour', 3],
        ['size', 1],
      ] as const)
        this.geometry.setAttribute(
          name,
          new BufferAttribute(new Float32Array(width * this.capacity), width).setUsage(DynamicDrawUsage),
        );
    }
    const { position, colour, size } = this.geometry.attributes;
    marks.forEach((mark, i) => {
      position!.setXYZ(i, ...mark.at);
      colour!.setXYZ(i, mark.colour.r, mark.colour.g, mark.colour.b);
      size!.setX(i, mark.size);
    });
    for (const attribute of [position, colour, size]) if (attribute) attribute.needsUpdate = true;
    this.geometry.setDrawRange(0, marks.length);
  }

  setPaper(colour: Color): void {
    (this.object.material.uniforms.paper!.value as Color).copy(colour);
  }

  setPixelRatio(ratio: number): void {
    this.object.material.uniforms.ratio!.value = ratio;
  }

  dispose(): void {
    this.geometry.dispose();
    this.object.material.dispose();
  }
}
