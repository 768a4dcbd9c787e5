/**
 * The page's state as a value, and the two texts that hold all of it: the TOML of the command line (the collision), and
 * the address (the collision and what is shown of it). Numbers are written with as many digits as bring back the same
 * bits.
 */

import type { Body, CollisionDocument, Extended, LawInfo, Mat3, ParameterInfo, RealizeDocument, Vec3 } from './documents';

export type Setting = number | string | Vec3;

export interface ContactForm {
  kind: 'contact';
  /** Which of the two was given; the other follows from it. */
  given: 'M' | 'W';
  matrix: Mat3;
  V: Vec3;
  n: Vec3;
}

export interface BodiesForm {
  kind: 'bodies';
  point: Vec3;
  n: Vec3;
  bodies: [Body, Body];
}

export type Form = ContactForm | BodiesForm;

export interface State {
  title: string;
  /** What the head of the file says about it, without the signs of a comment. */
  comment: string;
  form: Form;
  /** Parameters of the laws under the names of the command line; what is not here was not given. */
  settings: Record<string, Setting>;
  /** Laws that are drawn. The table has all of them. */
  laws: string[];
  /** The law that pictures of one law show. */
  focus: string;
  /** Laws of which everything that they can reach is drawn. */
  reaches: string[];
}

/** An error in a text, for display. */
export class StateError extends Error {}

// ---- numbers -------------------------------------------------------------------------------------------------------

/** Shortest text that reads back as the same bits, in TOML, C++ and the address alike, but for the infinities. */
export function numberText(x: number): string {
  if (x === Infinity) return 'inf';
  if (x === -Infinity) return '-inf';
  if (Object.is(x, -0)) return '-0.0';
  // A large whole number would be read as an integer, which has 64 bits.
  return (Math.abs(x) >= 1e15 ? x.toExponential() : String(x)).replace('e+', 'e'); // a plus is a space in an address
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Null if the text is not a number; `inf` and `∞` are numbers, and so are 14/17 and 0,5. */
export function parseNumber(text: string): number | null {
  const word = text
    .trim()
    .replaceAll('−', '-')
    .replace(/^([+-]?\d*),(\d+)(?=$|e)/i, '$1.$2')
    .replace(/(?<=[\d.])d(?=[+-]?\d+$)/i, 'e') // Fortran
    .replace(/(?<![\d.,])[¼-¾⅐-⅞]/, (one) => one.normalize('NFKD').replace('⁄', '/'))
    .replace(/(?<=[\d.])\s*[×·*]\s*10(?:\^\{?([+-]?\d+)\}?|([⁺⁻]?[⁰¹²³⁴-⁹]+))$/, (_, plain?: string, raised?: string) => `e${plain ?? raised!.normalize('NFKD').replace('−', '-')}`);
  const parts = word.split('/');
  if (parts.length === 2) {
    const [over, under] = parts.map(parseNumber);
    return over === null || over === undefined || !under || !Number.isFinite(over) || !Number.isFinite(under) ? null : over / under;
  }
  if (/^\+?(inf|infinity|∞)$/i.test(word)) return Infinity;
  if (/^-(inf|infinity|∞)$/i.test(word)) return -Infinity;
  return decimal.test(word) ? Number(word) : null;
}

/** Words around the numbers of a matrix, as programs print and read it. Units are not among them: they would be lost. */
const aroundNumbers = new RegExp(
  [
    /\[\d*,\d*\]|^\s*\[\d+\][ \t]+(?=[-+.\d])/, // R
    /\bc(?=\()|\b(nrow|ncol|byrow)\s*=\s*\w+/,
    /^\s*(M \[kg\]|V \[m\/s\])\s*$/, // this page
    /["']\w+["']\s*:/, // a member of JSON
    /\b(np|numpy|jnp|torch|Eigen)\s*(\.|::)\s*/,
    /\b(float|double|int)\d*(?=\()/,
    /\b(as)?[aA]rray\b|\b(tensor|matrix|Matrix|Vector|pmatrix|bmatrix|begin|end|Diagonal|diag)\b/,
    /\b(Matrix|Vector|Mat|Vec)3[df]?(::new)?\b/,
    /(?<=\d\.?)f\b/, // C
    /\b(dtype|device)\s*=\s*[\w.']+/,
    /^\s*\d+(×\d+|-element)?\s+\w+\{.*\}:\s*$/, // Julia
    /(?<=[\])])\s*(\.?'|\.T\b|\.transpose\(\))/, // a column, written as a row
    /\.\.\./,
    /\\\\|\\|[[\](){}&|<>⟨⟩"'`]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/**
 * So many numbers from a text as people copy them: with spaces, tabs or commas, in rows, as MATLAB, NumPy, R, Julia,
 * Mathematica, C++, JSON or TeX write and print them, with a decimal point or a comma. Null where it holds something else.
 */
export function parseNumbers(text: string, count: number): number[] | null {
  const bare = text
    .replaceAll('−', '-')
    .replace(/(%|#|\/\/).*$/gm, ' ')
    .replace(/^\s*- (?=\[)/gm, ' ') // YAML
    .replace(/\\[dt]?frac\s*(?:\{(-?[\d.]+)\}|(\d))\s*(?:\{([\d.]+)\}|(\d))/g, (_, a?: string, b?: string, c?: string, d?: string) => `${a ?? b}/${c ?? d}`);
  // MATLAB prints a common factor first.
  const factor = /^\s*(1(?:\.0*)?e[+-]?\d+)\s*\*\s*$/m.exec(bare);
  const plain = bare
    .replace(factor?.[0] ?? '', ' ')
    .replace(/^\s*[A-Za-z_][\w\s.:<>]*?(\[\d+\])*\s*(=|<<)/, ' ') // a name
    .replace(/^\s*(const\s+)?[A-Za-z_][\w:]*\s+\w+\s*(?=\{)/, ' ') // a type and a name
    .replace(aroundNumbers, ' ');
  const diagonal = count === 9 && /\b[Dd]iag\b/.test(bare);
  for (const separator of [/[\s,;]+/, /[\s;]+/]) {
    const numbers = plain.split(separator).filter((word) => word !== '').map(parseNumber);
    if (!numbers.every((x) => x !== null)) continue;
    const scaled = factor ? numbers.map((x) => Number((x * Number(factor[1])).toPrecision(15))) : numbers;
    if (scaled.length === count) return scaled;
    if (diagonal && scaled.length === 3) return [scaled[0]!, 0, 0, 0, scaled[1]!, 0, 0, 0, scaled[2]!];
  }
  return null;
}

export function fromExtended(x: Extended): number {
  if (x === 'inf') return Infinity;
  if (x === '-inf') return -Infinity;
  return x === 'nan' ? NaN : x;
}

// ---- parameters of the laws ----------------------------------------------------------------------------------------

/** A parameter of one or more laws. Bounds, default and meaning are those of the first law that has it. */
export interface Parameter {
  name: string;
  kind: ParameterInfo['kind'];
  /** As a person would write it. */
  range: string;
  low: number;
  lowOpen: boolean;
  high: number;
  highOpen: boolean;
  /** Another parameter that is a lower bound too; empty: none. */
  notBelow: string;
  /** Words that may be chosen. */
  choices: string[];
  /** What is taken where none is given; empty where the law then has no answer. */
  defaultText: string;
  unit: string;
  meaning: string;
  /** An older key; empty: none. */
  alias: string;
  laws: string[];
}

/** The parameters of all laws, each once, in the order of the table of laws. */
export function parametersOf(laws: LawInfo[]): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const law of laws) {
    for (const info of law.parameters) {
      const known = found.get(info.name);
      if (known) {
        known.laws.push(law.name);
        continue;
      }
      found.set(info.name, {
        name: info.name,
        kind: info.kind,
        range: info.range,
        low: fromExtended(info.low ?? '-inf'),
        lowOpen: info.low_open ?? false,
        high: fromExtended(info.high ?? 'inf'),
        highOpen: info.high_open ?? false,
        notBelow: info.not_below ?? '',
        choices: info.choices ?? [],
        defaultText: info.default_text ?? '',
        unit: info.unit,
        meaning: info.meaning,
        alias: info.alias ?? '',
        laws: [law.name],
      });
    }
  }
  return [...found.values()];
}

// ---- from the library's documents ----------------------------------------------------------------------------------

const shownAtFirst = ['frictionless', 'chatterjee-ruina', 'routh', 'whittaker', 'smith', 'spring-sledge'];

/** Default selection of what is drawn. */
export function defaultSelection(laws: LawInfo[], law: string | null): Pick<State, 'laws' | 'focus' | 'reaches'> {
  const names = laws.map((info) => info.name);
  const selected = names.filter((name) => shownAtFirst.includes(name) || name === law);
  return { laws: selected, focus: law ?? 'routh', reaches: [] };
}

export function fromDocument(
  document: CollisionDocument,
  selection: Pick<State, 'laws' | 'focus' | 'reaches'>,
): State {
  const settings: Record<string, Setting> = {};
  for (const [name, value] of Object.entries(document.settings))
    settings[name] =
      Array.isArray(value) || (typeof value === 'string' && value !== 'inf' && value !== '-inf')
        ? value
        : fromExtended(value as Extended);
  const { contact } = document;
  const given = document.given === 'W' ? 'W' : 'M';
  const form: Form = document.bodies
    ? { kind: 'bodies', point: document.point, n: contact.n, bodies: document.bodies }
    : {
        kind: 'contact',
        given,
        matrix: given === 'W' ? contact.W : (contact.M.map((row) => row.map(fromExtended)) as Mat3),
        V: contact.V,
        n: contact.n,
      };
  return { title: document.title, comment: '', form, settings, ...selection };
}

/** The comment at the head of a TOML file. */
export function commentOf(text: string): string {
  const lines = text.replace(/^\s+/, '').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => line.replace(/^#\s?/, '').trimEnd())
    .join('\n');
}

/** The same collision between two bodies that have its M. */
export function realized(state: State, pair: RealizeDocument): State {
  return { ...state, form: { kind: 'bodies', point: pair.point, n: state.form.n, bodies: pair.bodies } };
}

// ---- TOML ----------------------------------------------------------------------------------------------------------

function tomlString(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007F');
}

function tomlVector(xs: readonly number[]): string {
  return `[${xs.map(numberText).join(', ')}]`;
}

function tomlMatrix(rows: Mat3): string {
  return `[${rows.map(tomlVector).join(', ')}]`;
}

export function isDiagonal(m: Mat3): boolean {
  return m.every((row, i) => row.every((x, j) => i === j || Object.is(x, 0)));
}

const bodyVectors = [
  ['position', 'of the centre of mass [m]'],
  ['orientation', 'quaternion w x y z'],
  ['velocity', '[m/s]'],
  ['angular_velocity', '[rad/s]'],
] as const;

/** What is taken where it is left out: zero, and no turn. */
function isUsual(key: (typeof bodyVectors)[number][0], values: readonly number[]): boolean {
  return values.every((x, i) => Object.is(x, key === 'orientation' && i === 0 ? 1 : 0));
}

/** The collision as the command line reads it, without the selection of what is drawn. */
export function toToml(state: State): string {
  const lines: [string, string][] = []; // what is said, and the unit as a comment
  const say = (text: string, comment = '') => lines.push([text, comment]);
  for (const line of state.comment === '' ? [] : state.comment.split('\n')) say(line === '' ? '#' : `# ${line}`);
  if (state.title !== '') say(`title = ${tomlString(state.title)}`);
  const { form } = state;
  if (form.kind === 'contact') {
    say(`${form.given} = ${tomlMatrix(form.matrix)}`, form.given === 'M' ? 'local mass [kg]' : 'local mobility [1/kg]');
    say(`V = ${tomlVector(form.V)}`, 'of B relative to A, at the contact [m/s]');
  } else {
    say(`point = ${tomlVector(form.point)}`, 'where they touch [m]');
  }
  say(`n = ${tomlVector(form.n)}`, form.kind === 'contact' ? 'from A to B' : 'from the first body to the second');
  for (const [name, value] of Object.entries(state.settings)) {
    if (typeof value === 'number') say(`${name} = ${numberText(value)}`);
    else if (typeof value === 'string') say(`${name} = ${tomlString(value)}`);
    else say(`${name} = ${tomlVector(value)}`, name === 'target' ? 'target impulse [N s]' : '');
  }
  if (form.kind === 'bodies') {
    for (const body of form.bodies) {
      say('');
      say('[[body]]');
      if (body.name !== '') say(`name = ${tomlString(body.name)}`);
      if (body.fixed) {
        say('fixed = true');
      } else {
        say(`mass = ${numberText(body.mass)}`, '[kg]');
        const J = body.inertia;
        if (isDiagonal(J)) say(`inertia = ${tomlVector([J[0][0], J[1][1], J[2][2]])}`, 'principal moments [kg m2]');
        else say(`inertia = ${tomlMatrix(J)}`, '[kg m2]');
      }
      for (const [key, unit] of bodyVectors)
        if (!isUsual(key, body[key])) say(`${key} = ${tomlVector(body[key])}`, unit);
    }
  }
  const width = Math.max(...lines.map(([text, comment]) => (comment === '' ? 0 : Math.min(text.length, 60)))) + 3;
  return lines.map(([text, comment]) => (comment === '' ? text : `${text.padEnd(width)}# ${comment}`)).join('\n') + '\n';
}

// ---- the address ---------------------------------------------------------------------------------------------------

function quoted(text: string): string {
  return encodeURIComponent(text).replace(/%20/g, '+').replace(/%2C/g, ',');
}

function unquoted(text: string, key: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, '%20'));
  } catch {
    throw new StateError(`${key}: ${text.slice(0, 40)}: is not percent-encoded text`);
  }
}

/** The part of the address after `#`, without it. */
export function toAddress(state: State): string {
  const parts: string[] = [];
  const say = (key: string, value: string) => parts.push(`${key}=${value}`);
  const list = (xs: readonly number[]) => xs.map(numberText).join(',');
  if (state.title !== '') say('title', quoted(state.title));
  if (state.comment !== '') say('about', quoted(state.comment));
  const { form } = state;
  if (form.kind === 'contact') {
    say(form.given, list(form.matrix.flat()));
    say('V', list(form.V));
    say('n', list(form.n));
  } else {
    say('point', list(form.point));
    say('n', list(form.n));
    form.bodies.forEach((body, i) => {
      const letter = i === 0 ? 'A' : 'B';
      if (body.name !== '') say(`${letter}.name`, quoted(body.name));
      if (body.fixed) say(`${letter}.fixed`, 'true');
      if (!body.fixed) {
        const J = body.inertia;
        say(`${letter}.mass`, numberText(body.mass));
        say(`${letter}.inertia`, list(isDiagonal(J) ? [J[0][0], J[1][1], J[2][2]] : J.flat()));
      }
      for (const [key] of bodyVectors) if (!isUsual(key, body[key])) say(`${letter}.${key}`, list(body[key]));
    });
  }
  for (const [name, value] of Object.entries(state.settings)) {
    if (typeof value === 'number') say(name, numberText(value));
    else if (typeof value === 'string') say(name, quoted(value));
    else say(name, list(value));
  }
  say('laws', state.laws.join(','));
  say('focus', state.focus);
  if (state.reaches.length > 0) say('reach', state.reaches.join(','));
  return parts.join('&');
}

/** Reads the values of an address one by one; unread keys at the end are unknown. */
class AddressReader {
  private readonly values = new Map<string, string>();

  constructor(address: string) {
    for (const part of address.split('&')) {
      if (part === '') continue;
      const at = part.indexOf('=');
      if (at < 1) throw new StateError(`${part.slice(0, 40)}: must be a key and a value, with = between`);
      const key = unquoted(part.slice(0, at), 'key');
      if (this.values.has(key)) throw new StateError(`${key}: given twice`);
      this.values.set(key, unquoted(part.slice(at + 1), key));
    }
  }

  has(key: string) {
    return this.values.has(key);
  }

  word(key: string): string | undefined {
    const value = this.values.get(key);
    this.values.delete(key);
    return value;
  }

  numbers(key: string, ...counts: number[]): number[] | undefined {
    const value = this.word(key);
    if (value === undefined) return undefined;
    const xs = value.split(',').map(parseNumber);
    if (xs.some((x) => x === null)) throw new StateError(`${key}: ${value.slice(0, 60)}: must be numbers with commas between`);
    if (!counts.includes(xs.length)) throw new StateError(`${key}: has ${xs.length} numbers and must have ${counts.join(' or ')}`);
    return xs as number[];
  }

  needed(key: string, ...counts: number[]): number[] {
    const xs = this.numbers(key, ...counts);
    if (!xs) throw new StateError(`${key}: missing`);
    return xs;
  }

  rest(): string[] {
    return [...this.values.keys()];
  }
}

const rows = (xs: number[]): Mat3 => [xs.slice(0, 3), xs.slice(3, 6), xs.slice(6, 9)] as Mat3;
const diagonal = (xs: number[]): Mat3 => [
  [xs[0]!, 0, 0],
  [0, xs[1]!, 0],
  [0, 0, xs[2]!],
];

function readBody(reader: AddressReader, letter: 'A' | 'B'): Body {
  const key = (name: string) => `${letter}.${name}`;
  const name = reader.word(key('name')) ?? '';
  const fixedWord = reader.word(key('fixed')) ?? 'false';
  if (fixedWord !== 'true' && fixedWord !== 'false') throw new StateError(`${key('fixed')}: ${fixedWord}: must be true or false`);
  const fixed = fixedWord === 'true';
  const zero = () => [0, 0, 0];
  const mass = fixed ? (reader.numbers(key('mass'), 1) ?? [1]) : reader.needed(key('mass'), 1);
  const inertia = fixed ? (reader.numbers(key('inertia'), 3, 9) ?? [1, 1, 1]) : reader.needed(key('inertia'), 3, 9);
  return {
    name,
    fixed,
    mass: mass[0]!,
    inertia: inertia.length === 3 ? diagonal(inertia) : rows(inertia),
    position: (reader.numbers(key('position'), 3) ?? zero()) as Vec3,
    orientation: (reader.numbers(key('orientation'), 4) ?? [1, 0, 0, 0]) as Body['orientation'],
    velocity: (reader.numbers(key('velocity'), 3) ?? zero()) as Vec3,
    angular_velocity: (reader.numbers(key('angular_velocity'), 3) ?? zero()) as Vec3,
  };
}

/** Throws a StateError that names the key. The library validates the collision itself. */
export function fromAddress(address: string, laws: LawInfo[]): State {
  const reader = new AddressReader(address);
  const title = reader.word('title') ?? '';
  const comment = reader.word('about') ?? '';
  const n = () => reader.needed('n', 3) as Vec3;
  let form: Form;
  if (reader.has('M') || reader.has('W')) {
    const given = reader.has('M') ? 'M' : 'W';
    form = { kind: 'contact', given, matrix: rows(reader.needed(given, 9)), V: reader.needed('V', 3) as Vec3, n: n() };
  } else if (reader.has('point')) {
    const point = reader.needed('point', 3) as Vec3;
    form = { kind: 'bodies', point, n: n(), bodies: [readBody(reader, 'A'), readBody(reader, 'B')] };
  } else {
    throw new StateError('needs M or W with V and n, or point and n with the bodies A and B');
  }

  const known = laws.map((law) => law.name);
  const names = (key: string) => {
    const word = reader.word(key);
    if (word === undefined) return undefined;
    const list = word.split(',').filter((name) => name !== '');
    for (const name of list) if (!known.includes(name)) throw new StateError(`${key}: ${name}: unknown law; one of ${known.join(', ')}`);
    return known.filter((name) => list.includes(name));
  };
  const usual = defaultSelection(laws, null);
  const selected = names('laws') ?? usual.laws;
  const focus = names('focus') ?? [usual.focus];
  if (focus.length !== 1) throw new StateError('focus: must be one law');
  const reaches = names('reach') ?? [];

  const parameters = parametersOf(laws);
  const settings: Record<string, Setting> = {};
  for (const key of reader.rest()) {
    const parameter = parameters.find(({ name, alias }) => name === key || alias === key);
    if (!parameter) throw new StateError(`${key}: unknown key`);
    const { name, kind } = parameter;
    if (name in settings) throw new StateError(`${key}: given twice, once as ${key === name ? parameter.alias : name}`);
    if (kind === 'word') settings[name] = reader.word(key)!;
    else if (kind === 'vector') settings[name] = reader.needed(key, 3) as Vec3;
    else settings[name] = reader.needed(key, 1)[0]!;
  }
  return { title, comment, form, settings, laws: selected, focus: focus[0]!, reaches };
}
