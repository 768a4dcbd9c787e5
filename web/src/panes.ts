/**
 * The views of the page. A view is loaded and created when it first comes near the visible part of the page, and redrawn
 * only while it is there. A new view implements views/view.ts and is added to the list.
 */

import type { PlotKind } from './documents';
import { element, setText, symbol } from './controls/element';
import type { Cursor, Frame, View, ViewOptions } from './views/view';

export interface Pane {
  id: string;
  title: string;
  caption: string;
  /** How it is moved, in sight. */
  how: string;
  /** The figure that the library publishes of it. */
  figure: PlotKind;
  /** Laws that it is a figure of: those that are drawn, the one in focus, or those that belong to it by its nature. */
  laws: 'drawn' | 'focus' | 'its own';
  create(host: HTMLElement, options: ViewOptions): Promise<View>;
}

function plot(id: string, kind: PlotKind, title: string, caption: string, laws: Pane['laws']): Pane {
  return {
    id,
    title,
    caption,
    how: 'Drag to move, Ctrl and wheel to zoom (after a click the wheel alone), pinch on a phone. Arrow keys read points and letters.',
    figure: kind,
    laws,
    create: async (host, options) => {
      const { createPlotView } = await import('./views/plot');
      return createPlotView(host, { ...options, kind, label: title });
    },
  };
}

export const panes: Pane[] = [
  {
    id: 'space',
    title: 'Impulse space',
    caption:
      'Every impulse P is a point. Impulses inside the ellipsoid dissipate energy, those inside the cone satisfy Coulomb friction, and beyond the plane of maximum compression the bodies separate. The shaded region satisfies all three conditions. P_I ends the approach without friction; P_II brings the contact point to rest.',
    how: 'Drag to turn, Ctrl and wheel to zoom (after a click the wheel alone), right button to move; on a phone one finger turns, two zoom.',
    figure: 'impulse-solid',
    laws: 'drawn',
    create: async (host, options) => {
      const { createSpaceView } = await import('./views/space');
      return createSpaceView(host, options);
    },
  },
  plot('section', 'impulse-plane', 'Section', 'The plane of the normal and the initial slip. Drag the edge of the cone to change μ, a line of restitution to change e.', 'drawn'),
  plot('velocity', 'velocity', 'Velocity', 'Relative velocity of the contact point from V⁻ to V⁺ under the focus law. Drag V⁻ to change it.', 'focus'),
  plot('energy', 'energy', 'Energy over impulse', 'Work of the normal impulse and of friction under the focus law, over the accumulated normal impulse.', 'focus'),
  plot('process', 'process', 'Impact process', 'Impulse path of the compliant contact for its κ, with the rigid-body hypotheses.', 'its own'),
  plot('forces', 'forces', 'Forces over time', 'Normal and tangential force of the compliant contact.', 'its own'),
  plot('before', 'before', 'Before', 'The bodies before the impact.', 'its own'),
  plot('after', 'after', 'After', 'The bodies after the impact by the focus law.', 'focus'),
];

/** A caption whose letters explain themselves. */
function withLetters(caption: string): (Node | string)[] {
  const terms: Record<string, string> = { μ: 'mu', κ: 'kappa', 'V⁻': 'V', 'V⁺': 'V' };
  return caption.split(/(P_I+|\bP\b|\be\b|μ|κ|V[⁻⁺])/).map((part, i) => {
    if (i % 2 === 0) return part;
    const letter = part.startsWith('V') ? element('span', { class: 'symbol' }, element('i', {}, 'V'), part.slice(1)) : symbol(part);
    letter.dataset['term'] = terms[part] ?? part;
    letter.tabIndex = 0;
    return letter;
  });
}

/** A pane's place on the page. */
export class PaneHost {
  readonly root: HTMLElement;
  readonly menu: HTMLElement;
  view: View | null = null;
  private readonly host: HTMLElement;
  private readonly message = element('p', { class: 'message', role: 'status', hidden: true });
  private frame: Frame | null = null;
  private near = false;
  private making = false;
  private stale = false;
  private cursor: Cursor | null = null;
  private unfollowed = false;
  private readonly title: HTMLElement;

  constructor(
    readonly pane: Pane,
    private readonly options: ViewOptions,
  ) {
    this.host = element('div', { class: 'host' });
    this.menu = element('div', { class: 'items' });
    const menu = element('details', { class: 'menu' }, element('summary', { 'aria-label': `save ${pane.title}` }, 'Save'), this.menu);
    const reset = element('button', { type: 'button', class: 'quiet reset', 'aria-label': `reset the view of ${pane.title}`, title: 'the first view again (Home, or double click)' }, 'Reset view');
    reset.addEventListener('click', () => this.view?.reset?.());
    this.title = element('h2', { id: `${pane.id}-title` }, pane.title);
    this.root = element(
      'section',
      { class: 'pane', id: pane.id, 'aria-labelledby': `${pane.id}-title` },
      element('header', {}, this.title, reset, menu),
      this.host,
      this.message,
      element('p', { class: 'how' }, pane.how),
      element('p', { class: 'caption' }, ...withLetters(pane.caption)),
    );
    new IntersectionObserver(
      ([entry]) => {
        this.near = entry?.isIntersecting ?? false;
        if (this.near) void this.draw();
      },
      { rootMargin: '150px' },
    ).observe(this.root);
  }

  update(frame: Frame) {
    this.frame = frame;
    this.stale = true;
    if (this.near) void this.draw();
  }

  /** Shows where the impact is. */
  follow(cursor: Cursor | null) {
    this.cursor = cursor;
    if (this.view && this.near) this.view.follow?.(cursor);
    else this.unfollowed = true;
    if (this.pane.id === 'after') {
      const during = cursor !== null && cursor.share < 1;
      setText(this.title, during ? 'During' : this.pane.title);
    }
  }

  /** Draws immediately, also off screen; for exports. */
  async drawn(): Promise<View | null> {
    await this.draw();
    return this.view;
  }

  /** Draws immediately for a place of another size, where it has been drawn before. */
  fit() {
    void this.draw();
    this.view?.fit();
  }

  private async draw() {
    if (!this.frame || this.making) return;
    try {
      if (!this.view) {
        this.making = true;
        try {
          this.view = await this.pane.create(this.host, this.options);
        } finally {
          this.making = false;
        }
        this.stale = true;
        this.unfollowed = this.cursor !== null;
      }
      if (this.unfollowed) this.view.follow?.(this.cursor);
      this.unfollowed = false;
      if (!this.stale) return;
      this.stale = false;
      this.view.update(this.frame);
      this.message.hidden = true;
    } catch (problem) {
      setText(this.message, `This view cannot be drawn: ${problem instanceof Error ? problem.message : String(problem)}`);
      this.message.hidden = false;
      console.error(problem);
    }
  }
}
