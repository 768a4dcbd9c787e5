/** The simulation of the library, in a worker (docs/explorer.md). */

import type { BundledScene, ContactsDocument, EventDocument, Fault, LawInfo } from './documents';

/** As on the command line: --law, where it is not empty, --set and --until. */
export interface Choices {
  law: string;
  sets: string[];
  until: number;
}

export type Asked =
  | { kind: 'read'; text: string }
  | { kind: 'simulate'; text: string; choices: Choices }
  | { kind: 'event'; index: number }
  | { kind: 'contacts'; text: string; sets: string[] };
export type Told =
  | { kind: 'read'; scene: string; laws: string; scenes: string }
  | { kind: 'progress'; time: number; events: number }
  | { kind: 'done'; summary: string; document: string }
  | { kind: 'event'; document: string }
  | { kind: 'contacts'; document: string; laws: string; scenes: string }
  | { kind: 'failed'; message: string };

/** What a scene says of its laws. */
export interface SceneDocument {
  title: string;
  law: string;
  parameters: Record<string, number | string | number[]>;
  /** What it does not say and is taken; empty: nothing. */
  assumed: string;
  bodies: number;
  /** With laws of their own. */
  pairs: number;
}

/** As `ricochet simulate --format json` has it. */
export interface SummaryDocument {
  status: 'finished' | 'limited' | 'stopped';
  time: number;
  event_counts: { total: number };
  error?: Fault;
}

export interface ReadScene {
  scene: SceneDocument;
  laws: LawInfo[];
  scenes: BundledScene[];
}

/** What the library refuses, in one sentence. */
export class SceneError extends Error {
  constructor({ message, line }: Fault) {
    super(line > 0 ? `line ${line}: ${message}` : message);
  }
}

/** A simulation that was ended by `cancel`. */
export class Cancelled extends Error {}

/** `text` of a scene that fits the page, JSON of an object or of an error. */
function answered<T extends object>(text: string): T {
  const found = JSON.parse(text) as T | { error: Fault };
  if ('error' in found && !('status' in found)) throw new SceneError(found.error);
  return found as T;
}

export class Simulator {
  private worker: Worker | null = null;
  private giveUp: ((why: Error) => void) | null = null;

  async read(text: string): Promise<ReadScene> {
    const told = await this.ask({ kind: 'read', text }, () => {});
    if (told.kind !== 'read') throw new Error('the simulation answered another question');
    return {
      scene: answered<SceneDocument>(told.scene),
      laws: JSON.parse(told.laws) as LawInfo[],
      scenes: JSON.parse(told.scenes) as BundledScene[],
    };
  }

  /** The motion document and what happened. `progress` is told the time that is reached. */
  async simulate(text: string, choices: Choices, progress: (time: number, events: number) => void) {
    const told = await this.ask({ kind: 'simulate', text, choices }, progress);
    if (told.kind !== 'done') throw new Error('the simulation answered another question');
    return { summary: answered<SummaryDocument>(told.summary), document: told.document };
  }

  /** The contact of an event of the last simulation, counted as in its document. */
  async event(index: number): Promise<EventDocument> {
    const told = await this.ask({ kind: 'event', index }, () => {});
    if (told.kind !== 'event') throw new Error('the simulation answered another question');
    return answered<EventDocument>(told.document);
  }

  /** A scene of many contacts by every law, with these parameters for every contact. */
  async contacts(text: string, sets: string[]): Promise<{ document: ContactsDocument; laws: LawInfo[]; scenes: BundledScene[] }> {
    const told = await this.ask({ kind: 'contacts', text, sets }, () => {});
    if (told.kind !== 'contacts') throw new Error('the library answered another question');
    return {
      document: answered<ContactsDocument>(told.document),
      laws: JSON.parse(told.laws) as LawInfo[],
      scenes: JSON.parse(told.scenes) as BundledScene[],
    };
  }

  /** Ends what is going on; the next question starts anew. */
  cancel(why: Error = new Cancelled('cancelled')) {
    this.worker?.terminate();
    this.worker = null;
    this.giveUp?.(why);
    this.giveUp = null;
  }

  private ask(asked: Asked, progress: (time: number, events: number) => void): Promise<Told> {
    if (this.giveUp) this.cancel();
    this.worker ??= new Worker(new URL('./simulator_worker.ts', import.meta.url), { type: 'module' });
    const { worker } = this;
    return new Promise((done, giveUp) => {
      this.giveUp = giveUp;
      worker.onerror = (event) => this.cancel(new Error(event.message || 'the simulation could not be loaded'));
      worker.onmessage = ({ data }: MessageEvent<Told>) => {
        if (data.kind === 'progress') return progress(data.time, data.events);
        // What has failed may have left its memory in any state.
        if (data.kind === 'failed') return this.cancel(new Error(data.message));
        this.giveUp = null;
        done(data);
      };
      worker.postMessage(asked);
    });
  }
}
