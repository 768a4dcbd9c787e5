/** Attributes and styles that are written only where they change: a browser does its work for every one that is
 *  written, and most stay as they were while something is dragged. */

import type { BaseType, Selection } from 'd3-selection';

type Value = string | number | null;

const written = new WeakMap<Element, Map<string, Value>>();

function changes(element: Element, key: string, value: Value): boolean {
  let known = written.get(element);
  if (!known) written.set(element, (known = new Map()));
  if (known.get(key) === value) return false;
  known.set(key, value);
  return true;
}

export function put<E extends SVGElement, D, P extends BaseType, Q>(name: string, value: (d: D) => Value) {
  return (selection: Selection<E, D, P, Q>): void => {
    selection.each(function (d) {
      const next = value(d);
      if (!changes(this, name, next)) return;
      if (next === null) this.removeAttribute(name);
      else this.setAttribute(name, String(next));
    });
  };
}

export function putStyle<E extends SVGElement, D, P extends BaseType, Q>(name: string, value: (d: D) => string) {
  return (selection: Selection<E, D, P, Q>): void => {
    selection.each(function (d) {
      const next = value(d);
      if (changes(this, `style ${name}`, next)) this.style.setProperty(name, next);
    });
  };
}
