/**
 * The page's types against the library's documents: every document of every bundled scene has exactly the fields that
 * web/src/documents.ts states, with those types; and every field, every optional one both ways, and every member of a
 * union occurs in some document. A field that is added, removed or of another type on either side fails.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { explore, without } from './native.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const wasm = process.env.RICOCHET_WASM ?? join(root, 'build/wasm/bin');
const skip = existsSync(join(wasm, 'explorer.mjs')) ? false : 'the WebAssembly module is not built';

/** The exported types of documents.ts, and a way to hold values against them. */
class Types {
  constructor() {
    this.ts = createRequire(join(root, 'web/package.json'))('typescript');
    const file = join(root, 'web/src/documents.ts');
    const program = this.ts.createProgram([file], { strict: true, noEmit: true, target: this.ts.ScriptTarget.ES2022 });
    this.checker = program.getTypeChecker();
    const module = this.checker.getSymbolAtLocation(program.getSourceFile(file));
    this.named = new Map(
      this.checker.getExportsOfModule(module).map((symbol) => [symbol.name, this.checker.getDeclaredTypeOfSymbol(symbol)]),
    );
    /** What has occurred: "Type.field", and "Type.field absent", "Type.field = member". */
    this.seen = new Set();
    this.wanted = new Set();
    this.known = new Map();
  }

  /** Why `value` is not of the type; empty where it is. */
  fault(value, type, where) {
    const { ts, checker } = this;
    if (type.isUnion()) {
      const faults = [];
      for (const member of type.types) {
        const fault = this.fault(value, member, where);
        if (fault === '') return '';
        faults.push(fault);
      }
      // The fault of the member that is an object says most, where the value is one.
      return (value !== null && typeof value === 'object' && faults.find((fault) => !fault.startsWith(`${where}:`))) || faults[0];
    }
    const wrong = `${where}: ${JSON.stringify(value)?.slice(0, 60)} is no ${checker.typeToString(type)}`;
    if (type.isStringLiteral()) return value === type.value ? '' : wrong;
    if (type.flags & ts.TypeFlags.Null) return value === null ? '' : wrong;
    if (type.flags & ts.TypeFlags.Number) return typeof value === 'number' ? '' : wrong;
    if (type.flags & ts.TypeFlags.String) return typeof value === 'string' ? '' : wrong;
    if (type.flags & ts.TypeFlags.BooleanLiteral) return value === (checker.typeToString(type) === 'true') ? '' : wrong;
    const name = type.symbol?.name;
    if (name === 'Float64Array' || name === 'Int32Array') return value?.constructor?.name === name ? '' : wrong;
    if (checker.isTupleType(type)) {
      const members = checker.getTypeArguments(type);
      if (!Array.isArray(value) || value.length !== members.length) return wrong;
      return first(members.map((member, i) => this.fault(value[i], member, `${where}[${i}]`)));
    }
    if (checker.isArrayType(type)) {
      const [member] = checker.getTypeArguments(type);
      if (!Array.isArray(value)) return wrong;
      return first(value.map((one, i) => this.fault(one, member, `${where}[${i}]`)));
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong;
    const any = type.getStringIndexType();
    if (any) return first(Object.entries(value).map(([key, one]) => this.fault(one, any, `${where}.${key}`)));
    return this.objectFault(value, type, where);
  }

  objectFault(value, type, where) {
    const fields = this.fieldsOf(type);
    for (const key of Object.keys(value)) if (!fields.has(key)) return `${where}.${key}: is not in ${this.nameOf(type)}`;
    const marks = [];
    for (const [key, { type: field, optional, members }] of fields) {
      const place = `${this.nameOf(type)}.${key}`;
      if (!(key in value)) {
        if (!optional) return `${where}.${key}: is missing, and in ${this.nameOf(type)}`;
        marks.push(`${place} absent`);
        continue;
      }
      const fault = this.fault(value[key], field, `${where}.${key}`);
      if (fault !== '') return fault;
      marks.push(place);
      for (const member of members) if (this.fault(value[key], member, '') === '') marks.push(`${place} = ${this.checker.typeToString(member)}`);
    }
    for (const mark of marks) this.seen.add(mark);
    return '';
  }

  /** The fields of an object type; what must occur is noted when a type is first met. */
  fieldsOf(type) {
    const before = this.known.get(type);
    if (before) return before;
    const { ts, checker } = this;
    const fields = new Map();
    for (const symbol of checker.getPropertiesOfType(type)) {
      const optional = Boolean(symbol.flags & ts.SymbolFlags.Optional);
      const field = checker.getNonOptionalType(checker.getTypeOfSymbol(symbol));
      const stripped = optional ? checker.getNonNullableType(field) : field;
      // How JSON spells numbers that are not finite is one thing, wherever one may stand.
      const extended = stripped.aliasSymbol?.name === 'Extended';
      const members = stripped.isUnion() && !extended && !(stripped.flags & ts.TypeFlags.Boolean) ? stripped.types : [];
      fields.set(symbol.name, { type: stripped, optional, members });
      const place = `${this.nameOf(type)}.${symbol.name}`;
      this.wanted.add(place);
      if (optional) this.wanted.add(`${place} absent`);
      for (const member of members) this.wanted.add(`${place} = ${checker.typeToString(member)}`);
    }
    this.known.set(type, fields);
    return fields;
  }

  nameOf(type) {
    return type.aliasSymbol?.name ?? (type.symbol?.name === '__type' ? this.checker.typeToString(type) : type.symbol.name);
  }

  /** A document as a function gave it: text, or an object. A refusal is held against Fault. */
  expect(name, given, where) {
    const document = typeof given === 'string' ? JSON.parse(given) : given;
    const refusal = document !== null && typeof document === 'object' && 'error' in document && name !== 'LawAnswer';
    const fault = refusal
      ? this.fault(document.error, this.named.get('Fault'), `${where}.error`)
      : this.fault(document, this.named.get(name), where);
    assert.equal(fault, '');
    return refusal ? null : document;
  }
}

const first = (faults) => faults.find((fault) => fault !== '') ?? '';

const kinds = ['impulse-plane', 'impulse-solid', 'energy', 'velocity', 'process', 'forces', 'before', 'after'];

test('documents.ts states what the library gives, field by field', { skip }, async (t) => {
  const { default: load } = await import(pathToFileURL(join(wasm, 'explorer.mjs')));
  const module = await load({ wasmBinary: readFileSync(join(wasm, 'explorer.wasm')) });
  const types = new Types();
  const laws = JSON.parse(module.laws());
  for (const [i, law] of laws.entries()) types.expect('LawInfo', law, `laws[${i}]`);
  const scenes = JSON.parse(module.scenes());
  for (const [i, scene] of scenes.entries()) types.expect('BundledScene', scene, `scenes[${i}]`);
  const ticks = JSON.parse(module.ticks(0, 7, 3));
  assert.ok(Array.isArray(ticks) && ticks.length > 1 && ticks.every((tick) => typeof tick === 'number'));

  const pane = { width: 520, height: 420, alphabet: 13, zoom: 1, shift: [0, 0], range: null };
  const all = laws.map((law) => law.name).join(',');
  const reaches = 'routh,smith';
  const bare = 'W = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [1, 0, -1]\nn = [0, 0, 1]\n';
  const texts = [
    ...scenes.map((scene) => [scene.name, scene.text]),
    ['without mu', bare],
    ['mu without bound', `${bare}mu = inf\ne = 0.5\n`],
    ['every parameter in words', `law = "routh"\nrestitution = "poisson"\n${bare}mu = 0.3\ne = 0.5\n`],
    ['bodies that separate', bare.replace('-1]', '1]')],
    ['not a collision', 'V = 3\n'],
  ];
  for (const [name, text] of texts) {
    types.expect('CollisionDocument', module.read(text), `${name}: read`);
    types.expect('OutcomeDocument', module.collide(text), `${name}: collide`);
    types.expect('OutcomeDocument', module.answers_file(text), `${name}: answers_file`);
    types.expect('InspectDocument', module.inspect(text), `${name}: inspect`);
    types.expect('RealizeDocument', module.realize(text), `${name}: realize`);
    types.expect('RegionDocument', module.region(text), `${name}: region`);
    types.expect('AxesDocument', module.axes(text), `${name}: axes`);
    for (const { name: law } of laws) {
      types.expect('ReachDocument', module.reach(text, law), `${name}: reach ${law}`);
      types.expect('PathDocument', module.path(text, law), `${name}: path ${law}`);
      const course = types.expect('CourseDocument', module.course(text, law), `${name}: course ${law}`);
      if (course) types.expect('PlotDocument', module.during(text, law, ...course.steps[0].P, JSON.stringify(pane)), `${name}: during ${law}`);
    }
    for (const kind of kinds) {
      const which = kind.startsWith('impulse') ? all : kind === 'process' || kind === 'forces' ? '' : 'routh';
      const drawn = types.expect('PlotDocument', module.plot(text, kind, which, reaches, JSON.stringify(pane)), `${name}: plot ${kind}`);
      types.expect('FigureDocument', module.figure(text, kind, which), `${name}: figure ${kind}`);
      if (!drawn) continue;
      // The range that a document gives keeps the axes still, and zoom shows a part of them.
      const kept = JSON.parse(module.plot(text, kind, which, reaches, JSON.stringify({ ...pane, range: drawn.range })));
      assert.deepEqual([kept.x, kept.y, kept.range], [drawn.x, drawn.y, drawn.range], `${name}: ${kind}`);
      const [left, top] = kept.frame.low;
      const near = JSON.parse(module.plot(text, kind, which, reaches, JSON.stringify({ ...pane, zoom: 2, shift: [-left, -top] })));
      for (const [axis, end] of [['x', 'low'], ['y', 'high']]) {
        const size = kept[axis].high - kept[axis].low;
        // Places are written to a hundredth of a pixel.
        assert.ok(Math.abs(near[axis][end] - kept[axis][end]) <= 1e-4 * size, `${name}: ${kind}: zoom moves the corner`);
        assert.ok(Math.abs(2 * (near[axis].high - near[axis].low) - size) <= 1e-9 * size, `${name}: ${kind}: zoom`);
      }
    }
    for (const [handle, x, y] of [['e', 0.1, 1.2], ['mu', 0.3, 1], ['mu', 0.3, -1], ['V', 1, -1]])
      types.expect('DragDocument', module.drag(text, handle, x, y), `${name}: drag ${handle}`);
  }
  types.expect('Fault', { error: JSON.parse(module.plot(bare, 'no-such-kind', '', '', JSON.stringify(pane))).error }, 'unknown kind');

  const missing = [...types.wanted].filter((mark) => !types.seen.has(mark));
  assert.deepEqual(missing, [], 'documents.ts states what no document has');
  t.diagnostic(`${types.wanted.size} facts about ${types.known.size} types, ${texts.length} collisions`);
});

/** The document that `ricochet explore` serves of a robot. */
const robotDocument = () =>
  explore(join(root, 'models/quadruped.urdf'), async (address) =>
    (await fetch(new URL('contacts.json', address.replace(/#.*/s, '')))).text());

test('documents.ts states what many contacts and the impacts of a motion give', { skip: skip || without }, async (t) => {
  const { default: load } = await import(pathToFileURL(join(wasm, 'simulator.mjs')));
  globalThis.WorkerGlobalScope ??= class {}; // the module asks where it runs
  globalThis.self ??= globalThis;
  globalThis.self.location ??= { href: import.meta.url };
  const module = await load({ wasmBinary: readFileSync(join(wasm, 'simulator.wasm')) });
  const types = new Types();
  const scenes = JSON.parse(module.many());
  for (const [i, scene] of scenes.entries()) types.expect('BundledScene', scene, `many[${i}]`);
  const texts = [...scenes.map(({ name, text }) => [name, text]), ['refused', scenes[0].text.replace('mass = 0.26', 'mass = 0')]];
  for (const [name, text] of texts) types.expect('ContactsDocument', module.contacts(text, '{"sets":[]}'), name);
  types.expect('ContactsDocument', await robotDocument(), 'robot');
  for (const { text } of JSON.parse(module.scenes()).filter(({ name }) => ['bouncing-ball', 'double-pendulum'].includes(name))) {
    module.simulate(text, JSON.stringify({ law: '', sets: [], until: 3 }), () => {});
    types.expect('EventDocument', module.event(0), 'event');
  }
  types.expect('Fault', { error: JSON.parse(module.event(1e6)).error }, 'no such event');
  const missing = [...types.wanted].filter((mark) => !types.seen.has(mark));
  assert.deepEqual(missing, [], 'documents.ts states what no document has');
  t.diagnostic(`${types.wanted.size} facts about ${types.known.size} types, ${texts.length} scenes`);
});

test('a drag asks for the input at which the dragged thing is under the pointer', { skip }, async () => {
  const { default: load } = await import(pathToFileURL(join(wasm, 'explorer.mjs')));
  const module = await load({ wasmBinary: readFileSync(join(wasm, 'explorer.wasm')) });
  const text = (e, mu, V) => `M = [[2, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1]]\nV = [${V}]\nn = [0, 0, 1]\ne = ${e}\nmu = ${mu}\n`;
  const begin = text(0.5, 0.4, [1, -0.5, -2]);
  const pane = JSON.stringify({ width: 600, height: 500, alphabet: 13, zoom: 1, shift: [0, 0], range: null });
  const value = ({ frame, x, y }, [px, py]) => [
    x.low + ((px - frame.low[0]) / (frame.high[0] - frame.low[0])) * (x.high - x.low),
    y.low + ((frame.high[1] - py) / (frame.high[1] - frame.low[1])) * (y.high - y.low),
  ];
  // Points on the line of e = 0.8 of another collision, given to the drag of the first one, ask for e = 0.8.
  const plane = JSON.parse(module.plot(text(0.8, 0.4, [1, -0.5, -2]), 'impulse-plane', 'routh', '', pane));
  const line = plane.curves.find((curve) => curve.name === '$e$ = 0.8');
  for (const at of line.points) assert.equal(JSON.parse(module.drag(begin, 'e', ...value(plane, at))).e, 0.8);
  for (const curve of plane.curves.filter((one) => one.handle === 'mu'))
    assert.equal(JSON.parse(module.drag(begin, 'mu', ...value(plane, curve.points[1]))).mu, 0.4);
  assert.deepEqual(JSON.parse(module.drag(begin, 'mu', 0.5, -1)), {}, 'below the tip of the cone');
  // The velocity keeps the direction of its slip and gets the asked components.
  const { V } = JSON.parse(module.drag(begin, 'V', 3, -4));
  assert.ok(Math.abs(V[2] + 4) < 1e-3 && Math.abs(Math.hypot(V[0], V[1]) - 3) < 2e-3 && Math.abs(V[0] / V[1] + 2) < 2e-3, String(V));
  assert.deepEqual(JSON.parse(module.drag(begin, 'V', 3, 1)), {}, 'bodies that separate');
});
