/** A colour for each law by its place in the registry, one row for light paper and one for dark. */

import type { LawInfo } from './documents';

const light = [
  '#6b7280', '#0072b2', '#2f9fd0', '#d55e00', '#b0106b', '#00875f', '#a07400',
  '#6a3d9a', '#8c5a3c', '#4b7f2a', '#c4486f', '#1f3a93', '#77770a',
]; // prettier-ignore
const dark = [
  '#aab2bf', '#4db2ff', '#8fd3f4', '#ff8a3d', '#ff5fae', '#2fd39a', '#e5b93b',
  '#b58cf0', '#d09a78', '#9bd36a', '#f58aa8', '#8ea2ff', '#cfcf4a',
]; // prettier-ignore

export function colourer(laws: LawInfo[], isDark: boolean): (law: string) => string {
  const row = isDark ? dark : light;
  const places = new Map(laws.map(({ name }, i) => [name, row[i % row.length]!]));
  return (law) => places.get(law) ?? row[0]!;
}
