/** What every view is: it is given a frame and draws it, and says what the user dragged. */

import type { Answered, AxesDocument, Fault, InspectDocument, LawAnswer, OutcomeDocument, Vec3 } from '../documents';
import type { Engine } from '../engine';

/** All that a view may need of one state of the page. */
export interface Frame {
  engine: Engine;
  /** The collision, as passed to the engine. */
  text: string;
  outcome: OutcomeDocument;
  /** Null where the geometry cannot be had (no mu given, or the bodies part); `problem` then says why. */
  inspect: InspectDocument | null;
  axes: AxesDocument | null;
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
}

/** What a drag in a view asks for; the page decides what becomes of it. */
export interface Change {
  mu?: number;
  e?: number;
  V?: Vec3;
}

export interface View {
  update(frame: Frame): void;
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
