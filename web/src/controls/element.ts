/** Elements by name, attributes and children; a value of true is a bare attribute, false and undefined none. */

type Attributes = Record<string, string | number | boolean | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** A name as the papers set it: `mu_s` becomes μ with an index s. */
export function symbol(name: string): HTMLElement {
  const [head = '', ...index] = name.split('_');
  const greek: Record<string, string> = { mu: 'μ', kappa: 'κ', sigma: 'σ', psi: 'ψ', rho: 'ρ', nu: 'ν', tau: 'τ', chi: 'χ' };
  const base = greek[head] ?? head;
  const made = element('span', { class: 'symbol' }, base.length === 1 ? element('i', {}, base) : base);
  if (index.length > 0) made.append(element('sub', {}, index.join(' ')));
  return made;
}

/** Writes only changes, to avoid layout while a number is dragged. */
export function setText(node: Node, text: string) {
  if (node.textContent !== text) node.textContent = text;
}

/** The same for a choice: at every one that is written, a browser looks through all fields for what it could fill in. */
export function setChoice(select: HTMLSelectElement, value: string) {
  if (select.value !== value) select.value = value;
}

let count = 0;
export function freshId(prefix: string): string {
  return `${prefix}-${++count}`;
}
