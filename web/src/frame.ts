/** From the state to what is drawn: one pass through the library, at most once for each picture of the screen. */

import type { Fault, InspectDocument } from './documents';
import type { Engine } from './engine';
import { colourer } from './colours';
import { toToml, type State } from './state';
import type { Frame } from './views/view';

/** Milliseconds of one pass. */
export interface Timing {
  /** Every law's answer, as text, and reading it. */
  laws: number;
  /** Ellipsoid, cone and landmarks. */
  geometry: number;
  /** Panel, table and the visible views. */
  drawing: number;
}

export type Made = { frame: Frame; timing: Timing } | { fault: Fault };

/** An error of the collision; a law without an answer is not an error. */
export function makeFrame(engine: Engine, state: State, dark: boolean): Made {
  const text = toToml(state);
  const start = performance.now();
  const outcome = engine.collide(text);
  if ('error' in outcome) return { fault: outcome.error };
  const answered = performance.now();
  const inspect = engine.inspect(text);
  const axes = engine.axes(text);
  if ('error' in axes) return { fault: axes.error };
  const end = performance.now();
  const problem = 'error' in inspect ? inspect.error : null;
  return {
    frame: {
      engine,
      text,
      outcome,
      inspect: 'error' in inspect ? null : (inspect as InspectDocument),
      axes,
      problem: problem ? problem.message : '',
      answers: outcome.answers.filter((answer) => !answer.error && state.laws.includes(answer.law)),
      focus: state.focus,
      reaches: state.reaches,
      colour: colourer(engine.laws, dark),
      dark,
      ghost: null,
    },
    timing: { laws: answered - start, geometry: end - answered, drawing: 0 },
  };
}

/** Throttles calls: at most one every `every` ms; the latest is executed last. */
export function seldom<T>(every: number, work: (latest: T) => void, behind: (late: boolean) => void): (latest: T) => void {
  let waiting: { latest: T } | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const later = () => {
    timer = null;
    if (!waiting) return;
    work(waiting.latest);
    waiting = null;
    behind(false);
    timer = setTimeout(later, every);
  };
  return (latest) => {
    if (timer !== null) {
      waiting = { latest };
      behind(true);
      return;
    }
    work(latest);
    timer = setTimeout(later, every);
  };
}

/** Coalesces requests into one call before the next frame. */
export function coalesced(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
