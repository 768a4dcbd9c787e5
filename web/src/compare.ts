/** Two collisions beside each other: what is pinned, and how the present one differs. */

import { numberText, type State } from './state';

const written = (value: unknown): string =>
  typeof value === 'number' ? numberText(value) : Array.isArray(value) ? `(${value.map(written).join(', ')})` : String(value);

/** Names and values of what is not the same, as "mu 0.3 → 0.5". */
export function differences(before: State, now: State): string[] {
  const flat = ({ settings, form }: State): Record<string, unknown> => {
    if (form.kind === 'contact') return { ...settings, [form.given]: form.matrix, V: form.V, n: form.n };
    const bodies = form.bodies.flatMap((body, i) =>
      Object.entries(body)
        .filter(([key]) => key !== 'name')
        .map(([key, value]) => [`${i === 0 ? 'A' : 'B'}.${key}`, value] as const),
    );
    return { ...settings, point: form.point, n: form.n, ...Object.fromEntries(bodies) };
  };
  const [old, fresh] = [flat(before), flat(now)];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .filter((key) => JSON.stringify(old[key]) !== JSON.stringify(fresh[key]))
    .map((key) => `${key} ${key in old ? written(old[key]) : 'not given'} → ${key in fresh ? written(fresh[key]) : 'not given'}`);
}
