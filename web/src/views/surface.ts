/** Translucent surfaces, denser where they are seen edge on, so that their outlines show. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Mesh,
  ShaderMaterial,
  type Plane,
} from 'three';

const vertexShader = `
#include <clipping_planes_pars_vertex>
varying vec3 toEye;
#ifndef FLAT
varying vec3 outward;
#endif
void main() {
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  toEye = -mvPosition.xyz;
#ifndef FLAT
  outward = normalMatrix * normal;
#endif
  gl_Position = projectionMatrix * mvPosition;
#include <clipping_planes_vertex>
}`;

const fragmentShader = `
uniform vec3 colour;
uniform float base;
uniform float rim;
#include <clipping_planes_pars_fragment>
varying vec3 toEye;
#ifndef FLAT
varying vec3 outward;
#endif
void main() {
#include <clipping_planes_fragment>
#ifdef FLAT
  vec3 n = normalize(cross(dFdx(toEye), dFdy(toEye)));
#else
  vec3 n = normalize(outward);
#endif
  float edge = 1.0 - abs(dot(n, normalize(toEye)));
  float light = 0.86 + 0.14 * abs(dot(n, vec3(0.37, 0.82, 0.44)));
  gl_FragColor = vec4(colour * light, base + rim * edge * edge * edge);
}`;

export interface SurfaceLook {
  /** How dense, seen from the front. */
  base: number;
  /** How much denser, seen edge on. */
  rim: number;
  order: number;
  /** Normals from the triangles themselves. */
  flat: boolean;
  planes: Plane[];
}

export function makeSurface(geometry: BufferGeometry, look: SurfaceLook): Mesh<BufferGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    vertexShader,
    fragmentShader,
    uniforms: { colour: { value: new Color() }, base: { value: look.base }, rim: { value: look.rim } },
    defines: look.flat ? { FLAT: '' } : {},
    transparent: true,
    depthWrite: false,
    depthTest: false,
    side: DoubleSide,
    // Both sides in one pass: where nothing hides anything, the order of sides does not show.
    forceSinglePass: true,
    clipping: look.planes.length > 0,
    clippingPlanes: look.planes,
  });
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = look.order;
  mesh.matrixAutoUpdate = false;
  return mesh;
}

export function colourOf(mesh: Mesh<BufferGeometry, ShaderMaterial>): Color {
  return mesh.material.uniforms.colour!.value as Color;
}

/** Changing triangles: buffers grow as needed and are reused. */
export class ChangingTriangles {
  readonly geometry = new BufferGeometry();
  places = new Float32Array(0);
  corners = new Uint32Array(0);

  /** Reserves space and discards the contents. */
  reserve(points: number, corners: number): void {
    if (3 * points > this.places.length || corners > this.corners.length) {
      // A buffer's size on the device is fixed: the old one goes.
      this.geometry.dispose();
      this.places = new Float32Array(Math.max(3 * points, Math.ceil(1.5 * this.places.length)));
      this.corners = new Uint32Array(Math.max(corners, Math.ceil(1.5 * this.corners.length)));
      this.geometry.setAttribute('position', new BufferAttribute(this.places, 3).setUsage(DynamicDrawUsage));
      this.geometry.setIndex(new BufferAttribute(this.corners, 1).setUsage(DynamicDrawUsage));
    }
  }

  done(corners: number): void {
    this.geometry.setDrawRange(0, corners);
    if (corners === 0) return;
    this.geometry.attributes.position!.needsUpdate = true;
    this.geometry.index!.needsUpdate = true;
  }
}
