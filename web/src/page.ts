/** The application: holds the state, calls the library, and passes results to panel, table and views. */

import { Panel } from './controls';
import { differences } from './compare';
import { element, setText } from './controls/element';
import { isContacts, openContacts } from './contacts';
import type { BodySpeeds, ContactDocument, Fault, Vec3 } from './documents';
import type { Engine } from './engine';
import { explain } from './explain';
import { fileStem, save, toCpp, toCsv, toPython } from './export';
import { coalesced, makeFrame, seldom, type Timing } from './frame';
import { isMotion, openMotion } from './motion';
import { isScene, openScene } from './scene';
import { PaneHost, panes } from './panes';
import { Past } from './past';
import { lengthened, shortened } from './short_link';
import { commentOf, defaultSelection, fromAddress, fromDocument, realized, StateError, toAddress, toToml, type Form, type State } from './state';
import { Scrubber, type Flight } from './scrubber';
import { OutcomeTable } from './table';
import { followTheme, isDark, watchTheme } from './theme';
import { Tour } from './tour';
import { isStayAddress, type Explorer, type OpenedContact } from './visit';
import type { Change, Cursor, Frame } from './views/view';

/** For scripts and tests. */
export interface Scripting {
  engine: Engine;
  state(): State;
  text(): string;
  frame(): Frame;
  address(): string;
  /** Where the impact is that is followed; null: it is not. */
  cursor(): Cursor | null;
  timings: Timing[];
}

declare global {
  interface Window {
    ricochet: Scripting;
  }
}

const firstScene = 'default';
const pastedName = 'pasted text';
const addressAfter = 300; // ms of rest; browsers refuse more than a few changes a second
const tableEvery = 120; // ms; nobody reads faster, and pictures have the time
const kept = 600; // timings
const allAfter = 1500; // ms; pictures in sight come first

function faultText(where: string, { message, line }: Fault): string {
  const place = line > 0 ? `${where}, line ${line}` : where;
  return `${place}: ${message}`;
}

export class Page implements Explorer {
  /** What the fields hold, and the last of it that could be drawn. */
  private draft: State;
  private good: State;
  private scene = '';
  private frame: Frame | null = null;
  private readonly timings: Timing[] = [];
  private readonly panel: Panel;
  private readonly showTable: (frame: Frame) => void;
  private readonly hosts: PaneHost[];
  private readonly scrubber: Scrubber;
  private readonly past: Past;
  /** The collision came with the address, which is not yet as the page writes it. */
  private arrived = true;
  private holding = false;
  private cursor: Cursor | null = null;
  private pinned: { state: State; frame: Frame } | null = null;
  private readonly request = coalesced(() => this.draw());
  private addressTimer: ReturnType<typeof setTimeout> | null = null;
  private speedShown = 0;
  /** Why the fields hold something else than what is drawn; empty where they do not. */
  private wrong = '';

  constructor(
    private readonly engine: Engine,
    private readonly tell: (text: string) => void,
  ) {
    const place = (id: string) => document.querySelector<HTMLElement>(`#${id}`)!;
    this.panel = new Panel(place('panel'), engine, {
      edit: (change) => this.edit(change(this.draft)),
      start: (scene) => this.start(scene),
      open: (file) => void this.open(file),
      realize: () => this.realize(),
      reread: () => this.request(),
    });
    const table = new OutcomeTable(place('outcomes'), engine.laws, (law) => {
      const laws = engine.laws.map(({ name }) => name).filter((name) => name === law || this.draft.laws.includes(name));
      this.edit({ ...this.draft, focus: law, laws });
    });
    this.showTable = seldom(
      tableEvery,
      (frame) => table.update(frame),
      (late) => place('outcomes').setAttribute('aria-busy', String(late)),
    );
    this.hosts = panes.map((pane) => new PaneHost(pane, { onChange: (change) => this.dragged(change) }));
    this.hosts.forEach((host, i) => {
      place(i < 2 ? 'first' : 'others').append(host.root);
      this.paneMenu(host);
    });
    this.scrubber = new Scrubber(place('scrubber'), (cursor) => {
      this.cursor = cursor;
      for (const host of this.hosts) host.follow(cursor);
    });
    document.addEventListener('flight', (event) => this.scrubber.fly((event as CustomEvent<Flight | null>).detail));
    // Keys there move both.
    place('flight').addEventListener(
      'keydown',
      (event) => {
        event.stopPropagation();
        this.scrubber.key(event);
      },
      { capture: true },
    );
    explain(engine.laws);
    if (!document.body.classList.contains('embed')) new Tour(place('tour-offer'), place('tour-start'));
    this.places(place('places'));
    this.exportMenu(place('export').querySelector<HTMLElement>('.items')!);
    this.closeMenus();

    if (isStayAddress(location.hash)) watchTheme(this.request); // its button is followed already
    else followTheme(place('theme'), this.request);
    const toggle = place('panel-toggle');
    toggle.addEventListener('click', () => {
      // The pictures have their own scrolling while it is open, and stay where they were.
      const views = place('views');
      const at = Math.max(views.scrollTop, window.scrollY);
      const open = document.body.classList.toggle('panel-open');
      toggle.setAttribute('aria-expanded', String(open));
      if (open) views.scrollTop = at;
      else window.scrollTo(0, at);
    });
    document.querySelector('[data-skip]')!.addEventListener('click', (event) => this.jump(event, 'space'));
    this.acceptDrops();
    this.drawForPrint();

    this.draft = this.good = this.readScene(firstScene);
    this.scene = firstScene;
    this.readAddress(location.href);
    this.past = new Past(() => this.showPast());
    // From the event: the page may already have overwritten the new address.
    window.addEventListener('hashchange', (event) => {
      this.past.arrive();
      this.readAddress(event.newURL);
    });
    this.pastButtons();
    window.addEventListener('pagehide', () => {
      this.arrived = true; // no entry for a page that is left
      this.writeAddress();
    });
    this.request();
  }

  forScripts(): Scripting {
    return {
      engine: this.engine,
      state: () => this.good,
      text: () => toToml(this.good),
      frame: () => this.frame!,
      address: () => this.link(),
      cursor: () => this.cursor,
      timings: this.timings,
    };
  }

  // ---- changes -------------------------------------------------------------------------------------------------------

  private edit(state: State) {
    if (this.scene !== '' && toToml(state) !== toToml(this.draft)) this.scene = '';
    this.draft = state;
    this.arrived = false;
    this.request();
  }

  private dragged({ mu, e, V }: Change) {
    const settings = { ...this.draft.settings };
    if (mu !== undefined) settings['mu'] = mu;
    if (e !== undefined) settings['e'] = e;
    let { form } = this.draft;
    if (V && form.kind === 'contact') form = { ...form, V };
    if (V && form.kind === 'bodies' && this.frame) {
      // V follows from the bodies: the one that was struck, or the one that can move, goes faster by the difference.
      const now = this.frame.outcome.contact.V;
      const which = form.bodies[1].fixed && !form.bodies[0].fixed ? 0 : 1;
      const sign = which === 1 ? 1 : -1;
      const bodies = form.bodies.map((body, i) =>
        i === which ? { ...body, velocity: body.velocity.map((v, k) => v + sign * (V[k]! - now[k]!)) } : body,
      ) as typeof form.bodies;
      form = { ...form, bodies };
    }
    this.edit({ ...this.draft, settings, form });
  }

  private realize() {
    const pair = this.engine.realize(toToml(this.draft));
    if ('error' in pair) {
      this.tell(faultText('No two bodies have this M', pair.error));
      this.request(); // the switch goes back
      return;
    }
    this.tell('');
    this.edit(realized(this.draft, pair));
  }

  // ---- contacts of something larger ----------------------------------------------------------------------------------

  openContact({ text, law, V, bodies }: OpenedContact): string {
    const read = this.read(text);
    if ('message' in read) return faultText('The contact', read);
    let state: State = { ...read, comment: '' };
    if (law !== '') state = { ...state, focus: law, laws: this.engine.laws.map(({ name }) => name).filter((name) => name === law || state.laws.includes(name)) };
    if (V) {
      const document = this.engine.read(text);
      if (!('error' in document)) state = { ...state, form: later(state.form, document.contact, V, bodies ?? null) };
    }
    if (!this.take(state, 'The contact', '')) return document.querySelector('#messages p')!.textContent ?? '';
    this.good = this.draft;
    this.arrived = false;
    this.past.push(`#${toAddress(this.good)}`);
    return '';
  }

  enter(hash: string) {
    this.past.push(hash);
  }

  restored() {
    this.past.push(`#${toAddress(this.good)}`);
    this.request();
  }

  // ---- from outside --------------------------------------------------------------------------------------------------

  private readScene(name: string): State {
    const scene = this.engine.scenes.find((one) => one.name === name) ?? this.engine.scenes[0]!;
    const state = this.read(scene.text);
    if ('message' in state) throw new Error(faultText(scene.name, state));
    return { ...state, comment: '' }; // it is known by its name, and speaks of these very numbers
  }

  private read(text: string): State | Fault {
    const found = this.engine.read(text);
    if ('error' in found) return found.error;
    return { ...fromDocument(found, defaultSelection(this.engine.laws, found.law)), comment: commentOf(text) };
  }

  /** An external state is applied completely or not at all. */
  private take(state: State | Fault, where: string, scene: string): boolean {
    const made = 'message' in state ? { fault: state } : makeFrame(this.engine, state, isDark());
    if ('fault' in made) {
      this.tell(faultText(where, made.fault));
      return false;
    }
    this.tell('');
    this.panel.forget();
    this.draft = state as State;
    this.scene = scene === '' ? this.sceneLike(this.draft) : scene;
    this.request();
    return true;
  }

  /** The starting point that is this very collision; empty: none. */
  private sceneLike(state: State): string {
    const text = toToml(state);
    return this.engine.scenes.find(({ name, title }) => title === state.title && toToml(this.readScene(name)) === text)?.name ?? '';
  }

  private start(scene: string) {
    const selection = { laws: this.draft.laws, focus: this.draft.focus, reaches: this.draft.reaches };
    this.arrived = false;
    this.take({ ...this.readScene(scene), ...selection }, scene, scene);
  }

  private async open(file: File) {
    const text = await file.text();
    this.arrived = false;
    const instead = commandFor(file.name, text);
    if (instead !== '') return this.tell(`${file.name}: ${instead}`);
    if (isMotion(text)) {
      await openMotion(text).then(
        () => this.tell(''),
        (problem: Error) => this.tell(`${file.name}: ${problem.message}`),
      );
      return;
    }
    if (isScene(text)) {
      await openScene(text).then(
        () => this.tell(''),
        (problem: Error) => this.tell(`${file.name}: ${problem.message}; ricochet simulate ${typed(file.name)} may do it`),
      );
      return;
    }
    if (isContacts(text)) {
      await openContacts({ text, sets: {}, law: '' }).then(
        () => this.tell(''),
        (problem: Error) => this.tell(`${file.name}: ${problem.message}; ricochet simultaneous ${typed(file.name)} may do it`),
      );
      return;
    }
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const stream = text.trimStart().startsWith('{') && lines.length > 1 && isObject(lines[0]!);
    const taken = this.take(this.read(stream ? lines[0]! : text), file.name, '');
    if (taken && stream) this.tell(`${file.name}: the first of ${lines.length} collisions`);
  }

  private readAddress(url: string) {
    const address = new URL(url).hash.slice(1);
    this.arrived = true;
    // Back to a page that had not yet written its first collision.
    if (address === '' && this.past) this.take(this.readScene(firstScene), firstScene, firstScene);
    if (address === '' || panes.some(({ id }) => id === address) || isStayAddress(`#${address}`)) return;
    if (address.startsWith('z=')) {
      void lengthened(address).then(
        (whole) => this.readAddress(`${url.replace(/#.*$/s, '')}#${whole}`),
        () => this.tell('The address: z: is cut off or changed; ask for the link again'),
      );
      return;
    }
    if (address.startsWith('toml=')) {
      try {
        this.take(this.read(decodeURIComponent(address.slice(5))), 'The collision in the address', '');
      } catch {
        this.tell('The address: toml: is not percent-encoded text');
      }
      return;
    }
    try {
      this.take(fromAddress(address, this.engine.laws), 'The address', '');
    } catch (problem) {
      if (!(problem instanceof StateError)) throw problem;
      this.tell(`The address: ${problem.message}`);
    }
  }

  /** Paper is light and narrow, and shows all panes. A browser does not wait for what is not there when it prints. */
  private drawForPrint() {
    const { dataset } = document.documentElement;
    let theme: string | undefined;
    window.addEventListener('beforeprint', () => {
      theme = dataset['theme'];
      dataset['theme'] = 'light';
      document.body.classList.add('printing');
      this.draw();
      for (const host of this.hosts) host.fit();
    });
    window.addEventListener('afterprint', () => {
      document.body.classList.remove('printing');
      if (theme === undefined) delete dataset['theme'];
      else dataset['theme'] = theme;
      this.request();
    });
  }

  private async drawAll() {
    for (const host of this.hosts) await host.drawn();
  }

  private acceptDrops() {
    document.addEventListener('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      document.body.classList.add('dropping');
    });
    document.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) document.body.classList.remove('dropping');
    });
    document.addEventListener('drop', (event) => {
      document.body.classList.remove('dropping');
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      void this.open(file);
    });
    // A text that is pasted beside all fields is taken for a file.
    document.addEventListener('paste', (event) => {
      if (event.target instanceof HTMLInputElement) return;
      const text = event.clipboardData?.getData('text').trim() ?? '';
      const file = event.clipboardData?.files[0] ?? (/^[{<]|=/.test(text) ? new File([text], pastedName) : null);
      if (!file) return;
      event.preventDefault();
      void this.open(file);
    });
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------

  private draw() {
    const made = makeFrame(this.engine, this.draft, isDark());
    const begin = performance.now();
    this.panel.show(this.draft, this.scene);
    const unread = this.panel.unread();
    this.wrong = 'fault' in made ? made.fault.message : unread;
    document.body.classList.toggle('stale', this.wrong !== '');
    if ('fault' in made) {
      this.panel.complain(made.fault);
      this.showSpeed('not drawn: see the marked field');
      return;
    }
    const { frame, timing } = made;
    if (this.pinned) {
      // Colours are those of the theme of now.
      this.pinned.frame.dark = frame.dark;
      this.pinned.frame.colour = frame.colour;
      frame.ghost = this.pinned.frame;
    }
    this.good = this.draft;
    this.frame = frame;
    this.timings.push(timing);
    if (this.timings.length > kept) this.timings.shift();
    this.panel.complain(null);
    this.panel.know(frame.outcome, frame.colour);
    this.showTable(frame);
    this.showPinned();
    this.scrubber.update(frame);
    for (const host of this.hosts) host.update(frame);
    timing.drawing = performance.now() - begin;
    const title = `${this.good.title === '' ? 'collision' : this.good.title} · ricochet`;
    if (document.title !== title) document.title = title;
    this.showSpeed(
      unread === '' ? `${frame.outcome.answers.length} laws in ${timing.laws.toFixed(1)} ms` : 'not drawn: see the marked field',
    );
    // The first pass is slow, because the browser is still compiling; the second says how quick it is.
    if (this.timings.length === 1) {
      this.request();
      setTimeout(() => void this.drawAll(), allAfter); // whatever is printed then
    }
    if (this.addressTimer !== null) clearTimeout(this.addressTimer);
    this.restLater();
    if (!this.arrived && this.past) this.showPast();
  }

  private showSpeed(text: string) {
    const now = performance.now();
    if (now - this.speedShown < 250 && this.timings.length > 2 && !document.body.classList.contains('stale')) return; // nobody reads faster
    this.speedShown = now;
    document.querySelector('#speed')!.textContent = text;
  }

  /** A collision at rest is an entry of the history; while something is held, it is not at rest. */
  private restLater() {
    this.addressTimer = setTimeout(() => (this.holding ? this.restLater() : this.writeAddress()), addressAfter);
  }

  private writeAddress() {
    if (this.addressTimer !== null) clearTimeout(this.addressTimer);
    this.addressTimer = null;
    if (document.body.classList.contains('with-motion')) return; // another's address
    const hash = `#${toAddress(this.good)}`;
    if (location.hash !== hash) {
      if (this.arrived) this.past.replace(hash);
      else this.past.push(hash);
    }
    this.arrived = false;
    this.showPast();
  }

  // ---- undo ----------------------------------------------------------------------------------------------------------

  private pastButtons() {
    for (const [name, holding] of [['pointerdown', true], ['pointerup', false], ['pointercancel', false]] as const)
      document.addEventListener(name, () => (this.holding = holding), { capture: true });
    const button = (id: string, act: () => void) => document.querySelector(`#${id}`)!.addEventListener('click', act);
    button('undo', () => this.undo());
    button('redo', () => this.past.redo());
    document.addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || document.body.classList.contains('with-motion')) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      // A field of words has its own undo.
      if (event.target instanceof HTMLInputElement && event.target.type === 'text' && !event.target.classList.contains('number')) return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) this.past.redo();
      else this.undo();
    });
    button('pin', () => this.pin());
    this.showPast();
  }

  private undo() {
    if (this.panel.unread() !== '') return this.panel.forget();
    if (this.draft !== this.good) {
      // What could not be drawn is no entry of the history.
      this.draft = this.good;
      return this.request();
    }
    this.writeAddress();
    this.past.undo();
  }

  // ---- compare -------------------------------------------------------------------------------------------------------

  /** Keeps this collision beside those that follow, or no longer. */
  private pin() {
    if (this.pinned) this.pinned = null;
    else if (this.frame) this.pinned = { state: this.good, frame: { ...this.frame, ghost: null } };
    this.request();
  }

  private showPinned() {
    if (!this.pinned && document.querySelector<HTMLElement>('#pinned')!.hidden) return;
    const button = document.querySelector<HTMLElement>('#pin')!;
    button.setAttribute('aria-pressed', String(this.pinned !== null));
    setText(button, this.pinned ? 'Unpin' : 'Pin');
    const place = document.querySelector<HTMLElement>('#pinned')!;
    place.hidden = this.pinned === null;
    if (!this.pinned) return;
    const changes = differences(this.pinned.state, this.good);
    const name = this.pinned.state.title === '' ? 'the collision' : this.pinned.state.title;
    setText(place, `Pinned: ${name}, dotted in the pictures and beside the numbers of now in the table. ${changes.length === 0 ? 'Nothing differs yet.' : `Since then: ${changes.join('; ')}.`}`);
  }

  private showPast() {
    const button = (id: string) => document.querySelector<HTMLButtonElement>(`#${id}`)!;
    button('undo').disabled = !this.past.canUndo && (this.addressTimer === null || this.arrived);
    button('redo').disabled = !this.past.canRedo;
  }

  private link(): string {
    return `${location.href.replace(/#.*$/s, '')}#${toAddress(this.good)}`;
  }

  private async shortLink(): Promise<string> {
    return `${location.href.replace(/#.*$/s, '')}#${await shortened(toAddress(this.good))}`;
  }

  // ---- menus ---------------------------------------------------------------------------------------------------------

  private places(nav: HTMLElement) {
    const link = (id: string, title: string) => {
      const made = element('a', { href: `#${id}` }, title);
      made.addEventListener('click', (event) => this.jump(event, id));
      return made;
    };
    const links = panes.map(({ id, title }) => link(id, title.replace(/ over .*/, '').replace('Impact p', 'P'))); // there is little room
    links.splice(2, 0, link('outcomes', 'Table'));
    nav.append(...links);
  }

  /** The address holds the collision, so that a jump within the page must leave it alone. */
  private jump(event: Event, id: string) {
    event.preventDefault();
    const target = document.querySelector<HTMLElement>(`#${id}`)!;
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    target.scrollIntoView({ behavior: still ? 'auto' : 'smooth', block: 'start' });
    target.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  private item(menu: HTMLElement, label: string, id: string, tip: string, work: () => unknown) {
    const button = element('button', { type: 'button', 'data-export': id, title: tip }, label);
    button.addEventListener('click', () => {
      const details = menu.closest('details')!;
      const focused = details.contains(document.activeElement);
      details.open = false;
      if (focused) details.querySelector('summary')!.focus();
      if (this.wrong !== '') return this.tell(`${label}: nothing is written, because the picture is not of what the fields hold. ${this.wrong}`);
      if (this.frame) void Promise.resolve(work()).catch((problem: unknown) => this.tell(`${label}: ${String(problem)}`));
    });
    menu.append(button);
  }

  private paneMenu(host: PaneHost) {
    const { pane, menu } = host;
    const name = (ending: string) => `${fileStem(this.good.title)}-${pane.id}.${ending}`;
    this.item(menu, 'PNG, as seen', `${pane.id}-png`, 'the picture on the screen', async () => {
      const view = await host.drawn();
      if (view) save(name('png'), await view.png());
    });
    if (pane.id !== 'space')
      this.item(menu, 'SVG, as seen', `${pane.id}-svg`, 'the drawing on the screen', async () => {
        const view = await host.drawn();
        if (view?.svg) save(name('svg'), view.svg(), 'image/svg+xml');
      });
    this.item(menu, 'SVG, for print', `${pane.id}-figure`, 'as `ricochet figure` writes it', () => {
      const laws = { drawn: this.good.laws, focus: [this.good.focus], 'its own': [] }[pane.laws];
      const figure = this.engine.figure(toToml(this.good), pane.figure, laws);
      if ('error' in figure) this.tell(faultText(pane.title, figure.error));
      else save(name('figure.svg'), figure.svg, 'image/svg+xml');
    });
  }

  private exportMenu(menu: HTMLElement) {
    const name = (ending: string) => `${fileStem(this.good.title)}.${ending}`;
    this.item(menu, 'Copy link', 'link', 'the address holds the whole collision', async () => {
      this.writeAddress();
      await navigator.clipboard.writeText(await this.shortLink());
      this.tell('The link is in the clipboard.');
    });
    this.item(menu, 'Collision, TOML', 'toml', 'for the command line: ricochet collide FILE', () =>
      save(name('toml'), toToml(this.good), 'application/toml'),
    );
    this.item(menu, 'Frame for a web page', 'embed', 'an iframe with the pictures alone, in the clipboard', async () => {
      const address = new URL(await this.shortLink());
      address.search = '?embed';
      await navigator.clipboard.writeText(`<iframe src="${address.href}" width="1100" height="620" title="ricochet"></iframe>`);
      this.tell('The frame is in the clipboard.');
    });
    this.item(menu, 'Print', 'print', 'pictures and table on paper', () => this.drawAll().then(() => window.print()));
    this.item(menu, 'Program, Python', 'python', 'asks the drawn laws about this collision', () =>
      save(name('py'), toPython(this.good, this.frame!.outcome.contact, this.engine.laws), 'text/x-python'),
    );
    this.item(menu, 'Program, C++', 'cpp', 'asks the drawn laws about this collision', () =>
      save(name('cpp'), toCpp(this.good, this.engine.laws.map((law) => law.name)), 'text/x-c++src'),
    );
    this.item(menu, 'Answers, JSON', 'json', 'what `ricochet collide --format json` prints', () =>
      save(name('json'), this.engine.answersFile(toToml(this.good)), 'application/json'),
    );
    this.item(menu, 'Table, CSV', 'csv', 'with all digits', () => save(name('csv'), toCsv(this.frame!), 'text/csv'));
  }

  private closeMenus() {
    const menus = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]');
    document.addEventListener('pointerdown', (event) => {
      for (const menu of menus()) if (!menu.contains(event.target as Node)) menu.open = false;
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      for (const menu of menus()) {
        menu.open = false;
        menu.querySelector('summary')!.focus();
      }
    });
  }
}

/** A file's name as it is typed in a command; what was pasted has none. */
function typed(name: string, instead = 'SCENE.toml'): string {
  return name === pastedName ? instead : /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/** What takes a file that the page does not; empty where the page does. */
function commandFor(name: string, text: string): string {
  const robot = /<(mujoco|robot)[\s>]/.test(text.slice(0, 4000));
  if (!robot && !/^\s*\[\[\s*robot\s*\]\]/m.test(text)) return '';
  const file = typed(name, robot ? 'ROBOT' : 'SCENE.toml');
  return `the page reads no robot files; ricochet explore ${file} opens the contacts of ${robot ? 'its landing' : 'this scene'} here, and ricochet simulate ${file} --motion motion.html simulates it`;
}

/** The same contact at a later instant of a sequence. */
function later(form: Form, contact: ContactDocument, V: Vec3, speeds: [BodySpeeds, BodySpeeds] | null): Form {
  if (form.kind === 'contact') return { ...form, V };
  if (!speeds) return { kind: 'contact', given: 'W', matrix: contact.W, V, n: form.n };
  const bodies = form.bodies.map((body, i) => {
    const { velocity, angular_velocity } = speeds[i]!;
    return { ...body, velocity, angular_velocity: angular_velocity ?? body.angular_velocity };
  }) as typeof form.bodies;
  return { ...form, bodies };
}

function isObject(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
