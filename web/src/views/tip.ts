/** Where the text that explains a place stands: above it, or below where there is no room. */
export function above(place: number, tall: number, height: number): number {
  const gap = 12;
  if (place - gap - tall >= 2) return place - gap - tall;
  return Math.max(2, Math.min(place + gap, height - tall - 2));
}
