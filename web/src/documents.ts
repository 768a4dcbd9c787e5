/** What the functions of the library give (docs/explorer.md): JSON documents, the same as the command line's.
 *  tests/web/documents.test.mjs holds these types against the documents of every bundled scene, in both directions. */

export type Vec2 = [number, number];
export type Vec3 = [number, number, number];
export type Mat3 = [Vec3, Vec3, Vec3];
/** JSON has no infinity; it is written as a string. */
export type Extended = number | 'inf' | '-inf' | 'nan';

/** `path` names the input ("body[2].mass", empty for the text as a whole), `message` says all of it in one sentence. */
export interface ErrorDocument {
  code: string;
  path: string;
  value: string;
  allowed: string;
  message: string;
}
export interface Fault extends ErrorDocument {
  line: number;
}
export type Answered<T> = T | { error: Fault };

/** One parameter of a law, as `ricochet laws --format json` has it (docs/command-line.md). */
export interface ParameterInfo {
  name: string;
  kind: 'number' | 'word' | 'vector';
  /** As a person would write it. */
  range: string;
  /** Bounds of a number or of every component of a vector; an open end is not itself allowed. */
  low?: Extended;
  low_open?: boolean;
  high?: Extended;
  high_open?: boolean;
  /** Another parameter that is a lower bound too. */
  not_below?: string;
  /** A higher lower bound, unless the other parameter is that word. */
  stricter_low?: { low: number; parameter: string; unless: string };
  choices?: string[];
  needed: boolean;
  default?: Extended | string | { parameter: string };
  default_text?: string;
  unit: string;
  meaning: string;
  /** An older key that is still read. */
  alias?: string;
}
export interface Guarantees {
  energy: boolean;
  separation: boolean;
  friction: boolean;
}
export interface LawInfo {
  name: string;
  title: string;
  source: string;
  parameters: ParameterInfo[];
  /** The parameter that is the friction of the certificate's cone; null: no friction. */
  cone: string | null;
  guarantees: Guarantees;
  caveat: string;
  planar: boolean;
  /** The page gets the laws of a contact; closed forms for mechanisms are not among them. */
  acts_on: 'contact';
}

export interface BundledScene {
  name: string;
  title: string;
  text: string;
}

export interface Body {
  name: string;
  fixed: boolean;
  mass: number;
  inertia: Mat3;
  position: Vec3;
  orientation: [number, number, number, number];
  velocity: Vec3;
  angular_velocity: Vec3;
}
export interface ContactDocument {
  M: [Extended[], Extended[], Extended[]];
  W: Mat3;
  V: Vec3;
  n: Vec3;
  /** The angular velocity of B minus A's; absent where it is zero or not known. */
  spin?: Vec3;
  immovable?: boolean;
}
/** Parameters under the names of the command line. */
export type Settings = Record<string, Extended | string | Vec3>;
export interface CollisionDocument {
  title: string;
  law: string | null;
  settings: Settings;
  contact: ContactDocument;
  /** Which of the contact's matrices the text gives; the other follows. With bodies both do. */
  given: 'M' | 'W' | 'bodies';
  bodies: [Body, Body] | null;
  point: Vec3;
}

export interface Margins {
  energy: Extended;
  separation: Extended;
  compression: Extended;
  friction: Extended;
}
export interface PathPoint {
  event: string;
  P: Vec3;
  V: Vec3;
  normal_work: number;
  friction_work: number;
}
export interface LawAnswer {
  law: string;
  /** With defaults; absent where they are not valid. */
  parameters?: Settings;
  error?: ErrorDocument;
  P?: Vec3;
  V?: Vec3;
  energy_change?: number;
  normal_work?: number;
  friction_work?: number;
  mode?: string;
  permissible?: boolean;
  margins?: Margins;
  violated?: string[];
  guarantees?: Guarantees;
  why?: string;
  jammed?: boolean;
  evaluations?: number;
  path?: PathPoint[];
}
export interface OutcomeDocument {
  source: string;
  title?: string;
  bodies?: [string, string];
  contact: ContactDocument;
  answers: LawAnswer[];
}

export interface Certificate {
  permissible: boolean;
  margins: Margins;
}
export interface LandmarkImpulse {
  P: Vec3;
  certificate: Certificate;
}
export interface InspectDocument {
  M: [Extended[], Extended[], Extended[]];
  W: Mat3;
  V: Vec3;
  n: Vec3;
  mu: Extended;
  energy: number;
  P_I: LandmarkImpulse;
  P_II: LandmarkImpulse;
  ellipsoid: { centre: Vec3; half_axes: { direction: Vec3; length: Extended }[] };
  maximum_compression: { normal: Vec3; offset: number };
  sticking: { point: Vec3; direction?: Vec3; immovable?: Vec3[] };
  cone: { axis: Vec3; half_angle: number };
}

export interface RegionDocument {
  bounded: boolean;
  points: Float64Array;
  triangles: Int32Array;
}
export interface ReachDocument {
  law: string;
  rows: number;
  columns: number;
  points: (Vec3 | null)[];
}
export interface PathDocument {
  law: string;
  points: Vec3[];
}
/** An impact step by step. */
export interface CourseStep {
  at: number;
  P: Vec3;
  V: Vec3;
  normal_work: number;
  friction_work: number;
}
export interface CourseDocument {
  law: string;
  /** What `at` measures: the normal impulse, the length of the path where friction acts alone, or time. */
  over: 'impulse' | 'length' | 'time';
  /** Empty for time without dimension. */
  unit: string;
  steps: CourseStep[];
  events: { name: string; step: number }[];
}
export interface RealizeDocument {
  point: Vec3;
  bodies: [Body, Body];
}
export interface AxesDocument {
  n: Vec3;
  t: Vec3;
  b: Vec3;
}

/** Places on the page are in CSS pixels, y downwards. */
export interface PlotLine {
  points: Vec2[];
  closed: boolean;
  /** Colours are those of print; empty draws nothing. */
  colour: string;
  width: number;
  dash: number[];
  fill: string;
  opacity: number;
  /** Corners of an arrow's head; empty where there is none. */
  head: Vec2[];
  /** Whose answer it shows; empty for none. */
  law: string;
}
export interface PlotCurve extends PlotLine {
  name: string;
  /** The input that dragging it changes. */
  handle: '' | 'e' | 'mu';
}
export interface PlotDot {
  at: Vec2;
  radius: number;
  colour: string;
  form: 'disc' | 'ring' | 'square' | 'diamond' | 'cross';
  law: string;
}
export interface PlotText {
  /** On the base line. */
  at: Vec2;
  text: string;
  size: number;
  anchor: 'start' | 'middle' | 'end';
  colour: string;
  /** Degrees, clockwise. */
  turn: number;
  /** What lies under the letters is painted over. */
  clear: boolean;
}
export interface PlotPoint {
  name: string;
  at: Vec2;
  value: Vec2;
  handle: '' | 'V';
}
/** What the frame shows of an axis; logarithms where it is logarithmic. */
export interface PlotAxis {
  label: string;
  log: boolean;
  low: number;
  high: number;
}
export interface PlotDocument {
  title: string;
  /** Without axes. */
  bare: boolean;
  /** On the page: upper left and lower right corner. */
  frame: { low: Vec2; high: Vec2 };
  /** Given back with the next pane, it keeps the axes still. */
  range: { low: Vec2; high: Vec2 };
  x: PlotAxis;
  y: PlotAxis;
  /** Axes, ticks and legend. */
  lines: PlotLine[];
  /** Drawn inside the frame only. */
  curves: PlotCurve[];
  dots: PlotDot[];
  texts: PlotText[];
  /** What can be read off. */
  points: PlotPoint[];
}
export interface FigureDocument {
  svg: string;
}
/** The inputs that a drag asks for. */
export interface DragDocument {
  e?: number;
  mu?: number;
  V?: Vec3;
}

/** Where a plot is drawn; what the page passes to the library. */
export interface Pane {
  width: number;
  height: number;
  /** Width of the 26 small letters in the typeface of plots, of size 1. */
  alphabet: number;
  /** What is at p without zoom is at zoom p + shift. */
  zoom: number;
  shift: Vec2;
  range: PlotDocument['range'] | null;
}

export type PlotKind =
  | 'impulse-plane'
  | 'impulse-solid'
  | 'energy'
  | 'velocity'
  | 'process'
  | 'forces'
  | 'before'
  | 'after';

// ---- many contacts at once -----------------------------------------------------------------------------------------

export interface BodySpeeds {
  velocity: Vec3;
  /** Links have none. */
  angular_velocity: Vec3 | null;
}
export interface ContactsBody extends BodySpeeds {
  name: string;
  fixed: boolean;
}
export interface ListedContact {
  bodies: [string, string];
  point: Vec3;
  n: Vec3;
  /** Before. */
  V: Vec3;
  /** Null: it has none of its own. */
  law: string | null;
  /** This contact by itself, TOML. */
  collision: string;
}
/** One collision of the sequence. */
export interface ContactsStep {
  /** Null: a hinge. */
  contact: number | null;
  mode: string;
  V: Vec3;
  P: Vec3;
  energy_change: number;
  /** Of the contact's bodies, just before. */
  bodies: [BodySpeeds, BodySpeeds] | null;
}
export interface ContactOutcome {
  P: Vec3;
  V: Vec3;
  permissible: boolean;
  violated: string[];
  margins: Margins;
}
export interface ContactsOutcome {
  energy_change: number;
  permissible: boolean;
  violated: string[];
  margins: Margins;
  contacts: ContactOutcome[];
  bodies: BodySpeeds[];
  /** SVG, both to one scale of speed. */
  before: string;
  after: string;
}
export interface ContactsAnswer {
  /** Empty: every contact by its own. */
  law: string;
  error?: ErrorDocument;
  verdict?: string;
  ties?: string;
  collisions?: number;
  steps?: ContactsStep[];
  /** Null where the sequence does not settle. */
  outcome?: ContactsOutcome | null;
}
export interface ContactsDocument {
  ricochet: 'contacts';
  version: number;
  kind: 'scene' | 'robot';
  title: string;
  /** What was assumed; empty: nothing. */
  remark: string;
  bodies: ContactsBody[];
  contacts: ListedContact[];
  answers: ContactsAnswer[];
  /** SVG. */
  before: string;
}
/** The contact of an impact in a motion. */
export interface EventDocument {
  /** By itself, TOML. */
  collision: string;
  time: number;
  /** Contacts that were resolved at this instant. */
  together: number;
}
