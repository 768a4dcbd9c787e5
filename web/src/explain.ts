/**
 * Definitions on hover and focus. What they say comes from docs/glossary.md, docs/bibliography.md and the table of laws;
 * elements ask for one by `data-term` (a row of the glossary, or else a parameter), `data-explain-law` or `data-cite`.
 */

import { papers, terms } from 'virtual:explanations';
import { element } from './controls/element';
import type { LawInfo, ParameterInfo } from './documents';
import type { Setting } from './state';

/** "CR98 4.2.1; ST98" as titles, those that the bibliography has. */
export function citations(source: string): string[] {
  return Object.entries(papers)
    .filter(([name]) => new RegExp(`(^|[^A-Za-z0-9])${name}($|[^A-Za-z0-9])`).test(source))
    .map(([name, title]) => `${name}: ${title}`);
}

/** A text whose citations, the short names of the bibliography, explain themselves. */
export function withCitations(text: string): (Node | string)[] {
  return text
    .split(/\b([A-Z]+\d\d[a-z]?)\b/)
    .map((part) => (Object.hasOwn(papers, part) ? element('span', { 'data-cite': part, tabindex: 0 }, part) : part));
}

/**
 * The row of the glossary that a name in a picture stands for, as "$P_{II}$", "sticking, $V_t$ = 0" or "slip $v_t$ [m/s]":
 * by its words, or else by its first letter; empty: none.
 */
export function termOf(name: string): string {
  const words = name.replace(/ *\[[^\]]*\]$/, '');
  const plain = words.replace(/[${}]/g, '').trim();
  const greek: Record<string, string> = { μ: 'mu', κ: 'kappa' };
  const letter = /\$([^$]+)\$/.exec(words)?.[1]?.replace(/[{}]/g, '') ?? '';
  const keys = [plain, plain.replace(/,.*$/, ''), plain.replace(/ ∗$/, ''), words.replace(/ *\$[^$]*\$/g, ''), greek[letter] ?? letter];
  return keys.find((key) => Object.hasOwn(terms, key)) ?? '';
}

/** Text of a definition without markup; empty where there is none. */
export function plainDefinition(key: string): string {
  const term = terms[key];
  if (!term) return '';
  const text = (html: string) => html.replaceAll('<sub>', '_').replace(/<[^>]+>/g, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return `${text(term.meaning)}${term.formula === '' ? '' : ` ${text(term.formula)}`}`;
}

export const lawPage = (law: string) => `docs/${law}.html`;

/**
 * What a parameter is for one law. Restitution that another parameter gives its sense is spelt out: its choices and what
 * they compare stand in the same order in the table of laws.
 */
export function parameterOf(law: LawInfo, name: string, settings: Record<string, Setting>): string {
  const info = law.parameters.find((one) => one.name === name);
  if (!info) return '';
  const sense = law.parameters.find((one: ParameterInfo) => one.choices && info.meaning.includes(`\`${one.name}\``));
  if (!sense) return info.meaning;
  const chosen = typeof settings[sense.name] === 'string' ? String(settings[sense.name]) : (sense.default_text ?? '');
  const what = (sense.meaning.split(':')[1] ?? '').split(/,| or /).map((part) => part.trim());
  return `restitution; compares ${what[sense.choices!.indexOf(chosen)] ?? '?'} (${sense.name} = ${chosen})`;
}

/** The laws that use a parameter that the focus ignores, or what it means for the focus. */
export function useOf(laws: LawInfo[], focus: string, name: string, settings: Record<string, Setting>): { used: boolean; text: string } {
  const law = laws.find((one) => one.name === focus);
  const meaning = law ? parameterOf(law, name, settings) : '';
  if (meaning !== '') return { used: true, text: `${focus}: ${meaning}` };
  // pfeiffer-glocker takes e_k, which is e where it is not given.
  const heir = law?.parameters.find((one) => typeof one.default === 'object' && one.default.parameter === name);
  if (heir && !(heir.name in settings)) return { used: true, text: `${focus}: ${heir.meaning} (as ${heir.name})` };
  const users = laws.filter((one) => one.parameters.some((parameter) => parameter.name === name)).map((one) => one.name);
  return { used: false, text: `not used by ${focus}; by ${users.join(', ')}` };
}

const openAfter = 250; // ms
const closeAfter = 200;

let explainer: Explainer | null = null;

/** From now on whatever asks for a definition has one. What stands in place of the explorer may know no laws. */
export function explain(laws: LawInfo[]) {
  explainer ??= new Explainer();
  if (laws.length > 0) explainer.laws = laws;
}

class Explainer {
  laws: LawInfo[] = [];
  private readonly box = element('div', { id: 'definition', role: 'tooltip', hidden: true });
  private timer: ReturnType<typeof setTimeout> | null = null;
  private owner: Element | null = null;

  constructor() {
    document.body.append(this.box);
    const target = (event: Event) => (event.target instanceof Element ? event.target.closest('[data-term], [data-explain-law], [data-cite]') : null);
    document.addEventListener('pointerover', (event) => {
      const found = target(event);
      if (found) this.later(openAfter, () => this.open(found));
      else if (!this.box.contains(event.target as Node)) this.later(closeAfter, () => this.close());
      else this.later(0, () => {});
    });
    document.addEventListener('focusin', (event) => {
      const found = target(event);
      if (found && (event.target as Element).matches(':focus-visible')) this.open(found);
      else if (!this.box.contains(event.target as Node)) this.close();
    });
    // A finger does not hover. What it presses for another purpose, as a row or a box, is not explained by that.
    document.addEventListener('click', (event) => {
      if ((event as PointerEvent).pointerType !== 'touch') return;
      const found = target(event);
      if (found?.matches('[data-term]:not(label, select, .modes i), [data-cite], text')) this.open(found);
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
    document.addEventListener('pointerdown', (event) => {
      if (!this.box.contains(event.target as Node)) this.close();
    });
    // One that is about to open stays: what the pointer rests on may have been scrolled to it.
    window.addEventListener('scroll', () => this.owner && this.close(), { passive: true });
  }

  private later(after: number, act: () => void) {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(act, after);
  }

  private open(owner: Element) {
    const { term, explainLaw, cite } = (owner as HTMLElement).dataset;
    const content = term !== undefined ? this.ofTerm(term) : cite !== undefined ? [element('p', {}, papers[cite] ?? cite)] : this.ofLaw(explainLaw!);
    if (!content) return;
    this.owner = owner;
    this.box.replaceChildren(...content);
    this.box.hidden = false;
    owner.setAttribute('aria-describedby', 'definition');
    const at = owner.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const below = at.bottom + 6 + height < window.innerHeight;
    this.box.style.left = `${Math.max(6, Math.min(at.left, window.innerWidth - width - 6))}px`;
    this.box.style.top = `${Math.max(6, below ? at.bottom + 6 : at.top - height - 6)}px`;
  }

  private close() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (!this.owner) return;
    this.owner.removeAttribute('aria-describedby');
    this.owner = null;
    this.box.hidden = true;
  }

  private ofTerm(key: string): Node[] | null {
    const term = terms[key];
    if (!term) return this.ofParameter(key);
    // From docs/ at build time, and no part of any input.
    const meaning = element('p');
    meaning.innerHTML = term.meaning;
    const formula = element('p', { class: 'formula' });
    formula.innerHTML = term.formula;
    return [meaning, formula, element('a', { href: term.page, target: '_blank', rel: 'noopener' }, 'more')];
  }

  /** What the laws that take a parameter say of it, each meaning once, with the pages that have its formula. */
  private ofParameter(name: string): Node[] | null {
    const meanings = new Map<string, string[]>();
    for (const law of this.laws)
      for (const { name: own, meaning, unit, range } of law.parameters) {
        const text = `${meaning}${unit === '' ? '' : ` [${unit}]`}; ${range}`;
        if (own === name) meanings.set(text, [...(meanings.get(text) ?? []), law.name]);
      }
    if (meanings.size === 0) return null;
    return [...meanings].flatMap(([text, laws]) => [
      element('p', {}, `${text}.`),
      element('p', { class: 'sources' }, 'equations of ', ...laws.flatMap((law, i) => [i > 0 ? ', ' : '', element('a', { href: lawPage(law), target: '_blank', rel: 'noopener' }, law)])),
    ]);
  }

  private ofLaw(name: string): Node[] | null {
    const law = this.laws.find((one) => one.name === name);
    if (!law) return null;
    return [
      element('p', {}, element('b', {}, law.title), law.caveat === '' ? '' : `; ${law.caveat}`),
      element('p', {}, `parameters: ${law.parameters.map((one) => one.name).join(', ')}`),
      element('p', { class: 'sources' }, law.source, ...citations(law.source).flatMap((title) => [element('br'), title])),
      element('a', { href: lawPage(name), target: '_blank', rel: 'noopener' }, 'equations of this law'),
    ];
  }
}
