/** What the functions of the library give (docs/explorer.md): JSON documents, the same as the command line's. */

export type Vec2 = [number, number];
export type Vec3 = [number, number, number];
export type Mat3 = [Vec3, Vec3, Vec3];
/** JSON has no infinity; it is written as a string. */
export type Extended = number | 'inf' | '-inf' | 'nan';

export interface Fault {
  field: string;
  message: string;
  line: number;
}
export type Answered<T> = T | { error: Fault };

export interface ParameterInfo {
  name: string;
  range: string;
  needed: boolean;
  default?: string;
  meaning: string;
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
  guarantees: Guarantees;
  caveat: string;
  planar: boolean;
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
  error?: { field: string; message: string };
  P?: Vec3;
  V?: Vec3;
  energy_change?: number;
  normal_work?: number;
  friction_work?: number;
  mode?: string;
  permissible?: boolean;
  margins?: Margins;
  broken?: string[];
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

export interface InspectDocument {
  mu: Extended;
  energy: number;
  P_I: { P: Vec3 };
  P_II: { P: Vec3 };
  ellipsoid: { centre: Vec3; half_axes: { direction: Vec3; length: Extended }[] };
  maximum_compression: { normal: Vec3; offset: number };
  sticking: { point: Vec3; direction?: Vec3 };
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
export interface RealizeDocument {
  point: Vec3;
  bodies: [Body, Body];
}
export interface AxesDocument {
  n: Vec3;
  t: Vec3;
  b: Vec3;
}

export interface PlotCurve {
  name: string;
  points: Vec2[];
  colour: string;
  width: number;
  dash: number[];
  closed: boolean;
  fill: string;
  opacity: number;
  arrow: boolean;
  counts: boolean;
}
export interface PlotPoint {
  name: string;
  at: Vec2;
  colour: string;
  form: 'disc' | 'ring' | 'square' | 'diamond' | 'cross';
  in_legend: boolean;
  angle: number;
  /** Else the name alone. */
  dot: boolean;
}
export interface PlotDocument {
  title: string;
  x_label: string;
  y_label: string;
  equal_scales: boolean;
  bare: boolean;
  x_log: boolean;
  y_log: boolean;
  low: Vec2 | null;
  high: Vec2 | null;
  curves: PlotCurve[];
  points: PlotPoint[];
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
