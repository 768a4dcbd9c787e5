/** One impact as a process: where it is at any share of its course, and what happens on the way. */

import type { CourseDocument, CourseStep } from './documents';
import type { Cursor } from './views/view';

export interface CourseMark {
  name: string;
  /** Of the whole course, 0 to 1. */
  share: number;
}

const between = (a: number, b: number, s: number) => a + s * (b - a);

export class Course {
  readonly marks: CourseMark[];
  private readonly first: number;
  private readonly span: number;

  constructor(readonly document: CourseDocument) {
    const { steps, events } = document;
    this.first = steps[0]!.at;
    this.span = steps.at(-1)!.at - this.first;
    this.marks = events.map(({ name, step }) => ({ name: name.replaceAll('-', ' '), share: this.shareOf(steps[step]!) }));
  }

  /** The last step at or before this share, and how far it is to the next one. */
  cursor(share: number): Cursor {
    const { steps, law, over, unit } = this.document;
    const at = this.first + share * this.span;
    let [low, high] = [0, steps.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (steps[middle]!.at <= at) low = middle;
      else high = middle - 1;
    }
    const a = steps[low]!;
    const b = steps[Math.min(low + 1, steps.length - 1)]!;
    const s = b.at > a.at ? Math.min(1, (at - a.at) / (b.at - a.at)) : 0;
    const mix = (x: readonly number[], y: readonly number[]) => x.map((value, i) => between(value, y[i]!, s)) as CourseStep['P'];
    return {
      law,
      over,
      unit,
      share,
      at,
      P: mix(a.P, b.P),
      V: mix(a.V, b.V),
      normalWork: between(a.normal_work, b.normal_work, s),
      frictionWork: between(a.friction_work, b.friction_work, s),
    };
  }

  private shareOf(step: CourseStep): number {
    return this.span > 0 ? (step.at - this.first) / this.span : 0;
  }
}
