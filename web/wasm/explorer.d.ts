/** What Emscripten makes of explorer.cpp; docs/explorer.md says what each function gives. */
export interface ExplorerModule {
  laws(): string;
  scenes(): string;
  ticks(low: number, high: number, wanted: number): string;
  read(text: string): string;
  collide(text: string): string;
  answers_file(text: string): string;
  inspect(text: string): string;
  realize(text: string): string;
  region(text: string): object;
  reach(text: string, law: string): string;
  path(text: string, law: string): string;
  course(text: string, law: string): string;
  during(text: string, law: string, x: number, y: number, z: number, pane: string): string;
  plot(text: string, kind: string, laws: string, reaches: string, pane: string): string;
  figure(text: string, kind: string, laws: string): string;
  axes(text: string): string;
  drag(text: string, handle: string, x: number, y: number): string;
}
export default function (options?: { wasmBinary?: ArrayBuffer | Uint8Array }): Promise<ExplorerModule>;
