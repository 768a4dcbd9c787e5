/** Number formatting. */

import { format } from 'd3-format';

const plain = (size: number) => size === 0 || (size >= 1e-3 && size < 1e5);

/** Significant digits; powers of ten only where they save zeros. */
export function shortNumber(value: number, digits = 4): string {
  return format(plain(Math.abs(value)) ? `.${digits}~r` : `.${digits - 1}~e`)(value);
}
