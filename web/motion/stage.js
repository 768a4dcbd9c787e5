/** Draws bodies, planes, lines and arrows with WebGL 2: one light that throws shadows, one picture at a time. */

import { lookingAt, multiplied, orthographic, plus, times, unit } from './linear.js';

/** @typedef {import('./linear.js').Vec} Vec */
/** @typedef {import('./shapes.js').Mesh} Mesh */

const lightCode = `
uniform highp sampler2DShadow shade;
uniform mat4 light;
uniform vec3 sun;
// Share of sunlight that reaches a point.
float sunlight(vec3 at, vec3 n) {
  vec4 p = light * vec4(at, 1.0);
  vec3 s = 0.5 * p.xyz / p.w + 0.5;
  if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
  float slope = 1.0 - max(dot(n, sun), 0.0);
  s.z -= 0.0006 + 0.003 * slope;
  vec2 step = vec2(1.3, 0.55) / float(textureSize(shade, 0).x);
  float sum = texture(shade, s) + texture(shade, s + vec3(step, 0.0)) + texture(shade, s - vec3(step, 0.0));
  step = vec2(-step.y, step.x);
  return (sum + texture(shade, s + vec3(step, 0.0)) + texture(shade, s - vec3(step, 0.0))) / 5.0;
}`;

const bodyVertex = `#version 300 es
in vec3 point;
in vec3 normal;
uniform mat4 camera, model;
out vec3 at, n, own;
void main() {
  vec4 world = model * vec4(point, 1.0);
  at = world.xyz;
  // Sizes along the axes differ for arrows only, where this is near enough.
  n = mat3(model) * normal;
  own = point;
  gl_Position = camera * world;
}`;

const bodyFragment = `#version 300 es
precision highp float;
in vec3 at, n, own;
uniform vec3 colour, eye, up;
uniform float pattern, glow, alpha;
out vec4 result;
${lightCode}
void main() {
  vec3 normal = normalize(n);
  vec3 view = normalize(eye - at);
  if (dot(normal, view) < 0.0) normal = -normal;
  vec3 base = pow(colour, vec3(2.2));
  if (pattern > 0.0) {
    // Octants of body axes, so that turning is seen.
    vec3 edge = clamp(own / max(fwidth(own), vec3(1e-9)), -1.0, 1.0);
    base *= mix(1.0, 0.62, pattern * (0.5 + 0.5 * edge.x * edge.y * edge.z));
  }
  float lit = max(dot(normal, sun), 0.0);
  if (lit > 0.0 && glow < 1.0) lit *= sunlight(at, normal);
  float sky = 0.5 + 0.5 * dot(normal, up);
  float shine = pow(max(dot(normal, normalize(view + sun)), 0.0), 60.0) * lit;
  float rim = pow(1.0 - max(dot(normal, view), 0.0), 4.0);
  vec3 shown = base * (mix(0.24, 0.52, sky) + 0.80 * lit) + vec3(0.22 * shine) + 0.05 * rim;
  shown = mix(shown, base * (0.75 + 0.35 * max(dot(normal, view), 0.0)), glow);
  result = vec4(pow(clamp(shown, 0.0, 1.0), vec3(1.0 / 2.2)), alpha);
}`;

const shadeVertex = `#version 300 es
in vec3 point;
uniform mat4 camera, model;
void main() { gl_Position = camera * model * vec4(point, 1.0); }`;
const shadeFragment = `#version 300 es
precision highp float;
void main() {}`;

const planeVertex = `#version 300 es
in vec3 point;
uniform mat4 camera, model;
uniform vec2 middle;
uniform float half_size;
out vec3 at;
out vec2 place;
void main() {
  place = middle + half_size * point.xy;
  vec4 world = model * vec4(place, 0.0, 1.0);
  at = world.xyz;
  gl_Position = camera * world;
}`;

const planeFragment = `#version 300 es
precision highp float;
in vec3 at;
in vec2 place;
uniform vec3 colour, line, normal;
uniform vec2 middle;
uniform float half_size, cell, blend, ghost;
out vec4 result;
${lightCode}
// How much of a pixel the lines of a grid cover.
float grid(vec2 p) {
  vec2 width = fwidth(p);
  vec2 near = abs(fract(p - 0.5) - 0.5) / max(width, vec2(1e-9));
  vec2 cover = clamp(1.0 - near, 0.0, 1.0) * clamp(1.5 - 3.0 * width, 0.0, 1.0);
  return max(cover.x, cover.y);
}
void main() {
  float far = length(place - middle) / half_size;
  float fade = 1.0 - smoothstep(0.45, 1.0, far);
  float lines = max(0.45 * (1.0 - blend) * grid(place / cell), max(mix(0.85, 0.45, blend) * grid(place / (10.0 * cell)),
    0.85 * blend * grid(place / (100.0 * cell))));
  float shaded = ghost > 0.0 ? 1.0 : mix(0.58, 1.0, sunlight(at, normal));
  vec3 shown = mix(colour * shaded, line, lines);
  result = vec4(shown, fade * (ghost > 0.0 ? max(lines, 0.06) * 0.8 : 1.0));
}`;

const lineVertex = `#version 300 es
in vec3 point, far;
in vec4 tint;
in vec3 corner;
uniform mat4 camera;
uniform vec2 screen;
out vec4 inside;
void main() {
  inside = tint;
  vec4 a = camera * vec4(point, 1.0), b = camera * vec4(far, 1.0);
  const float near = 1e-4;
  if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  gl_Position = corner.x < 0.5 ? a : b;
  gl_Position.xy += corner.z * corner.y * vec2(-along.y, along.x) / screen * gl_Position.w;
  gl_Position.z -= 2e-5 * gl_Position.w;
}`;
const lineFragment = `#version 300 es
precision highp float;
in vec4 inside;
out vec4 result;
void main() { result = inside; }`;

/** A program and the places of its uniforms. */
class Program {
  /** @param {WebGL2RenderingContext} gl @param {string} vertex @param {string} fragment @param {string[]} inputs */
  constructor(gl, vertex, fragment, inputs) {
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, text] of /** @type {[number, string][]} */ ([
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
        throw new Error(gl.getShaderInfoLog(shader) ?? 'a shader does not compile');
      gl.attachShader(program, shader);
    }
    inputs.forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS))
      throw new Error(gl.getProgramInfoLog(program) ?? 'a shader does not link');
    this.program = program;
    /** @type {Map<string, WebGLUniformLocation | null>} */
    this.places = new Map();
  }

  use() {
    this.gl.useProgram(this.program);
    return this;
  }

  /** @param {string} name @param {number | ArrayLike<number>} value */
  set(name, value) {
    const { gl } = this;
    if (!this.places.has(name)) this.places.set(name, gl.getUniformLocation(this.program, name));
    const at = this.places.get(name) ?? null;
    if (typeof value === 'number') gl.uniform1f(at, value);
    else if (value.length === 16) gl.uniformMatrix4fv(at, false, /** @type {Float32Array} */ (value));
    else if (value.length === 3) gl.uniform3f(at, value[0], value[1], value[2]);
    else gl.uniform2f(at, value[0], value[1]);
    return this;
  }
}

/** Triangles on the device. @typedef {{array: WebGLVertexArrayObject, count: number}} Solid */
/** Lines on the device. @typedef {{array: WebGLVertexArrayObject, buffer: WebGLBuffer, count: number}} Lines */
/**
 * One body of a picture.
 * @typedef {{solid: Solid, edges: Lines | null, model: Float32Array, colour: Vec, pattern: number}} Drawn
 */
/** @typedef {{n: Vec, middle: [number, number], half: number, model: Float32Array, ghost: boolean}} Floor */
/** @typedef {{from: Vec, to: Vec, width: number, colour: Vec, alpha: number}} Piece */
/** @typedef {{solid: Solid, model: Float32Array, colour: Vec, alpha: number}} Mark */
/**
 * @typedef {object} Picture
 * @property {Float32Array} camera
 * @property {Vec} eye
 * @property {Vec} up
 * @property {Vec} focus about which shadows are sharp
 * @property {number} reach radius of what is about it
 * @property {number} cell of the grid [m]
 * @property {number} blend from this grid (0) to the next (1)
 * @property {Drawn[]} bodies
 * @property {Floor[]} floors
 * @property {Lines[]} lines
 * @property {Mark[]} marks in front of everything
 * @property {Lines | null} markLines
 * @property {{paper: Vec, floor: Vec, line: Vec}} colours
 */

const shadeSize = 1024;
const lineStride = 13; // point, far, tint, corner

/** Without a graphics card smooth edges cost more than all the rest. */
function inSoftware() {
  const probe = document.createElement('canvas').getContext('webgl2');
  const names = probe?.getExtension('WEBGL_debug_renderer_info');
  const name = probe && names ? String(probe.getParameter(names.UNMASKED_RENDERER_WEBGL)) : '';
  probe?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    /** Whether the device smooths edges; otherwise a picture at rest is drawn with more pixels. */
    this.smooth = !inSoftware();
    const gl = canvas.getContext('webgl2', { antialias: this.smooth, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error('this browser has no WebGL 2');
    this.gl = gl;
    this.body = new Program(gl, bodyVertex, bodyFragment, ['point', 'normal']);
    this.shade = new Program(gl, shadeVertex, shadeFragment, ['point']);
    this.plane = new Program(gl, planeVertex, planeFragment, ['point']);
    this.line = new Program(gl, lineVertex, lineFragment, ['point', 'far', 'tint', 'corner']);
    this.square = this.solid({
      points: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0],
      normals: new Array(18).fill(0),
      edges: [],
      round: false,
    });
    this.depth = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, shadeSize, shadeSize);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
  }

  /** @param {number} size @param {number[]} numbers @param {number} place */
  input(size, numbers, place) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
  }

  /** @param {Mesh} mesh @returns {Solid} */
  solid(mesh) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.input(3, mesh.points, 0);
    this.input(3, mesh.normals, 1);
    gl.bindVertexArray(null);
    return { array, count: mesh.points.length / 3 };
  }

  /** @returns {Lines} */
  lines() {
    const { gl } = this;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    [3, 3, 4, 3].reduce((at, size, place) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * lineStride, 4 * at);
      return at + size;
    }, 0);
    gl.bindVertexArray(null);
    return { array, buffer, count: 0 };
  }

  /** @param {Lines} lines @param {Piece[]} pieces */
  setLines(lines, pieces) {
    const { gl } = this;
    const numbers = new Float32Array(6 * lineStride * pieces.length);
    let i = 0;
    for (const { from, to, width, colour, alpha } of pieces)
      for (const [end, side] of [
        [0, -1],
        [0, 1],
        [1, -1],
        [0, 1],
        [1, 1],
        [1, -1],
      ]) {
        numbers.set([...from, ...to, ...colour, alpha, end, side, width], i);
        i += lineStride;
      }
    gl.bindBuffer(gl.ARRAY_BUFFER, lines.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.DYNAMIC_DRAW);
    lines.count = 6 * pieces.length;
  }

  /**
   * @param {Picture} picture @param {number} width @param {number} height of the canvas in its pixels
   * @param {number} ratio of these to CSS pixels
   */
  draw(picture, width, height, ratio) {
    const { gl, canvas } = this;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const up = picture.up;
    const side = unit(Math.abs(up[2]) > 0.5 ? [0.45, -0.35, 0] : [0.1, 0.2, 0.45]);
    const sun = unit(plus(times(1, up), times(0.55, side)));
    const light = multiplied(
      orthographic(picture.reach, 6 * picture.reach),
      lookingAt(plus(picture.focus, sun), picture.focus, Math.abs(sun[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]),
    );

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, shadeSize, shadeSize);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.shade.use().set('camera', light);
    for (const { solid, model } of picture.bodies) {
      this.shade.set('model', model);
      gl.bindVertexArray(solid.array);
      gl.drawArrays(gl.TRIANGLES, 0, solid.count);
    }

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    const { paper, floor, line } = picture.colours;
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.bindTexture(gl.TEXTURE_2D, this.depth);

    const screen = [width / ratio, height / ratio];
    this.body
      .use()
      .set('camera', picture.camera)
      .set('light', light)
      .set('sun', sun)
      .set('eye', picture.eye)
      .set('up', up);
    this.body.set('glow', 0).set('alpha', 1);
    for (const { solid, model, colour, pattern } of picture.bodies) {
      this.body.set('model', model).set('colour', colour).set('pattern', pattern);
      gl.bindVertexArray(solid.array);
      gl.drawArrays(gl.TRIANGLES, 0, solid.count);
    }

    gl.enable(gl.BLEND);
    this.plane
      .use()
      .set('camera', picture.camera)
      .set('light', light)
      .set('sun', sun)
      .set('colour', floor)
      .set('line', line);
    this.plane.set('cell', picture.cell).set('blend', picture.blend);
    gl.bindVertexArray(this.square.array);
    for (const { n, middle, half, model, ghost } of picture.floors) {
      gl.depthMask(!ghost);
      this.plane
        .set('normal', n)
        .set('model', model)
        .set('middle', middle)
        .set('half_size', half)
        .set('ghost', ghost ? 1 : 0);
      gl.drawArrays(gl.TRIANGLES, 0, 6);
    }
    gl.depthMask(false);

    this.line.use().set('screen', screen);
    for (const { edges, model } of picture.bodies)
      if (edges) {
        this.line.set('camera', multiplied(picture.camera, model));
        this.drawLines(edges);
      }
    this.line.set('camera', picture.camera);
    for (const lines of picture.lines) this.drawLines(lines);

    // In front of everything, yet hiding each other as solids do.
    gl.depthRange(0, 0.002);
    if (picture.markLines) this.drawLines(picture.markLines);
    gl.depthMask(true);
    this.body.use().set('glow', 1).set('pattern', 0);
    for (const { solid, model, colour, alpha } of picture.marks) {
      this.body.set('model', model).set('colour', colour).set('alpha', alpha);
      gl.bindVertexArray(solid.array);
      gl.drawArrays(gl.TRIANGLES, 0, solid.count);
    }
    gl.depthRange(0, 1);
    gl.bindVertexArray(null);
  }

  /** @param {Lines} lines */
  drawLines(lines) {
    if (lines.count === 0) return;
    this.gl.bindVertexArray(lines.array);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, lines.count);
  }

  dispose() {
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}
