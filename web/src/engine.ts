/** The library in WebAssembly, with its texts read. */

import load, { type ExplorerModule } from '#wasm';
import type {
  Answered,
  AxesDocument,
  BundledScene,
  CollisionDocument,
  InspectDocument,
  LawInfo,
  OutcomeDocument,
  PathDocument,
  PlotDocument,
  PlotKind,
  ReachDocument,
  RealizeDocument,
  RegionDocument,
} from './documents';

export class Engine {
  readonly laws: LawInfo[];
  readonly scenes: BundledScene[];

  constructor(private readonly module: ExplorerModule) {
    this.laws = JSON.parse(module.laws()) as LawInfo[];
    this.scenes = JSON.parse(module.scenes()) as BundledScene[];
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
  plot(text: string, kind: PlotKind, laws: string[] = []) {
    return JSON.parse(this.module.plot(text, kind, laws.join(','))) as Answered<PlotDocument>;
  }
  figure(text: string, kind: PlotKind, laws: string[] = []) {
    return JSON.parse(this.module.figure(text, kind, laws.join(','))) as Answered<{ svg: string }>;
  }
  axes(text: string) {
    return JSON.parse(this.module.axes(text)) as Answered<AxesDocument>;
  }
}

export async function loadEngine(): Promise<Engine> {
  return new Engine(await load());
}
