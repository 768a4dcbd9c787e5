/** A scene in motion on the page: simulated in a worker, shown by the motion viewer, and simulated again as asked. */

import './scene.css';
import { element, setText, symbol } from './controls/element';
import { NumberField } from './controls/number_field';
import type { BundledScene, LawInfo } from './documents';
import { motionHost, showIn, takePage } from './motion';
import { Cancelled, Simulator, type Choices, type ReadScene, type SceneDocument } from './simulator';
import { numberText, parametersOf, parseNumber, type Parameter } from './state';
import type { Flight } from './scrubber';
import { isStayAddress, openFromStay } from './visit';

/** TOML with bodies and without stated contacts, and not one collision (as explore tells them apart). */
export const isScene = (text: string) => {
  const has = (pattern: RegExp) => pattern.test(text);
  return has(/^\s*\[\[\s*body\s*\]\]/m) && !has(/^\s*\[\[\s*contact\s*\]\]/m) && !has(/^\s*(n|point|V)\s*=/m);
};

const defaultUntil = 10;
const first = ['e', 'mu'];

export interface SceneOptions {
  law: string;
  /** Parameters under their names on the command line. */
  settings: Record<string, number>;
  until: number;
}

declare global {
  interface Window {
    scenePage?: ScenePage;
  }
}

/** `scene=TOML&law=NAME&e=0.5&until=4`, each percent-encoded. */
export function fromSceneAddress(address: string): { text: string; options: SceneOptions } {
  const options: SceneOptions = { law: '', settings: {}, until: defaultUntil };
  let text = '';
  for (const part of address.split('&')) {
    const at = part.indexOf('=');
    const key = part.slice(0, at);
    const value = decodeURIComponent(part.slice(at + 1));
    if (key === 'scene') text = value;
    else if (key === 'law') options.law = value;
    else {
      const number = parseNumber(value);
      if (number === null) throw new Error(`${key}: ${value}: must be a number`);
      if (key === 'until') options.until = number;
      else options.settings[key] = number;
    }
  }
  return { text, options };
}

function toSceneAddress(text: string, { law, settings, until }: SceneOptions): string {
  const parts = [`scene=${encodeURIComponent(text)}`];
  if (law !== '') parts.push(`law=${encodeURIComponent(law)}`);
  for (const [name, value] of Object.entries(settings)) parts.push(`${name}=${numberText(value)}`);
  if (until !== defaultUntil) parts.push(`until=${numberText(until)}`);
  return parts.join('&');
}

export class ScenePage {
  private readonly law: HTMLSelectElement;
  private readonly fields = element('span', { class: 'scene-fields' });
  private readonly until: NumberField;
  private readonly go = element('button', { type: 'submit', class: 'scene-go' }, 'Simulate');
  private readonly stop = element('button', { type: 'button', class: 'scene-stop', hidden: true }, 'Cancel');
  private readonly bar = element('progress', { max: 1, value: 0, 'aria-label': 'simulated time', hidden: true });
  private readonly said = element('output', { class: 'scene-said', 'aria-live': 'polite' });
  private readonly message = element('p', { class: 'message', role: 'alert', hidden: true });
  private readonly command = element('code', { title: 'the same on the command line' });
  private readonly place = element('div', { class: 'scene-viewer' });
  readonly host: HTMLElement;
  /** Of the motion that is shown. */
  address = '';
  /** The event that was last opened in impulse space. */
  private opened = -1;
  /** A simulation goes on. */
  busy = false;

  constructor(
    private readonly simulator: Simulator,
    private readonly text: string,
    private readonly scene: SceneDocument,
    private readonly laws: LawInfo[],
    scenes: BundledScene[],
    private options: SceneOptions,
  ) {
    const own = scene.pairs > 0 ? `${scene.law}, pairs` : scene.law;
    this.law = element(
      'select',
      { 'aria-label': 'law', class: 'scene-law' },
      element('option', { value: '' }, `${own} (scene)`),
      ...laws.map(({ name }) => element('option', { value: name }, name)),
    );
    this.law.value = options.law;
    this.law.addEventListener('change', () => {
      this.options = { ...this.options, law: this.law.value };
      this.makeFields();
      this.showCommand();
    });
    this.until = new NumberField({
      label: 'until',
      name: 'simulated time [s]',
      low: 0,
      lowOpen: true,
      magnitude: () => 10,
      onChange: (value) => this.change({ until: value ?? defaultUntil }),
    });
    this.until.input.dataset['choice'] = 'until';
    this.until.show(options.until);
    const others = element(
      'select',
      { 'aria-label': 'scene', class: 'scene-choice' },
      element('option', { value: '' }, scene.title === '' ? 'this scene' : scene.title),
      ...scenes.filter((one) => one.text !== text).map((one) => element('option', { value: one.name }, one.title)),
    );
    others.addEventListener('change', () => {
      const chosen = scenes.find(({ name }) => name === others.value);
      if (chosen) void openScene(chosen.text).catch((problem: Error) => this.complain(problem.message));
    });
    const form = element(
      'form',
      { class: 'scene-bar', 'aria-label': 'the simulation' },
      others,
      this.law,
      this.fields,
      element('span', { class: 'scene-until' }, this.until.root, ' s'),
      this.go,
      this.stop,
      this.bar,
      this.said,
      this.command,
      this.message,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.simulate();
    });
    this.stop.addEventListener('click', () => this.simulator.cancel());
    this.host = motionHost(form, this.place);
    this.host.classList.add('with-scene');
    this.makeFields();
    this.showCommand();
  }

  private change(change: Partial<SceneOptions>) {
    this.options = { ...this.options, ...change };
    this.showCommand();
  }

  /** Numbers of the law: e, mu and what the scene gives, the others on demand. */
  private makeFields() {
    const name = this.options.law || this.scene.law;
    const parameters = parametersOf(this.laws.filter((law) => law.name === name)).filter(({ kind }) => kind === 'number');
    const known = parameters.map((parameter) => parameter.name);
    const settings = Object.fromEntries(Object.entries(this.options.settings).filter(([key]) => known.includes(key)));
    this.options = { ...this.options, settings };
    const shown = (parameter: Parameter) =>
      first.includes(parameter.name) || parameter.name in this.scene.parameters || parameter.name in settings;
    const others = parameters.filter((parameter) => !shown(parameter));
    const more = element('button', { type: 'button', class: 'quiet' }, 'more…');
    more.title = others.map((parameter) => parameter.name).join(', ');
    more.addEventListener('click', () => more.replaceWith(...others.map((parameter) => this.field(parameter))));
    this.fields.replaceChildren(
      ...parameters.filter(shown).map((parameter) => this.field(parameter)),
      ...(others.length > 0 ? [more] : []),
    );
  }

  /** Empty: that of the scene, or the law's own default. */
  private field(parameter: Parameter): HTMLElement {
    const given = this.scene.parameters[parameter.name];
    const own = typeof given === 'number' ? numberText(given) : parameter.defaultText;
    const field = new NumberField({
      label: symbol(parameter.name),
      name: `${parameter.name}: ${parameter.meaning}; ${parameter.range}`,
      low: parameter.low,
      lowOpen: parameter.lowOpen,
      high: parameter.high,
      highOpen: parameter.highOpen,
      magnitude: () => 0.1,
      defaultText: own === '' ? 'none' : own,
      onChange: (value) => {
        const settings = { ...this.options.settings };
        if (value === null) delete settings[parameter.name];
        else settings[parameter.name] = value;
        this.change({ settings });
      },
    });
    field.input.dataset['choice'] = parameter.name;
    field.show(this.options.settings[parameter.name] ?? null);
    return field.root;
  }

  private choices(): Choices {
    const { law, settings, until } = this.options;
    return { law, until, sets: Object.entries(settings).map(([name, value]) => `${name}=${numberText(value)}`) };
  }

  private showCommand() {
    const { law, sets, until } = this.choices();
    const parts = ['ricochet simulate SCENE.toml'];
    if (law !== '') parts.push(`--law ${law}`);
    for (const one of sets) parts.push(`--set ${one}`);
    if (until !== defaultUntil) parts.push(`--until ${numberText(until)}`);
    setText(this.command, parts.join(' '));
  }

  private complain(text: string) {
    this.message.textContent = text;
    this.message.hidden = text === '';
  }

  private working(busy: boolean) {
    this.busy = busy;
    this.go.hidden = busy;
    this.stop.hidden = !busy;
    this.bar.hidden = !busy;
    this.bar.value = 0;
    this.host.setAttribute('aria-busy', String(busy));
  }

  /** The contact of an impact in impulse space. */
  private async open(event: number) {
    try {
      const { collision, together } = await this.simulator.event(event);
      const others = together > 1 ? `, one of ${together} contacts struck at this instant` : '';
      this.opened = event;
      await openFromStay({ text: collision, label: `event ${event + 1}${others}`, law: '' });
    } catch (problem) {
      this.complain(problem instanceof Error ? problem.message : String(problem));
    }
  }

  /** The motion beside the impact that was opened, with one time cursor for both. */
  dock() {
    const { motionViewer: viewer } = window;
    const event = viewer?.motion.events[this.opened];
    if (!viewer || !event) return;
    if (viewer.playing) viewer.toggle();
    const times = viewer.motion.events.map(({ time }) => time);
    const [first, last] = [viewer.motion.times[0]!, viewer.motion.times.at(-1)!];
    const flight: Flight = {
      from: Math.max(first, ...times.filter((time) => time < event.time)),
      at: event.time,
      to: Math.min(last, ...times.filter((time) => time > event.time)),
      seek: (time) => viewer.seek(time),
    };
    const place = document.querySelector<HTMLElement>('#flight')!;
    place.replaceChildren(viewer.root);
    place.hidden = false;
    document.dispatchEvent(new CustomEvent<Flight | null>('flight', { detail: flight }));
  }

  undock() {
    const place = document.querySelector<HTMLElement>('#flight')!;
    if (place.hidden) return;
    const { motionViewer: viewer } = window;
    const time = viewer?.time ?? 0;
    document.dispatchEvent(new CustomEvent<Flight | null>('flight', { detail: null }));
    if (viewer) {
      this.place.replaceChildren(viewer.root);
      viewer.seek(time);
    }
    place.hidden = true;
  }

  /** The motion that was shown stays until there is another. */
  async simulate() {
    if (this.host.querySelector('.scene-bar input.unread')) {
      this.complain('A field does not hold a number.');
      return;
    }
    const { options } = this;
    const choices = this.choices();
    const begin = performance.now();
    this.complain('');
    this.working(true);
    setText(this.said, 'simulating…');
    try {
      const { summary, document } = await this.simulator.simulate(this.text, choices, (time, events) => {
        this.bar.value = Math.min(1, time / options.until);
        setText(this.said, `${time.toPrecision(3)} of ${options.until} s, ${events} events`);
      });
      const seconds = (performance.now() - begin) / 1000;
      const viewer = await showIn(this.place, document, (event) => void this.open(event));
      this.address = `#${toSceneAddress(this.text, options)}`;
      const { total } = summary.event_counts;
      setText(this.said, `${total} ${total === 1 ? 'event' : 'events'}, computed in ${seconds.toPrecision(2)} s`);
      const until = numberText(Number(summary.time.toPrecision(9)));
      if (summary.status === 'stopped') this.complain(`No motion follows after ${until} s: ${summary.error?.message}`);
      if (summary.status === 'limited')
        this.complain(`Ended at ${until} s: a page plays no more numbers; ricochet simulate goes on.`);
      if (isStayAddress(location.hash)) history.replaceState(history.state, '', this.address);
      viewer.root.focus({ preventScroll: true });
    } catch (problem) {
      const cancelled = problem instanceof Cancelled;
      setText(this.said, cancelled ? 'cancelled' : '');
      if (!cancelled) this.complain(problem instanceof Error ? problem.message : String(problem));
    } finally {
      this.working(false);
    }
  }
}

/** Throws an error that says why the page cannot simulate the scene; the page is then as it was. */
export async function openScene(text: string, options?: SceneOptions) {
  const simulator = new Simulator();
  let read: ReadScene;
  try {
    read = await simulator.read(text);
  } catch (problem) {
    simulator.cancel();
    throw problem;
  }
  const { scene, laws, scenes } = read;
  const page = new ScenePage(simulator, text, scene, laws, scenes, options ?? { law: '', settings: {}, until: defaultUntil });
  page.address = `#${toSceneAddress(text, options ?? { law: '', settings: {}, until: defaultUntil })}`;
  const stay = {
    host: page.host,
    title: scene.title || 'a scene',
    address: () => page.address,
    left: () => page.dock(),
    returned: () => page.undock(),
  };
  takePage(stay, () => {
    page.undock();
    simulator.cancel();
    delete window.scenePage;
  });
  window.scenePage = page;
  await page.simulate();
}
