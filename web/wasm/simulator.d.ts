/** What Emscripten makes of simulator.cpp; docs/explorer.md says what each function gives. */
export interface SimulatorModule {
  laws(): string;
  scenes(): string;
  read(text: string): string;
  simulate(
    text: string,
    choices: string,
    progress: (time: number, events: number) => void,
  ): { summary: string; document: string };
  event(index: number): string;
  contacts(text: string, choices: string): string;
  many(): string;
}
export default function (options?: { wasmBinary?: ArrayBuffer | Uint8Array }): Promise<SimulatorModule>;
