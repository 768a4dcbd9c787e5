/** Texts with $mathematics$: letters lean, and _x, _{xy}, ^x, ^{xy} lower and raise. */

export interface TextRun {
  text: string;
  italic: boolean;
  /** 0 on the line, −1 lowered, +1 raised. */
  level: -1 | 0 | 1;
}

export const scriptScale = 0.74;
export const sans = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif";
export const serif = "'STIX Two Text', Cambria, 'Times New Roman', 'Liberation Serif', 'DejaVu Serif', serif";

const letter = /\p{L}/u;

export function textRuns(text: string): TextRun[] {
  const runs: TextRun[] = [];
  const append = (piece: string, italic: boolean, level: TextRun['level']) => {
    const last = runs.at(-1);
    if (last && last.italic === italic && last.level === level) last.text += piece;
    else runs.push({ text: piece, italic, level });
  };
  const letters = [...text];
  let mathematics = false;
  for (let i = 0; i < letters.length; ++i) {
    const c = letters[i]!;
    if (c === '$') {
      mathematics = !mathematics;
    } else if (mathematics && (c === '_' || c === '^') && i + 1 < letters.length) {
      const level = c === '_' ? -1 : 1;
      const close = letters[i + 1] === '{' ? letters.indexOf('}', i) : -1;
      const script = close > 0 ? letters.slice(i + 2, close) : [letters[i + 1]!];
      for (const s of script) append(s, letter.test(s), level);
      i = close > 0 ? close : i + 1;
    } else {
      append(c, mathematics && letter.test(c), 0);
    }
  }
  return runs;
}

/** Without mathematical markup, for screen readers. */
export const plainText = (text: string) =>
  textRuns(text)
    .map((run) => run.text)
    .join('');

/** Fills an SVG text element, unless it holds this text already. */
export function setMathematics(element: SVGTextElement, text: string, size: number): void {
  const mark = `${size} ${text}`;
  if (element.dataset.runs === mark) return;
  element.dataset.runs = mark;
  let height = 0;
  element.replaceChildren(
    ...textRuns(text).map((run) => {
      const span = document.createElementNS('http://www.w3.org/2000/svg', 'tspan');
      const wanted = run.level === 0 ? 0 : run.level < 0 ? 0.24 * size : -0.38 * size;
      if (wanted !== height) span.setAttribute('dy', (wanted - height).toFixed(2));
      if (run.level !== 0) span.setAttribute('font-size', (scriptScale * size).toFixed(2));
      if (run.italic) {
        span.setAttribute('font-style', 'italic');
        span.setAttribute('font-family', serif);
      }
      span.textContent = run.text;
      height = wanted;
      return span;
    }),
  );
}

/** The same as HTML. */
export function mathematicsNodes(text: string): Node[] {
  return textRuns(text).map((run) => {
    const inner = run.italic ? document.createElement('i') : document.createElement('span');
    inner.textContent = run.text;
    if (run.level === 0) return inner;
    const script = document.createElement(run.level < 0 ? 'sub' : 'sup');
    script.append(inner);
    return script;
  });
}

let pen: CanvasRenderingContext2D | null | undefined;
const widths = new Map<string, number>();

function fontOf(run: TextRun, size: number): string {
  return `${run.italic ? 'italic ' : ''}${run.level === 0 ? size : scriptScale * size}px ${run.italic ? serif : sans}`;
}

/** What a text takes in width. */
export function textWidth(text: string, size: number): number {
  const key = `${size} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (pen === undefined) pen = document.createElement('canvas').getContext('2d');
  let width = 0;
  for (const run of textRuns(text)) {
    if (pen) {
      pen.font = fontOf(run, size);
      width += pen.measureText(run.text).width;
    } else {
      width += 0.58 * size * run.text.length;
    }
  }
  // Numbers that change with every drag would fill it without end.
  if (widths.size > 2000) widths.clear();
  widths.set(key, width);
  return width;
}

/** Writes a text on a canvas, its left end on the base line at (x, y). */
export function paintMathematics(on: CanvasRenderingContext2D, text: string, x: number, y: number, size: number): void {
  for (const run of textRuns(text)) {
    on.font = fontOf(run, size);
    on.fillText(run.text, x, y + (run.level === 0 ? 0 : run.level < 0 ? 0.24 * size : -0.38 * size));
    x += on.measureText(run.text).width;
  }
}
