export interface MotionViewer {
  readonly root: HTMLElement;
  readonly motion: { title: string; times: Float64Array; events: { time: number; kind: string }[] };
  time: number;
  playing: boolean;
  seek(time: number): void;
  jump(event: number): void;
  toggle(): void;
  position(body: number): [number, number, number];
  dispose(): void;
}

/** `open` opens the contact of an impact elsewhere; without it there is no way to. */
export function showMotion(host: HTMLElement, text: string, open?: (event: number) => void): MotionViewer;
