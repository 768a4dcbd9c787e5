/** Paths of the pinned collision, asked for once: what is pinned does not change. */

import type { Vec3 } from '../documents';
import { refused, type Frame } from './view';

const asked = new WeakMap<Frame, Map<string, Vec3[]>>();

/** From 0 to P; empty where the law has no answer. */
export function pinnedPath(ghost: Frame, law: string): Vec3[] {
  let known = asked.get(ghost);
  if (!known) asked.set(ghost, (known = new Map()));
  let found = known.get(law);
  if (!found) {
    const way = ghost.engine.path(ghost.text, law);
    known.set(law, (found = refused(way) ? [] : way.points));
  }
  return found;
}
