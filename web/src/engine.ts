/** The library in WebAssembly, with its texts read. */

import load, { type ExplorerModule } from '#wasm';
import type {
  Answered,
  AxesDocument,
  BundledScene,
  CollisionDocument,
  CourseDocument,
  DragDocument,
  FigureDocument,
  InspectDocument,
  LawInfo,
  OutcomeDocument,
  Pane,
  PathDocument,
  PlotDocument,
  PlotKind,
  ReachDocument,
  RealizeDocument,
  RegionDocument,
  Vec2,
  Vec3,
} from './documents';

export class Engine {
  readonly laws: LawInfo[];
  readonly scenes: BundledScene[];

  constructor(private readonly module: ExplorerModule) {
    this.laws = JSON.parse(module.laws()) as LawInfo[];
    this.scenes = JSON.parse(module.scenes()) as BundledScene[];
  }

  /** Round numbers for an axis, as on plots. */
  ticks(low: number, high: number, wanted: number) {
    return JSON.parse(this.module.ticks(low, high, wanted)) as number[];
  }
  read(text: string) {
    return JSON.parse(this.module.read(text)) as Answered<CollisionDocument>;
  }
  collide(text: string) {
    return JSON.parse(this.module.collide(text)) as Answered<OutcomeDocument>;
  }
  inspect(text: string) {
    return JSON.parse(this.module.inspect(text)) as Answered<InspectDocument>;
  }
  realize(text: string) {
    return JSON.parse(this.module.realize(text)) as Answered<RealizeDocument>;
  }
  region(text: string) {
    return this.module.region(text) as Answered<RegionDocument>;
  }
  reach(text: string, law: string) {
    return JSON.parse(this.module.reach(text, law)) as Answered<ReachDocument>;
  }
  path(text: string, law: string) {
    return JSON.parse(this.module.path(text, law)) as Answered<PathDocument>;
  }
  course(text: string, law: string) {
    return JSON.parse(this.module.course(text, law)) as Answered<CourseDocument>;
  }
  /** The bodies when this impulse has acted. */
  during(text: string, law: string, [x, y, z]: Vec3, pane: Pane) {
    return JSON.parse(this.module.during(text, law, x, y, z, JSON.stringify(pane))) as Answered<PlotDocument>;
  }
  plot(text: string, kind: PlotKind, laws: string[], reaches: string[], pane: Pane) {
    const answer = this.module.plot(text, kind, laws.join(','), reaches.join(','), JSON.stringify(pane));
    return JSON.parse(answer) as Answered<PlotDocument>;
  }
  figure(text: string, kind: PlotKind, laws: string[] = []) {
    return JSON.parse(this.module.figure(text, kind, laws.join(','))) as Answered<FigureDocument>;
  }
  drag(text: string, handle: 'e' | 'mu' | 'V', [x, y]: Vec2) {
    return JSON.parse(this.module.drag(text, handle, x, y)) as Answered<DragDocument>;
  }
  /** The answers as the command line writes them. Text and not numbers: JSON.stringify would write −0 as 0. */
  answersFile(text: string): string {
    return this.module.answers_file(text);
  }
  axes(text: string) {
    return JSON.parse(this.module.axes(text)) as Answered<AxesDocument>;
  }
}

export async function loadEngine(): Promise<Engine> {
  return new Engine(await load());
}
