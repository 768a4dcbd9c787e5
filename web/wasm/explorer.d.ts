/** What Emscripten makes of explorer.cpp; docs/explorer.md says what each function gives. */
export interface ExplorerModule {
  laws(): string;
  scenes(): string;
  read(text: string): string;
  collide(text: string): string;
  inspect(text: string): string;
  realize(text: string): string;
  region(text: string): object;
  reach(text: string, law: string): string;
  path(text: string, law: string): string;
  plot(text: string, kind: string, law: string): string;
  figure(text: string, kind: string, law: string): string;
  axes(text: string): string;
}
export default function (options?: { wasmBinary?: ArrayBuffer | Uint8Array }): Promise<ExplorerModule>;
