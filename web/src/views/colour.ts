/** Colours of the library's plots are made for white paper; here they are made to suit the page's theme. */

type Channels = [number, number, number];

/** From #rrggbb or #rgb; null for any other spelling. */
export function channels(colour: string): Channels | null {
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (long) return [parseInt(long[1]!, 16), parseInt(long[2]!, 16), parseInt(long[3]!, 16)];
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour);
  return short ? [17 * parseInt(short[1]!, 16), 17 * parseInt(short[2]!, 16), 17 * parseInt(short[3]!, 16)] : null;
}

/** Relative luminance (WCAG 2). */
function luminance(rgb: Channels): number {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as Channels;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const known = new Map<string, string>();

/** Greys become the page's ink and muted, a hair of it, or paper; on dark paper other colours are lightened until they show. */
export function themed(colour: string, dark: boolean): string {
  const key = dark + colour;
  const before = known.get(key);
  if (before !== undefined) return before;
  let out = colour;
  const rgb = channels(colour);
  if (rgb) {
    const low = Math.min(...rgb);
    const high = Math.max(...rgb);
    if (high - low < 12) {
      out = high < 0x30 ? 'var(--ink)' : high < 0x90 ? 'var(--muted)' : high < 0xf0 ? 'var(--hair)' : 'var(--paper)';
    } else if (dark) {
      let shown = rgb;
      for (let mix = 0; luminance(shown) < 0.24 && mix < 1; mix += 0.04)
        shown = rgb.map((c) => Math.round(c + mix * (255 - c))) as Channels;
      out = `#${shown.map((c) => c.toString(16).padStart(2, '0')).join('')}`;
    }
  }
  known.set(key, out);
  return out;
}

/** Gives a view --hair, for lines that are only there to guide: between the page's muted and its paper. */
export function setHair(element: HTMLElement): void {
  const style = getComputedStyle(element);
  const [muted, paper] = [
    channels(style.getPropertyValue('--muted').trim()),
    channels(style.getPropertyValue('--paper').trim()),
  ];
  if (!muted || !paper) return;
  const mixed = muted.map((c, i) => Math.round(0.55 * c + 0.45 * paper[i]!));
  element.style.setProperty('--hair', `#${mixed.map((c) => c.toString(16).padStart(2, '0')).join('')}`);
}

/** The text with every var(--x) replaced by its value on this element. */
export function resolveVariables(text: string, element: Element): string {
  if (!text.includes('var(')) return text;
  const style = getComputedStyle(element);
  return text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim() || '#808080');
}
