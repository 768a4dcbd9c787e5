/** Impulse space in three dimensions: the contact's own axes, n up, t (against the initial slip) to the right. */

import { LinearSRGBColorSpace, PerspectiveCamera, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Vec3 } from '../documents';
import { termOf } from '../explain';
import { setHair, themed } from './colour';
import { mathematicsNodes, paintMathematics, plainText, textWidth } from './mathematics';
import { createSpaceScene, layers, type Label, type Layer, type Reading } from './space_scene';
import { above } from './tip';
import { unit } from './vectors';
import type { Frame, View, ViewOptions } from './view';
import './views.css';

/** From above and a little from the right, so that the section's plane is seen almost face on (CR98 Fig. 2). */
const firstLook: Vec3 = unit([0.46, 0.36, 1]);
const fieldOfView = 26;

/** Whether the processor itself draws: there, smooth edges in every picture would cost more than all the rest. */
function drawsInSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return false;
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Shows why there is no view, in its place. */
function withoutPicture(root: HTMLElement, why: string): View {
  const message = document.createElement('div');
  message.className = 'view-message';
  message.setAttribute('role', 'status');
  message.textContent = why;
  root.append(message);
  return {
    update() {},
    fit() {},
    png: () => Promise.reject(new Error(why)),
    dispose: () => root.remove(),
  };
}

export function createSpaceView(host: HTMLElement, options: ViewOptions): View {
  const root = document.createElement('div');
  root.className = 'view view-space';
  host.append(root);

  const canvas = document.createElement('canvas');
  const software = drawsInSoftware();
  const context = canvas.getContext('webgl2', {
    antialias: !software,
    alpha: false,
    powerPreference: 'high-performance',
  });
  if (!context)
    return withoutPicture(
      root,
      'Impulse space needs WebGL 2, which this browser does not offer. The section shows the same collision.',
    );

  // ---- what is on the page ----

  const toggles = document.createElement('div');
  toggles.className = 'view-layers';
  toggles.setAttribute('role', 'group');
  toggles.setAttribute('aria-label', 'Shown in impulse space');
  const stage = document.createElement('div');
  stage.className = 'view-stage';
  stage.tabIndex = 0;
  stage.setAttribute('role', 'img');
  stage.setAttribute('aria-label', 'Impulse space');
  const labelsRoot = document.createElement('div');
  labelsRoot.className = 'view-labels';
  labelsRoot.setAttribute('aria-hidden', 'true');
  const tip = document.createElement('div');
  tip.className = 'view-tip';
  tip.hidden = true;
  const note = document.createElement('div');
  note.className = 'view-note';
  note.setAttribute('role', 'status');
  note.hidden = true;
  const legend = document.createElement('ul');
  legend.className = 'view-laws';
  legend.setAttribute('aria-label', 'Laws shown');
  stage.append(canvas, labelsRoot, tip);
  root.append(toggles, stage, legend, note);

  const shows = new Map<Layer, HTMLInputElement>();
  const swatches = new Map<Layer, HTMLElement>();
  for (const layer of layers) {
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = true;
    box.addEventListener('change', () => frame && refresh());
    const swatch = document.createElement('span');
    swatch.className = `view-swatch view-swatch-${layer.key}`;
    const name = document.createElement('span');
    name.append(...mathematicsNodes(layer.name));
    label.dataset['term'] = termOf(layer.name);
    label.append(box, swatch, name);
    toggles.append(label);
    shows.set(layer.key, box);
    swatches.set(layer.key, swatch);
  }
  const shown = (layer: Layer) => shows.get(layer)!.checked;

  // ---- what is in the scene ----

  const renderer = new WebGLRenderer({ canvas, context });
  renderer.outputColorSpace = LinearSRGBColorSpace;
  renderer.localClippingEnabled = true;
  const camera = new PerspectiveCamera(fieldOfView, 1, 0.05, 60);
  const controls = new OrbitControls(camera, canvas);
  controls.minDistance = 0.6;
  controls.maxDistance = 25;
  controls.rotateSpeed = 0.8;
  // Up and down stays the page's on a touch screen.
  canvas.style.touchAction = 'pan-y';

  const space = createSpaceScene();

  // ---- state ----

  let frame: Frame | null = null;
  let dark: boolean | null = null;
  let pending = false;
  let requested = 0;
  let described = 0;
  let width = 0;
  let height = 0;
  let holding = false;
  /** Whether the camera has been put somewhere. */
  let looking = false;

  // ---- drawing ----

  function homeCamera(): void {
    looking = true;
    const aspect = Math.min(1, width / Math.max(1, height));
    const distance = 0.94 / Math.sin((fieldOfView * Math.PI) / 360) / aspect ** 0.85;
    camera.position.set(...firstLook).multiplyScalar(distance);
    controls.target.set(0, 0, 0);
    controls.update();
  }

  function readColours(isDark: boolean): void {
    dark = isDark;
    setHair(root);
    space.readColours(root, isDark);
    for (const layer of layers) swatches.get(layer.key)!.style.setProperty('--swatch', themed(layer.colour, isDark));
    renderer.setClearColor(space.ink.paper, 1);
  }

  function drawLegend(): void {
    const names = frame!.answers.map((answer) => answer.law);
    for (const law of frame!.reaches) if (!names.includes(law)) names.push(law);
    while (legend.children.length > names.length) legend.lastElementChild!.remove();
    names.forEach((law, i) => {
      let item = legend.children[i] as HTMLElement | undefined;
      if (!item) {
        item = document.createElement('li');
        item.append(document.createElement('span'), document.createElement('span'));
        item.firstElementChild!.className = 'view-swatch';
        legend.append(item);
      }
      const colour = frame!.colour(law);
      const mark = item.firstElementChild as HTMLElement;
      if (mark.dataset.colour !== colour) {
        mark.dataset.colour = colour;
        mark.style.setProperty('--swatch', colour);
      }
      if (item.lastElementChild!.textContent !== law) item.lastElementChild!.textContent = law;
    });
    legend.hidden = names.length === 0;
  }

  function refresh(): void {
    if (!frame) return;
    if (width < 20 || height < 20) {
      pending = true;
      return;
    }
    pending = false;
    // Without the geometry only impulses are drawn, and a note says why.
    note.hidden = frame.inspect !== null;
    note.textContent = frame.problem;
    if (dark !== frame.dark) readColours(frame.dark);
    space.draw(frame, shown, holding);
    drawLegend();
    if (!coarseWhileMoving()) render();
    if (!described) described = window.setTimeout(describe, 400);
  }

  function describe(): void {
    described = 0;
    if (!frame) return;
    const parts = layers.filter((layer) => shown(layer.key)).map((layer) => plainText(layer.name));
    const mu = frame.inspect ? `, friction coefficient ${frame.inspect.mu}` : '';
    const laws = frame.answers.map((answer) => answer.law);
    const text =
      `Impulse space${mu}: ${parts.join(', ')}` +
      `; ${laws.length === 0 ? 'no law' : `impulses of ${laws.join(', ')}`}. Arrow keys turn, plus and minus zoom, Home resets.`;
    if (stage.getAttribute('aria-label') !== text) stage.setAttribute('aria-label', text);
  }

  // ---- on the screen ----

  function request(): void {
    if (!requested) requested = requestAnimationFrame(render);
    coarseWhileMoving();
  }

  /** Fine when it has come to rest. Whether it has been drawn for that. */
  function coarseWhileMoving(): boolean {
    if (!software) return false;
    clearTimeout(resting);
    resting = window.setTimeout(() => setRatio(restingRatio()), 250);
    return setRatio(movingRatio());
  }
  let resting = 0;
  const movingRatio = () => (software ? 0.6 : Math.min(window.devicePixelRatio || 1, 2));
  const restingRatio = () => (software ? Math.max(1, Math.min(2, Math.sqrt(3e6 / (width * height)))) : movingRatio());

  function setRatio(ratio: number): boolean {
    if (renderer.getPixelRatio() === ratio) return false;
    renderer.setPixelRatio(ratio);
    space.setPixelRatio(ratio);
    // At once: a canvas that was resized is empty until it is drawn.
    render();
    return true;
  }

  const projected = new Vector3();
  function onPage(at: Vec3): [number, number] {
    projected.set(...at).project(camera);
    return [((projected.x + 1) / 2) * width, ((1 - projected.y) / 2) * height];
  }

  /** Label placement: primary labels always, secondary ones only on free space. */
  function placeLabels(): { label: Label; x: number; y: number; wide: number }[] {
    const taken: [number, number, number, number][] = [];
    const out: { label: Label; x: number; y: number; wide: number }[] = [];
    const ordered = [...space.labels.filter((label) => !label.quiet), ...space.labels.filter((label) => label.quiet)];
    for (const label of ordered) {
      const [px, py] = onPage(label.at);
      const wide = textWidth(label.text, label.quiet ? 10.5 : 13);
      let [x, y] = [px + label.shift[0], py + label.shift[1]];
      if (label.kept) [x, y] = [Math.min(width - 12, Math.max(12, x)), Math.min(height - 10, Math.max(10, y))];
      const box: [number, number, number, number] = [x - wide / 2 - 2, x + wide / 2 + 2, y - 7, y + 7];
      if (x < 4 || x > width - 4 || y < 4 || y > height - 4) continue;
      if (label.quiet && taken.some((o) => o[0] < box[1] && box[0] < o[1] && o[2] < box[3] && box[2] < o[3])) continue;
      taken.push(box);
      out.push({ label, x, y, wide });
    }
    return out;
  }

  function showLabels(): void {
    const placedLabels = placeLabels();
    while (labelsRoot.children.length < placedLabels.length) labelsRoot.append(document.createElement('span'));
    for (let i = 0; i < labelsRoot.children.length; ++i) {
      const span = labelsRoot.children[i] as HTMLElement;
      const item = placedLabels[i];
      if (!item) {
        if (!span.hidden) span.hidden = true;
        continue;
      }
      if (span.hidden) span.hidden = false;
      if (span.dataset.text !== item.label.text) {
        span.dataset.text = item.label.text;
        span.replaceChildren(...mathematicsNodes(item.label.text));
      }
      span.className = item.label.quiet ? 'quiet' : '';
      span.style.transform = `translate(${(item.x - item.wide / 2).toFixed(1)}px, ${(item.y - 8).toFixed(1)}px)`;
    }
  }

  function render(): void {
    cancelAnimationFrame(requested);
    requested = 0;
    if (!space.origin || width < 20 || height < 20) return;
    camera.updateMatrixWorld();
    renderer.render(space.scene, camera);
    // Asynchronous, so that the page is not blocked.
    context!.flush();
    showLabels();
  }

  function size(): void {
    const [w, h] = [stage.clientWidth, stage.clientHeight];
    if (w === width && h === height) return;
    width = w;
    height = h;
    if (w < 20 || h < 20) return;
    space.canvasSize.set(w, h);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    renderer.setSize(w, h, false);
    setRatio(movingRatio());
    if (!looking) homeCamera();
    if (pending) refresh();
    render();
    request();
  }
  const sizes = new ResizeObserver(size);
  sizes.observe(stage);
  controls.addEventListener('change', request);

  // ---- pointer and keys ----

  // To keep scrolling possible, a wheel zooms only a focused view, or with Ctrl.
  stage.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && document.activeElement !== stage) event.stopImmediatePropagation();
    },
    { capture: true },
  );

  const pointerAt = (event: PointerEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const overHandle = (event: PointerEvent) => {
    if (!space.handle) return false;
    const [px, py] = pointerAt(event);
    const [hx, hy] = onPage(space.handle);
    return Math.hypot(px - hx, py - hy) < 13;
  };
  stage.addEventListener(
    'pointerdown',
    (event) => {
      stage.focus({ preventScroll: true });
      if (event.button !== 0 || !overHandle(event)) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      tip.hidden = true;
      holding = true;
      stage.setPointerCapture(event.pointerId);
      stage.classList.add('held');
    },
    { capture: true },
  );
  stage.addEventListener('pointermove', (event) => {
    if (holding) {
      const mu = frictionAt(...pointerAt(event));
      if (mu === null) return;
      options.onChange({ mu });
      say(`$μ$ = ${mu}`, pointerAt(event));
      return;
    }
    if (event.buttons !== 0) return void (tip.hidden = true);
    read(event);
  });
  // A finger reads what it has tapped, until the next tap.
  stage.addEventListener('click', (event) => (event as PointerEvent).pointerType === 'touch' && read(event as PointerEvent));
  stage.addEventListener('blur', () => (tip.hidden = true));
  function read(event: PointerEvent): void {
    const [px, py] = pointerAt(event);
    let best: Reading | null = null;
    let least = 11;
    const over = overHandle(event);
    stage.style.cursor = over ? 'ew-resize' : '';
    for (const candidate of over ? [{ at: space.handle!, text: 'friction cone (drag: $μ$)' }] : space.readings) {
      const [ax, ay] = onPage(candidate.at);
      const distance = Math.hypot(ax - px, ay - py);
      if (distance < Math.max(least, over ? 13 : 0)) {
        least = distance;
        best = candidate;
      }
    }
    tip.hidden = !best;
    if (best) say(best.text, onPage(best.at));
  }
  function say(text: string, [ax, ay]: [number, number]): void {
    tip.hidden = false;
    tip.replaceChildren(...mathematicsNodes(text));
    tip.style.left = `${Math.max(2, Math.min(width - tip.offsetWidth - 2, ax + 12))}px`;
    tip.style.top = `${above(ay, tip.offsetHeight, height)}px`;
  }
  stage.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && (tip.hidden = true));
  for (const name of ['pointerup', 'pointercancel'] as const)
    stage.addEventListener(name, () => {
      if (!holding) return;
      holding = false;
      tip.hidden = true;
      stage.classList.remove('held');
      refresh();
    });

  /** μ of the cone whose rim is under a place of the page, in the plane of n and t; null where there is none. */
  function frictionAt(px: number, py: number): number | null {
    const O = space.origin;
    if (!O) return null;
    const from = camera.position;
    const through = new Vector3((2 * px) / width - 1, 1 - (2 * py) / height, 0.5).unproject(camera);
    const along = through.sub(from);
    if (Math.abs(along.z) < 1e-6) return null;
    const s = (O[2] - from.z) / along.z;
    const [x, y] = [from.x + s * along.x - O[0], from.y + s * along.y - O[1]];
    if (!(s > 0) || y <= 0) return null;
    return x <= 0 ? 0 : Number((x / y).toPrecision(3));
  }

  function turn(sideways: number, upwards: number): void {
    const offset = camera.position.clone().sub(controls.target);
    const radius = offset.length();
    const azimuth = Math.atan2(offset.x, offset.z) + sideways;
    const polar = Math.min(Math.PI - 0.05, Math.max(0.05, Math.acos(offset.y / radius) - upwards));
    offset.set(Math.sin(polar) * Math.sin(azimuth), Math.cos(polar), Math.sin(polar) * Math.cos(azimuth));
    camera.position.copy(controls.target).addScaledVector(offset, radius);
    controls.update();
    request();
  }

  function reset(): void {
    space.forget();
    homeCamera();
    refresh();
  }

  function approach(factor: number): void {
    const offset = camera.position.clone().sub(controls.target);
    const length = Math.min(controls.maxDistance, Math.max(controls.minDistance, offset.length() * factor));
    camera.position.copy(controls.target).addScaledVector(offset.normalize(), length);
    controls.update();
    request();
  }

  stage.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 0.35 : 0.09;
    const byKey: Record<string, () => void> = {
      ArrowLeft: () => turn(-by, 0),
      ArrowRight: () => turn(by, 0),
      ArrowUp: () => turn(0, by),
      ArrowDown: () => turn(0, -by),
      '+': () => approach(0.88),
      '=': () => approach(0.88),
      '-': () => approach(1 / 0.88),
      Home: reset,
    };
    const act = byKey[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- the view ----

  async function png(): Promise<Blob> {
    if (!frame || !space.origin || width < 20 || height < 20)
      throw new Error(frame?.problem || 'there is nothing to draw yet');
    const ratio = 2;
    const before = renderer.getPixelRatio();
    const rows = legendRows();
    const picture = document.createElement('canvas');
    picture.width = ratio * width;
    picture.height = ratio * (height + rows.length * 18 + 8);
    const pen = picture.getContext('2d')!;
    pen.scale(ratio, ratio);
    pen.fillStyle = `#${space.ink.paper.getHexString()}`;
    pen.fillRect(0, 0, picture.width, picture.height);
    // Without smooth edges of its own, from a picture of twice the size.
    setRatio(software ? 2 * ratio : ratio);
    render();
    pen.drawImage(canvas, 0, 0, width, height);
    setRatio(before);
    for (const { label, x, y, wide: w } of placeLabels()) {
      pen.fillStyle = `#${(label.quiet ? space.ink.muted : space.ink.ink).getHexString()}`;
      paintMathematics(pen, label.text, x - w / 2, y + 4, label.quiet ? 10.5 : 13);
    }
    rows.forEach((row, i) => {
      const y = height + 12 + 18 * i;
      for (const { name, colour, x } of row) {
        pen.fillStyle = colour;
        pen.fillRect(x, y - 7, 12, 6);
        pen.fillStyle = `#${space.ink.ink.getHexString()}`;
        paintMathematics(pen, name, x + 17, y, 11.5);
      }
    });
    return new Promise((resolve, reject) =>
      picture.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))),
        'image/png',
      ),
    );
  }

  function legendRows(): { name: string; colour: string; x: number }[][] {
    const items = [
      ...layers
        .filter((layer) => shown(layer.key))
        .map((layer) => ({
          name: layer.name as string,
          colour: `#${space.layerColours.get(layer.key)!.getHexString()}`,
        })),
      ...frame!.answers.map((answer) => ({
        name: answer.law,
        colour: `#${space.lawColour(answer.law).getHexString()}`,
      })),
    ];
    const rows: { name: string; colour: string; x: number }[][] = [];
    let x = Infinity;
    for (const item of items) {
      const needs = 17 + textWidth(item.name, 11.5) + 14;
      if (x + needs > width) {
        rows.push([]);
        x = 10;
      }
      rows.at(-1)!.push({ ...item, x });
      x += needs;
    }
    return rows;
  }

  size();
  return {
    update(next) {
      frame = next;
      refresh();
    },
    follow(cursor) {
      space.follow(cursor);
      if (space.origin) request();
    },
    reset,
    fit() {
      size();
      clearTimeout(resting);
      setRatio(restingRatio());
      render();
    },
    png,
    dispose() {
      sizes.disconnect();
      cancelAnimationFrame(requested);
      clearTimeout(described);
      clearTimeout(resting);
      controls.dispose();
      space.dispose();
      renderer.dispose();
      root.remove();
    },
  };
}
