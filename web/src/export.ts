/** Exports: figures, numbers, the collision as TOML and as C++, and a link. */

import type { Body, ContactDocument, LawInfo, Mat3 } from './documents';
import { columns, verdict } from './table';
import { numberText, type State } from './state';
import type { Frame } from './views/view';

/** A file name of a title. */
export function fileStem(title: string): string {
  const stem = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
  return stem === '' ? 'collision' : stem;
}

export function save(name: string, content: Blob | string, type = 'text/plain') {
  const blob = typeof content === 'string' ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads it after the click has returned.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// ---- CSV -----------------------------------------------------------------------------------------------------------

function csvCell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The table, with all digits. Impulse and velocity also in the axes of the input. */
export function toCsv(frame: Frame): string {
  const vectors = ['P_x', 'P_y', 'P_z', 'V_x', 'V_y', 'V_z'];
  const head = ['law', ...columns.map(({ name }) => name), ...vectors, 'mode', 'permissible', 'certificate', 'error'];
  const lines = frame.outcome.answers.map((answer) => {
    if (answer.error) {
      const empty = new Array<string>(columns.length + vectors.length + 3).fill('');
      return [answer.law, ...empty, answer.error.message];
    }
    const numbers = [...columns.map((column) => column.value(answer, frame.axes)), ...answer.P!, ...answer.V!];
    return [answer.law, ...numbers.map(numberText), answer.mode!, String(answer.permissible), verdict(answer), ''];
  });
  return [head, ...lines].map((line) => line.map(csvCell).join(',')).join('\n') + '\n';
}

// ---- Python --------------------------------------------------------------------------------------------------------

const pythonNumber = (x: number) => (x === Infinity ? 'math.inf' : x === -Infinity ? '-math.inf' : numberText(x));
const pythonList = (xs: readonly number[]) => `[${xs.map(pythonNumber).join(', ')}]`;

/** Calls the package for the focus and every drawn law, each with the parameters that it takes. */
export function toPython(state: State, contact: ContactDocument, laws: LawInfo[]): string {
  const given = state.form.kind === 'contact' ? state.form.given : contact.immovable ? 'W' : 'M';
  const matrix = state.form.kind === 'contact' ? state.form.matrix : given === 'W' ? contact.W : (contact.M as Mat3);
  const value = (setting: State['settings'][string]) =>
    typeof setting === 'number' ? pythonNumber(setting) : typeof setting === 'string' ? JSON.stringify(setting) : pythonList(setting);
  const call = ({ name, parameters }: LawInfo) => {
    // A parameter that stands in for one that is not given goes along.
    const taken = parameters.flatMap((one) => [one.name, typeof one.default === 'object' ? one.default.parameter : '']);
    const own = name === 'composite' ? Object.keys(state.settings) : [...new Set(taken)].filter((key) => key in state.settings);
    const settings = own.map((key) => `, ${key}=${value(state.settings[key]!)}`).join('');
    return `hit = ricochet.collide(${JSON.stringify(name)}, ${given}=${given}, V=V, n=n${settings})`;
  };
  const chosen = [...laws.filter(({ name }) => name === state.focus), ...laws.filter(({ name }) => name !== state.focus && state.laws.includes(name))];
  const body = [
    `${given} = [${matrix.map(pythonList).join(`,\n${' '.repeat(given.length + 4)}`)}]`,
    `V = ${pythonList(contact.V)}`,
    `n = ${pythonList(contact.n)}`,
    '',
    ...chosen.flatMap((law) => [call(law), `print(${JSON.stringify(law.name)}, hit.P, hit.V, hit.energy_change, hit.permissible)`, '']),
  ];
  const imports = [...(body.some((line) => line.includes('math.inf')) ? ['import math', ''] : []), 'import ricochet'];
  const title = state.title === '' ? [] : [`# ${state.title.replace(/[\r\n]+/g, ' ')}`];
  return [...title, ...imports, '', ...body].join('\n');
}

// ---- C++ -----------------------------------------------------------------------------------------------------------

function cppNumber(x: number): string {
  if (x === Infinity) return 'infinity';
  if (x === -Infinity) return '-infinity';
  return numberText(x);
}

const cppList = (xs: readonly number[]) => `{${xs.map(cppNumber).join(', ')}}`;
const cppVector = (xs: readonly number[]) => `Vec3(${xs.map(cppNumber).join(', ')})`;
const cppMatrix = (rows: Mat3) => `Mat3{${rows.map(cppList).join(', ')}}`;

/** Bytes that are not plain are written in octal, which ends after three digits whatever follows. */
function cppString(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const written = Array.from(bytes, (byte) => {
    const sign = String.fromCharCode(byte);
    if (sign === '"' || sign === '\\') return `\\${sign}`;
    return byte >= 32 && byte < 127 ? sign : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${written.join('')}"`;
}

function cppBody(variable: string, body: Body): string[] {
  const [w, x, y, z] = body.orientation.map(cppNumber);
  const members = [
    ...(body.fixed ? [] : [`.mass = ${cppNumber(body.mass)},`, `.inertia = ${cppMatrix(body.inertia)},`]),
    `.orientation = Quaternion(${w}, ${x}, ${y}, ${z}).normalized(),`,
    `.position = ${cppVector(body.position)},`,
    `.velocity = ${cppVector(body.velocity)},`,
    `.angular_velocity = ${cppVector(body.angular_velocity)},`,
    ...(body.fixed ? ['.fixed = true,'] : []),
  ];
  return [`  const RigidBody ${variable}{`, ...members.map((member) => `      ${member}`), '  };'];
}

/** A program that solves this collision by the drawn laws and the focus. */
export function toCpp(state: State, order: string[]): string {
  const { form } = state;
  const laws = order.filter((name) => state.laws.includes(name) || name === state.focus);
  const settings = Object.entries(state.settings).map(([name, value]) => {
    if (typeof value === 'number') return `  settings.${name} = ${cppNumber(value)};`;
    if (typeof value === 'string') return `  settings.${name} = ${cppString(value)};`;
    return `  settings.${name} = ${cppVector(value)};`;
  });
  const infinite = Object.values(state.settings).some((value) => typeof value === 'number' && !Number.isFinite(value));
  const contact =
    form.kind === 'contact'
      ? [
          `  const Mat3 ${form.given}${cppMatrix(form.matrix).slice(4)};`,
          `  const auto contact = ${form.given === 'M' ? 'contact_from_mass' : 'contact_from_mobility'}(${form.given}, ${cppVector(form.V)}, ${cppVector(form.n)});`,
        ]
      : [
          ...cppBody('A', form.bodies[0]),
          ...cppBody('B', form.bodies[1]),
          `  const auto contact = contact_between(A, B, ${cppVector(form.point)}, ${cppVector(form.n)});`,
        ];
  return [
    '// c++ -std=c++20 THIS_FILE $(pkg-config --cflags --libs ricochet)',
    '#include <cstdio>',
    ...(infinite ? ['#include <limits>'] : []),
    '#include <ricochet/ricochet.hpp>',
    '',
    'int main() {',
    '  using namespace ricochet;',
    ...(infinite ? ['  constexpr double infinity = std::numeric_limits<double>::infinity();'] : []),
    `  std::puts(${cppString(state.title === '' ? 'collision' : state.title)});`,
    ...contact,
    '  if (!contact) return std::puts(contact.error().message().c_str()), 1;',
    '',
    '  LawParameters settings;  // every law takes those that it knows',
    ...settings,
    '',
    `  for (const char* name : {${laws.map(cppString).join(', ')}}) {`,
    '    const auto law = make_law(name, settings);',
    '    const auto hit = law ? collide(*law, *contact) : tl::unexpected(law.error());',
    '    if (!hit) {',
    '      std::printf("%-18s no answer: %s\\n", name, hit.error().message().c_str());',
    '      continue;',
    '    }',
    '    std::printf("%-18s P = (%.17g, %.17g, %.17g) N s, V = (%.17g, %.17g, %.17g) m/s, energy %+.17g J, permissible %d\\n",',
    '                name, hit->P.x(), hit->P.y(), hit->P.z(), hit->V.x(), hit->V.y(), hit->V.z(), hit->energy_change,',
    '                hit->certificate.permissible);',
    '  }',
    '}',
    '',
  ].join('\n');
}
