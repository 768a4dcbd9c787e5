/** The part of TeX that docs/ uses, as MathML, which browsers set themselves. An unknown command is an error. */

const symbols: Record<string, string> = {
  alpha: 'α', beta: 'β', delta: 'δ', Delta: 'Δ', epsilon: 'ϵ', varepsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', kappa: 'κ',
  lambda: 'λ', Lambda: 'Λ', mu: 'μ', nu: 'ν', xi: 'ξ', pi: 'π', rho: 'ρ', varrho: 'ϱ', sigma: 'σ', Sigma: 'Σ', tau: 'τ',
  varphi: 'φ', phi: 'φ', varpi: 'ϖ', vartheta: 'ϑ', chi: 'χ', psi: 'ψ', omega: 'ω', Omega: 'Ω', gamma: 'γ', Gamma: 'Γ', infty: '∞', partial: '∂', ell: 'ℓ',
}; // prettier-ignore
const operators: Record<string, string> = {
  cdot: '·', times: '×', le: '≤', ge: '≥', ne: '≠', to: '→', pm: '±', mp: '∓', perp: '⊥', lVert: '‖', rVert: '‖', int: '∫',
  oint: '∮', sum: '∑', prod: '∏', in: '∈', approx: '≈', ll: '≪', gg: '≫', mid: '|', Vert: '‖', ',': '\u2009', ';': '\u2005',
  '!': '', '{': '{', '}': '}', ' ': '\u00a0', ldots: '…', dots: '…', cdots: '⋯', langle: '⟨', rangle: '⟩', lvert: '|', rvert: '|',
  mapsto: '↦', top: '⊤', equiv: '≡', iff: '⇔', Rightarrow: '⇒', setminus: '∖', cup: '∪', cap: '∩', circ: '∘', forall: '∀',
}; // prettier-ignore
const functions = ['sin', 'cos', 'tan', 'ln', 'log', 'exp', 'min', 'max', 'arg', 'arctan', 'arcsin', 'arccos', 'det', 'sign'];
const spaces: Record<string, string> = { qquad: '2em', quad: '1em' };
const accents: Record<string, string> = { hat: '^', dot: '˙', ddot: '¨', bar: '¯', tilde: '~', vec: '→' };

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

class Reader {
  private at = 0;
  private readonly tokens: string[];

  constructor(tex: string) {
    this.tokens = tex.match(/\\[A-Za-z]+|\\.|\\\n|\d+(?:\.\d+)?|\s+|./gsu) ?? [];
  }

  done() {
    return this.at >= this.tokens.length;
  }
  peek() {
    return this.tokens[this.at];
  }
  next(): string {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Error('TeX ends too early');
    return token;
  }
  skipSpace() {
    while (this.peek()?.trim() === '') ++this.at;
  }

  /** The letters of {…} as they stand. */
  raw(): string {
    this.skipSpace();
    if (this.next() !== '{') throw new Error('TeX: a brace is missing');
    let out = '';
    for (let depth = 1; ; ) {
      const token = this.next();
      if (token === '{') ++depth;
      if (token === '}' && --depth === 0) return out;
      out += token;
    }
  }

  /** Until the end, or one of these tokens, which is left. */
  row(ends: string[] = []): string {
    const parts: string[] = [];
    for (;;) {
      this.skipSpace();
      const token = this.peek();
      if (token === undefined || ends.includes(token)) return parts.length === 1 ? parts[0]! : `<mrow>${parts.join('')}</mrow>`;
      parts.push(this.scripts());
    }
  }

  private scripts(): string {
    const base = this.atom();
    let low = '';
    let high = '';
    for (;;) {
      const token = this.peek();
      if (token === '_') {
        this.next();
        low = this.argument();
      } else if (token === '^') {
        this.next();
        high += this.argument();
      } else if (token === "'") {
        this.next();
        high += '<mo>′</mo>';
      } else {
        break;
      }
    }
    if (low !== '' && high !== '') return `<msubsup>${base}${low}<mrow>${high}</mrow></msubsup>`;
    if (low !== '') return `<msub>${base}${low}</msub>`;
    return high === '' ? base : `<msup>${base}<mrow>${high}</mrow></msup>`;
  }

  private argument(): string {
    this.skipSpace();
    return this.atom();
  }

  private atom(): string {
    this.skipSpace();
    const token = this.next();
    if (token === '{') {
      const inner = this.row(['}']);
      this.next();
      return inner;
    }
    if (token.startsWith('\\')) return this.command(token.slice(1));
    if (/^\d/.test(token)) return `<mn>${token}</mn>`;
    if (/^\p{L}$/u.test(token)) return `<mi>${token}</mi>`;
    if (token === '~') return '<mspace width="0.3em"/>';
    return `<mo>${escaped(token === '-' ? '−' : token === '*' ? '∗' : token)}</mo>`;
  }

  private command(name: string): string {
    if (name in symbols) return `<mi>${symbols[name]}</mi>`;
    if (name in spaces) return `<mspace width="${spaces[name]}"/>`;
    if (name in operators) return `<mo${/Vert|vert/.test(name) ? ' stretchy="false"' : ''}>${operators[name]}</mo>`;
    if (functions.includes(name)) return `<mi mathvariant="normal">${name}</mi>`;
    if (name in accents) return `<mover accent="true">${this.argument()}<mo stretchy="false">${accents[name]}</mo></mover>`;
    if (['frac', 'tfrac', 'dfrac'].includes(name)) return `<mfrac>${this.argument()}${this.argument()}</mfrac>`;
    if (name === 'sqrt') return `<msqrt>${this.argument()}</msqrt>`;
    if (['text', 'texttt', 'textrm'].includes(name)) return `<mtext>${escaped(this.raw())}</mtext>`;
    if (['mathrm', 'operatorname', 'mathit', 'mathbf'].includes(name)) return `<mi mathvariant="normal">${escaped(this.raw())}</mi>`;
    if (name === 'tag') return `<mspace width="2em"/><mtext>(${escaped(this.raw())})</mtext>`;
    if (['rm', 'displaystyle', 'big', 'Big', 'bigl', 'bigr', 'Bigl', 'Bigr'].includes(name)) return '';
    if (name === 'left') {
      const open = this.delimiter();
      const inner = this.row(['\\right']);
      this.next();
      return `<mrow>${open}${inner}${this.delimiter()}</mrow>`;
    }
    if (name === 'begin') return this.table(this.raw());
    if (name === '\\' || name === '\n') return '';
    throw new Error(`TeX: \\${name} is not known`);
  }

  private delimiter(): string {
    this.skipSpace();
    const token = this.next();
    if (token === '.') return '';
    return `<mo>${token.startsWith('\\') ? (operators[token.slice(1)] ?? '') : escaped(token)}</mo>`;
  }

  private table(kind: string): string {
    const rows: string[][] = [[]];
    for (;;) {
      rows.at(-1)!.push(this.row(['&', '\\\\', '\\end']));
      const token = this.next();
      if (token === '\\\\') rows.push([]);
      if (token !== '\\end') continue;
      this.raw();
      const cells = rows.map((row) => `<mtr>${row.map((cell) => `<mtd>${cell}</mtd>`).join('')}</mtr>`).join('');
      const close = kind === 'cases' ? '' : ')';
      return `<mrow><mo>${kind === 'cases' ? '{' : '('}</mo><mtable>${cells}</mtable><mo>${close}</mo></mrow>`;
    }
  }
}

export function toMathML(tex: string, display: boolean): string {
  return `<math${display ? ' display="block"' : ''}>${new Reader(tex.trim()).row()}</math>`;
}
