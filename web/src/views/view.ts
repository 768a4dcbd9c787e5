/** Interface of every view: it draws a frame and reports drags. */

import type { Answered, AxesDocument, DragDocument, Fault, InspectDocument, LawAnswer, OutcomeDocument } from '../documents';
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
}

/** A change requested by a drag; the page decides whether to apply it. */
export type Change = DragDocument;

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
