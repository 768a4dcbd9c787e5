/**
 * Undo and redo. Every collision at rest is one entry of the browser's own history, so that its back button, Ctrl-Z and the
 * button on the page do the same, and none of them leaves the page while there is something to take back.
 */

interface Entry {
  /** How many collisions of this visit came before. */
  step: number;
}

const entryOf = (state: unknown): Entry | null =>
  typeof state === 'object' && state !== null && typeof (state as Entry).step === 'number' ? (state as Entry) : null;

export class Past {
  private step: number;
  private last: number;

  constructor(private readonly changed: () => void) {
    this.step = entryOf(history.state)?.step ?? 0;
    this.last = this.step;
    if (!entryOf(history.state)) history.replaceState({ step: this.step }, '');
  }

  get canUndo() {
    return this.step > 0;
  }
  get canRedo() {
    return this.step < this.last;
  }

  /** A new collision; what was undone is gone. */
  push(hash: string) {
    this.step += 1;
    this.last = this.step;
    history.pushState({ step: this.step }, '', hash);
    this.changed();
  }

  /** The same collision, under another address. */
  replace(hash: string) {
    history.replaceState({ step: this.step }, '', hash);
  }

  /** The address has changed: by the history, or because someone wrote another one, which is a new entry. */
  arrive() {
    const entry = entryOf(history.state);
    if (entry) {
      this.step = entry.step;
    } else {
      this.step += 1;
      this.last = this.step;
      history.replaceState({ step: this.step }, '');
    }
    this.changed();
  }

  undo() {
    if (this.canUndo) history.back();
  }
  redo() {
    if (this.canRedo) history.forward();
  }
}
