export interface MotionViewer {
  readonly root: HTMLElement;
  readonly motion: { title: string };
  time: number;
  playing: boolean;
  seek(time: number): void;
  jump(event: number): void;
  toggle(): void;
  position(body: number): [number, number, number];
  dispose(): void;
}

export function showMotion(host: HTMLElement, text: string): MotionViewer;
