/** What a law reaches, computed once for a frame, which is drawn again whenever the camera moves. */

import type { Answered, ReachDocument } from '../documents';
import type { Frame } from './view';

const asked = new WeakMap<Frame, Map<string, Answered<ReachDocument>>>();

export function reachOf(frame: Frame, law: string): Answered<ReachDocument> {
  let known = asked.get(frame);
  if (!known) asked.set(frame, (known = new Map()));
  let found = known.get(law);
  if (!found) known.set(law, (found = frame.engine.reach(frame.text, law)));
  return found;
}
