/** Pages of docs/ as HTML: headings, paragraphs, lists, tables, code, links and mathematics, which is all they use. */

import { toMathML } from './tex.ts';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** `link` gives the address of a link, or null for one that leads to nothing here. */
export type LinkOf = (address: string) => string | null;

export function inline(text: string, link: LinkOf): string {
  const kept: string[] = [];
  const keep = (html: string) => `\u0001${kept.push(html) - 1}\u0002`;
  let out = text
    .replace(/`([^`]+)`/g, (_, code: string) => keep(`<code>${escaped(code)}</code>`))
    .replace(/\$([^$]+)\$/g, (_, tex: string) => keep(toMathML(tex, false)))
    .replace(/\\([*_])/g, (_, sign: string) => keep(sign));
  out = escaped(out)
    .replace(/!\[([^\]]*)\]\(([^)]+)\)/g, '$1')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, label: string, address: string) => {
      const to = link(address);
      return to === null ? label : `<a href="${to}">${label}</a>`;
    })
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/\*([^*]+)\*/g, '<i>$1</i>');
  const restore = (html: string): string => html.replace(/\u0001(\d+)\u0002/g, (_, i: string) => restore(kept[Number(i)]!));
  return restore(out);
}

/** The cells of a row of a table, between bars that are not in code. */
export function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export function toHtml(markdown: string, link: LinkOf): string {
  const lines = markdown.replace(/<!--.*?-->/gs, '').split('\n');
  const out: string[] = [];
  const take = (holds: (line: string) => boolean): string[] => {
    const found: string[] = [];
    while (lines.length > 0 && holds(lines[0]!)) found.push(lines.shift()!);
    return found;
  };
  const special = /^(#{1,4} |```|\||\$\$|[*-] |\d+\. | {4}\S)/;
  while (lines.length > 0) {
    const line = lines[0]!;
    if (line.trim() === '') {
      lines.shift();
    } else if (/^#{1,4} /.test(line)) {
      const [, marks, title] = /^(#{1,4}) (.*)$/.exec(lines.shift()!)!;
      out.push(`<h${marks!.length}>${inline(title!, link)}</h${marks!.length}>`);
    } else if (line.startsWith('```')) {
      lines.shift();
      const code = take((one) => !one.startsWith('```'));
      lines.shift();
      out.push(`<pre>${escaped(code.join('\n'))}</pre>`);
    } else if (line.startsWith('$$')) {
      let tex = lines.shift()!.slice(2);
      while (!tex.trimEnd().endsWith('$$')) tex += `\n${lines.shift() ?? '$$'}`;
      out.push(toMathML(tex.trimEnd().slice(0, -2), true));
    } else if (line.startsWith('|')) {
      const [head, , ...rows] = take((one) => one.startsWith('|')).map(cellsOf);
      const row = (cells: string[], tag: string) => `<tr>${cells.map((cell) => `<${tag}>${inline(cell, link)}</${tag}>`).join('')}</tr>`;
      out.push(`<table><thead>${row(head!, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`);
    } else if (/^([*-]|\d+\.) /.test(line)) {
      const tag = /^\d/.test(line) ? 'ol' : 'ul';
      const items: string[] = [];
      for (const one of take((text) => /^([*-]|\d+\.) /.test(text) || /^ {2,}\S/.test(text))) {
        if (/^([*-]|\d+\.) /.test(one)) items.push(one.replace(/^([*-]|\d+\.) /, ''));
        else items[items.length - 1] += ` ${one.trim()}`;
      }
      out.push(`<${tag}>${items.map((item) => `<li>${inline(item, link)}</li>`).join('')}</${tag}>`);
    } else if (/^ {4}\S/.test(line)) {
      out.push(`<pre>${escaped(take((one) => /^ {4}/.test(one)).join('\n'))}</pre>`);
    } else {
      const first = lines.shift()!;
      const rest = take((one) => one.trim() !== '' && !special.test(one));
      out.push(`<p>${inline([first, ...rest].join(' '), link)}</p>`);
    }
  }
  return out.join('\n');
}
