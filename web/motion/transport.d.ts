export type TransportSymbol = 'play' | 'pause' | 'back' | 'on' | 'start';
export function symbolOf(name: TransportSymbol): SVGSVGElement;
export function transportButton(symbol: TransportSymbol, label: string, key: string, act: () => void): HTMLButtonElement;
