/** Interface of every view: it draws a frame and reports drags. */

import type { Answered, AxesDocument, DragDocument, Fault, InspectDocument, LawAnswer, OutcomeDocument, Vec3 } from '../documents';
import type { Engine } from '../engine';

/** Everything that a view needs of one state of the page. */
export interface Frame {
  engine: Engine;
  /** The collision, as passed to the engine. */
  text: string;
  outcome: OutcomeDocument;
  axes: AxesDocument;
  /** Null where there is no impulse space (mu is missing, or the bodies separate); `problem` then says why. */
  inspect: InspectDocument | null;
  problem: string;
  /** Answers of the selected laws that have one, in the order of the registry. */
  answers: LawAnswer[];
  /** The law that views of one law show. */
  focus: string;
  /** Laws whose reach is shown. */
  reaches: string[];
  /** A colour for each law, for both themes. */
  colour(law: string): string;
  dark: boolean;
  /** What is pinned, to compare with; null: nothing. */
  ghost: Frame | null;
}

/** Where an impact is, under the law of the focus. */
export interface Cursor {
  law: string;
  over: 'impulse' | 'length' | 'time';
  unit: string;
  /** Of the whole impact, 0 to 1. */
  share: number;
  at: number;
  P: Vec3;
  V: Vec3;
  normalWork: number;
  frictionWork: number;
}

/** A change requested by a drag; the page decides whether to apply it. */
export type Change = DragDocument;

export interface View {
  update(frame: Frame): void;
  /** Shows where the impact is; null shows the whole of it. */
  follow?(cursor: Cursor | null): void;
  /** The first look again: without zoom, from where it was seen at first. */
  reset?(): void;
  /** Takes the size of its place at once, and draws as finely as it can; for paper, which does not wait. */
  fit(): void;
  /** The view as a standalone SVG document, where it is one. */
  svg?(): string;
  png(): Promise<Blob>;
  dispose(): void;
}

export interface ViewOptions {
  /** Called on every move of a drag. */
  onChange(change: Change): void;
}

/** Whether the library gave an error instead of a document. */
export function refused<T extends object>(answer: Answered<T>): answer is { error: Fault } {
  return 'error' in answer;
}
