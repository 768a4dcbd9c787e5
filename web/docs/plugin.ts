/** What the page explains comes from docs/, when it is built: the glossary, the bibliography, and a page for each law. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';
import { cellsOf, inline, toHtml } from './markdown.ts';

export interface Explanation {
  /** HTML without links. */
  meaning: string;
  formula: string;
  /** A page beside this one. */
  page: string;
}

const name = 'virtual:explanations';

/** The rows of the first table after a heading. */
function tableAfter(text: string, heading: string): string[][] {
  const at = `\n${text}`.indexOf(`\n${heading}\n`);
  const lines = at < 0 ? [] : text.slice(at).split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith('|'));
  const rows = lines.slice(first + 2, end).map(cellsOf);
  if (first < 0 || rows.length === 0) throw new Error(`docs: no table after "${heading}"`);
  return rows;
}

const head = (title: string) =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<meta name="color-scheme" content="light dark"><meta http-equiv="Content-Security-Policy" content="default-src 'self'">` +
  `<title>${title} · ricochet</title><link rel="stylesheet" href="pages.css"><script src="../first_theme.js"></script></head><body>` +
  `<p class="back"><a href="../index.html">ricochet, impulse space</a></p>\n`;

export function documentation(docs: string): Plugin {
  const read = (path: string) => readFileSync(join(docs, path), 'utf8');
  // Pages of the laws, and those that the explanations lead to.
  const laws = readdirSync(join(docs, 'laws')).map((file) => `laws/${file}`);
  const pages = [...laws, 'notation.md', 'impulse-space.md', 'bibliography.md', 'glossary.md'];
  const plain = (text: string) => inline(text, () => null);
  /** P_II with its index set as one. */
  const set = (text: string) => plain(text).replace(/(\p{L})_(\p{L}+)/gu, '$1<sub>$2</sub>');
  const here = (path: string) => `${basename(path, '.md')}.html`;
  const known = new Map(pages.map((path) => [basename(path), here(path)]));
  return {
    name: 'documentation',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load(id) {
      if (id !== `\0${name}`) return null;
      for (const path of ['glossary.md', 'bibliography.md']) this.addWatchFile(join(docs, path));
      const terms = Object.fromEntries(
        tableAfter(read('glossary.md'), '## On the page').map(([key, meaning, formula, page]) => [
          key!,
          { meaning: set(meaning!), formula: set(formula!), page: `docs/${page}.html` } satisfies Explanation,
        ]),
      );
      const papers = Object.fromEntries(tableAfter(read('bibliography.md'), '# Bibliography').map(([key, source]) => [key!, source!.replaceAll('*', '')]));
      return `export const terms = ${JSON.stringify(terms)};\nexport const papers = ${JSON.stringify(papers)};\n`;
    },
    generateBundle() {
      for (const path of pages) {
        const text = read(path);
        const body = toHtml(text, (address) => (/^https?:/.test(address) ? address : (known.get(basename(address.replace(/#.*/, ''))) ?? null)));
        const title = /^# (.*)$/m.exec(text)![1]!.replaceAll('`', '');
        this.emitFile({ type: 'asset', fileName: `docs/${here(path)}`, source: `${head(title)}${body}\n</body></html>\n` });
      }
      this.emitFile({ type: 'asset', fileName: 'docs/pages.css', source: readFileSync(new URL('pages.css', import.meta.url), 'utf8') });
    },
  };
}
